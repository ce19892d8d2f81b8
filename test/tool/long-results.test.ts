// Long results: where they are kept, and what is cut.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import { fail } from '../../src/tool/tool.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { calls, eventsOf, made, pause, results, rig } from '../agent/rig.ts'

const task = (name: string) => ({ name, input: { task: 'x' } })

describe('a long result', () => {
  const long = 'x'.repeat(5000)
  const big = made('big', () => long, { maxOutputChars: 100 })

  it('two calls do not share a file', async () => {
    const fs = memoryFiles()
    let count = 0
    const tool = made('big', () => String(++count).repeat(5000), { maxOutputChars: 100, repeatable: true })
    const turn = {
      calls: [
        { name: 'big', callId: 'a.b' },
        { name: 'big', callId: 'a:b' },
      ],
    }
    const { assistant } = rig([turn, 'done'], { tools: [tool], env: { host: webHost, fs } })
    const { messages } = await assistant.run('x').result
    const paths = results(messages).map(({ text }) => /"(\/[^"]+)"/.exec(text)?.[1])
    expect(new Set(paths).size).toBe(2)
  })

  it('two runs with long call ids do not share a file', async () => {
    const fs = memoryFiles()
    const callId = 'c'.repeat(200)
    const path = async () => {
      const turn = { calls: [{ name: 'big', callId }] }
      const { assistant } = rig([turn, 'done'], { tools: [big], env: { host: webHost, fs } })
      return /"(\/[^"]+)"/.exec(results((await assistant.run('x').result).messages)[0]?.text ?? '')?.[1]
    }
    expect(await path()).not.toBe(await path())
  })

  it('a failure is not longer than any other result', async () => {
    const tools = [
      made('says', () => fail(long), { maxOutputChars: 100 }),
      made('throws', () => Promise.reject(new Error(long)), { maxOutputChars: 100 }),
    ]
    const { assistant } = rig([calls('says', 'throws'), 'done'], { tools })
    const { messages } = await assistant.run('x').result
    expect(results(messages).map(({ text }) => text.length < 300)).toEqual([true, true])
  })

  it('nothing is written after an abort', async () => {
    const fs = memoryFiles()
    const signals: unknown[] = []
    const slow = {
      ...fs,
      write: async (path: string, data: Uint8Array, options: object) => {
        signals.push((options as { signal?: AbortSignal }).signal)
        await pause(20)
        return fs.write(path, data, options)
      },
    }
    const { assistant } = rig([calls('big'), 'done'], { tools: [big], env: { host: webHost, fs: slow as never } })
    const run = assistant.run('x')
    setTimeout(() => run.abort(), 5)
    await eventsOf(run)
    expect((signals[0] as AbortSignal | undefined)?.aborted).toBe(true)
  })
})

describe('a long answer of a sub-agent', () => {
  it('a long answer of a sub-agent is kept in a file', async () => {
    const fs = memoryFiles()
    const model = scriptedModel(['x'.repeat(3000)])
    const tools = [agent({ model }).asTool({ name: 'a', description: 'x', maxOutputChars: 100 })]
    const { messages } = await rig([{ calls: [task('a')] }, 'done'], {
      tools,
      env: { host: webHost, fs },
    }).assistant.run('x').result
    expect(results(messages)[0]?.text).toContain('the whole is in')
  })

  it('a failed sub-agent that talked long gives no long result', async () => {
    const model = scriptedModel([['x'.repeat(3000), { finish: 'length' }] as never])
    const tools = [agent({ model }).asTool({ name: 'a', description: 'x', maxOutputChars: 100 })]
    const { messages } = await rig([{ calls: [task('a')] }, 'done'], { tools }).assistant.run('x').result
    expect(results(messages)[0]?.text.length).toBeLessThan(2100)
  })

  it('a text kept in a file counts against the quota of the policy', async () => {
    const fs = memoryFiles()
    const big = made('big', () => 'x'.repeat(5000), { maxOutputChars: 100, repeatable: true })
    const { assistant } = rig([calls('big'), 'done'], {
      tools: [big],
      env: { host: webHost, fs },
      policy: policy({ quotas: { fileBytes: 1000 } }),
    })
    const { messages } = await assistant.run('x').result
    expect(results(messages)[0]?.ok).toBe(true)
    expect(results(messages)[0]?.text).not.toContain('the whole is in')
  })
})
