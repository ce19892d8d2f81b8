import { describe, expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import { policy } from '../../src/policy/policy.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { ok } from '../../src/tool/tool.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readText } from '../../src/vfs/text.ts'
import { calls, made, results, rig } from '../agent/rig.ts'

const long = `${'a'.repeat(60)}${'😀'.repeat(40)}${'z'.repeat(60)}`
const more = { maxOutputChars: 101 }

describe('a result that is too long for a model', () => {
  it('keeps head and tail, whole characters, and is whole in the files with its path', async () => {
    const fs = memoryFiles()
    const tools = [made('big', () => long, more), made('list', () => [long, 1], more)]
    const { assistant } = rig([calls('big', 'list'), 'done'], { tools, env: { host: webHost, fs } })
    const { messages } = await assistant.run('x').result
    for (const [{ text }, whole] of results(messages).map(
      (one, index) => [one, index ? JSON.stringify([long, 1]) : long] as const,
    )) {
      const [head = '', note = '', tail = ''] = text.split('\n')
      expect([whole.startsWith(head), whole.endsWith(tail), head.length, tail.length]).toEqual([true, true, 51, 50])
      const [, left, path = ''] = /^\[… (\d+) characters left out; the whole is in "(.+)" …\]$/.exec(note) ?? []
      expect(Number(left)).toBe(whole.length - 101)
      expect(await readText(fs, path)).toBe(whole)
    }
  })

  it('is cut alone where there are no files, or none may be written', async () => {
    const registry = (env: object, confined = policy({ readOnly: true })) =>
      toolRegistry({ env, policy: confined }).register(made('big', () => ok(long), more))
    for (const env of [{}, { fs: memoryFiles() }]) {
      const outcome = await registry(env).invoke('big')
      expect(outcome).toMatchObject({ ok: true, parts: [{ text: expect.stringContaining('characters left out …]') }] })
    }
  })

  it('is written below the root that the policy leaves, whatever the call is named', async () => {
    const fs = memoryFiles()
    const tools = [made('big', () => long, more)]
    const turn = { calls: [{ name: 'big', callId: '../../etc/passwd' }] }
    const env = { host: webHost, fs }
    const { assistant } = rig([turn, 'done'], { tools, env, policy: policy({ workspaceRoot: '/project' }) })
    const { messages } = await assistant.run('x').result
    const [, path = ''] = /whole is in "(.+?)"/.exec(results(messages)[0]?.text ?? '') ?? []
    expect(path).toMatch(/^\/project\/\.tool-results\/[\w-]+\.txt$/)
    expect(await readText(fs, path)).toBe(long)
  })
})
