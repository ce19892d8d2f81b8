import { expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { readLog } from '../../src/journal/log.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { fork } from '../../src/recovery/fork.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { made, pause, results } from '../agent/rig.ts'

it('two local calls that change one file side by side do not lose a change: the second fails with a conflict', async () => {
  const files = memoryFiles({ files: { '/list': 'milk\n' } })
  const add = made(
    'add',
    async (input, { fs }) => {
      const before = new TextDecoder().decode(await fs.read('/list'))
      await pause(1)
      await fs.write('/list', new TextEncoder().encode(`${before}${(input as { what: string }).what}\n`))
      return 'added'
    },
    { effect: 'local', input: jsonSchema({ type: 'object' }) as never },
  )
  const calls = ['bread', 'salt'].map((what) => ({ name: 'add', input: { what } }))
  const { messages } = await agent({
    model: scriptedModel([{ calls }, 'ok']),
    tools: [add],
    env: { host: webHost, fs: files, store: memoryStore({ files }) },
  }).run('go').result
  const [one, two] = results(messages)
  expect([one?.ok, two?.ok]).toEqual([true, false])
  expect(two?.text).toContain('/list')
  expect(new TextDecoder().decode(await files.read('/list'))).toBe('milk\nbread\n')
})

it('a fork has none of the rights of the run it comes from', async () => {
  const store = memoryStore()
  let paid = 0
  const pay = made('pay', () => ++paid, { approval: true })
  const turns = [{ calls: [{ name: 'pay', callId: null }] }, 'one', { calls: [{ name: 'pay', callId: null }] }, 'two']
  const assistant = () => agent({ model: scriptedModel(turns), tools: [pay], env: { host: webHost } })
  await agent({
    model: scriptedModel(turns),
    tools: [pay],
    env: { host: webHost },
    approve: () => 'approve-session',
  }).run('go', { id: 'r', store }).result
  expect(paid).toBe(1)
  const run = await fork(assistant(), await readLog(store, 'r'), Infinity, { input: 'again' })
  expect(await run.result).toMatchObject({ status: 'suspended' })
  expect(paid).toBe(1)
})
