// Runs that survive: recovery by effect, sessions, replays, forks and files of runs, the same in every runtime.
import { agent } from '../../agent/agent.ts'
import type { Agent } from '../../agent/agent.ts'
import { readLog } from '../../journal/log.ts'
import { memoryStore } from '../../journal/memory-store.ts'
import { messageText } from '../../message/text.ts'
import { scriptedModel } from '../../model/scripted-model.ts'
import type { ScriptedTurn } from '../../model/scripted-model.ts'
import { exportRun, importRun } from '../../recovery/file.ts'
import { fork } from '../../recovery/fork.ts'
import { recover } from '../../recovery/recover.ts'
import { session } from '../../recovery/session.ts'
import { replay } from '../../replay/replay.ts'
import { tool } from '../../tool/define.ts'
import type { RunStore } from '../../tool/run-store.ts'
import type { Effect } from '../../message/decision.ts'
import type { Tool } from '../../tool/tool.ts'
import { memoryFiles } from '../../vfs/memory.ts'
import type { Vfs } from '../../vfs/vfs.ts'
import { failingStore } from '../crash/failing-store.ts'
import type { Kit, Scenario } from '../kit.ts'
import { canonicalTrace } from '../trace.ts'
import { amount, cast, lastResults, noteResult, pay } from './cast.ts'

/** A tool that takes a moment and counts how often it ran. */
const counted = (kit: Kit, name: string, effect: Effect): Tool =>
  tool({
    name,
    description: name,
    effect,
    execute: async (_, { fs }) => {
      kit.note('ran', name)
      await kit.sleep(10)
      if (effect === 'local') {
        const before = (await fs.stat('/log')) ? new TextDecoder().decode(await fs.read('/log')) : ''
        await fs.write('/log', new TextEncoder().encode(`${before}${name}\n`))
      }
      return name
    },
  })

interface World {
  readonly files: Vfs
  readonly store: RunStore
}

function world(): World {
  const files = memoryFiles({ now: () => 0 })
  return { files, store: memoryStore({ files }) }
}

const effects = ['look', 'put', 'write', 'send'] as const

/** Says what is next by how much it has said, as a model does that was asked again. */
function worker(kit: Kit, { files, store }: World): Agent {
  const turns: readonly ScriptedTurn[] = [
    { calls: effects.map((name) => ({ name, callId: null })) },
    { calls: [{ name: 'write', callId: null }] },
    'All done',
  ]
  const turn: ScriptedTurn = ({ messages }) => turns[messages.filter(({ role }) => role === 'assistant').length] ?? ''
  return agent({
    model: scriptedModel(Array.from({ length: 9 }, () => turn)),
    tools: [
      counted(kit, 'look', 'read'),
      counted(kit, 'put', 'idempotent'),
      counted(kit, 'write', 'local'),
      counted(kit, 'send', 'unsafe'),
    ],
    env: { host: kit.host, fs: files, store },
    approve: ({ why, name }) => (why === 'unknown-outcome' ? { result: `${name} had happened` } : 'approve'),
  })
}

async function goesOn(kit: Kit, at: number): Promise<void> {
  const here = world()
  const first = worker(kit, { ...here, store: failingStore(here.store, at, 'after') })
  const cut = await first.run('go', { id: 'r' }).result
  kit.equal(cut.status, 'failed')
  const run = await recover(worker(kit, here), { store: here.store, run: 'r' })
  await kit.trace(run)
  const result = await run.result
  kit.equal([result.status, result.text], ['done', 'All done'])
  kit.equal(new TextDecoder().decode(await here.files.read('/log')), 'write\nwrite\n')
  noteResult(kit, result)
}

const logOf = (store: RunStore, run: string): ReturnType<typeof readLog> => readLog(store, run)

export const journalScenarios: readonly Scenario[] = [
  ...[2, 3, 4, 5, 6].map((at) => ({
    name: `a run that is cut off at write ${at} goes on from its log, each local effect once`,
    run: (kit: Kit) => goesOn(kit, at),
  })),
  {
    name: 'an unsafe call that was cut off waits for a person, who says that it was done or has it tried again',
    run: async (kit) => {
      for (const decision of [{ result: 'it went out' }, { decision: 'retry' }, { decision: 'deny' }] as const) {
        const store = memoryStore()
        const send = (): Tool => counted(kit, 'send', 'unsafe')
        const turns: readonly ScriptedTurn[] = [{ calls: [{ name: 'send' }] }, 'ok']
        const one = cast(kit, turns, { tools: [send()], env: { store: failingStore(store, 3, 'after') } })
        await one.assistant.run('go', { id: 'r' }).result
        const two = cast(kit, ['ok'], { tools: [send()] })
        const asked = await (await recover(two.assistant, { store, run: 'r' })).result
        kit.equal(
          asked.pending.map(({ why, callId }) => [why, callId]),
          [['unknown-outcome', 'call_1']],
        )
        const run = await recover(two.assistant, { store, run: 'r', decisions: [{ callId: 'call_1', ...decision }] })
        await kit.trace(run)
        const { status, messages } = await run.result
        kit.note('results', lastResults(messages))
        kit.equal(status, 'done')
      }
    },
  },
  {
    name: 'a session goes on after a reload, with its question and its grants',
    run: async (kit) => {
      const store = memoryStore()
      const turns: readonly ScriptedTurn[] = [{ calls: [amount(5)] }, 'paid']
      const first = await session({ agent: cast(kit, turns, { tools: [pay(kit)] }).assistant, store, id: 'talk' })
      await (
        await first.send('Pay five')
      ).result
      const after: readonly ScriptedTurn[] = ['paid', { calls: [amount(5, 'call_2')] }, 'paid again']
      const second = await session({ agent: cast(kit, after, { tools: [pay(kit)] }).assistant, store, id: 'talk' })
      kit.equal([second.status, second.pending.length, second.messages.length], ['suspended', 1, 3])
      await kit.trace(await second.decide({ callId: 'call_1', decision: 'approve-session' }))
      const run = await second.send('And again')
      await kit.trace(run)
      kit.equal((await run.result).status, 'done')
      kit.note('messages', second.messages.map(messageText))
    },
  },
  {
    name: 'a run of a log happens again, with the same events and nothing asked or run',
    run: async (kit) => {
      const store = memoryStore()
      const turns: readonly ScriptedTurn[] = [
        ['Let me see. ', { calls: [{ name: 'look' }, amount(3), { name: 'nothing' }] }],
        { calls: [amount(4)] },
        'Done with it',
      ]
      const tools = [counted(kit, 'look', 'read'), pay(kit)]
      const { assistant } = cast(kit, turns, { tools, env: { store }, approve: () => 'approve' })
      const events = await kit.trace(assistant.run('go', { id: 'r' }))
      const offline = cast(kit, [], { tools }).assistant
      const { events: again, differs, result } = await replay(offline, await logOf(store, 'r'))
      kit.equal([differs, result?.status], [undefined, 'done'])
      kit.equal(canonicalTrace(again), canonicalTrace(events))
    },
  },
  {
    name: 'a fork takes another course from an earlier step',
    run: async (kit) => {
      const store = memoryStore()
      const { assistant } = cast(kit, [{ calls: [{ name: 'look' }] }, 'I saw look'], {
        tools: [counted(kit, 'look', 'read')],
        env: { store },
      })
      await assistant.run('go', { id: 'r' }).result
      const log = await logOf(store, 'r')
      const step = log.find(({ type }) => type === 'step-end')
      const other = cast(kit, [({ messages }) => `I saw ${lastResults(messages)[0]?.text ?? ''}`])
      const results = { call_1: { content: [{ type: 'text', text: 'another' }] } } as const
      const run = await fork(other.assistant, log, Number(step?.data['seq']), { id: 'forked', results })
      await kit.trace(run)
      kit.equal(await run.text, 'I saw another')
    },
  },
  {
    name: 'a run goes into a file without its secrets, and out of it again',
    run: async (kit) => {
      const store = memoryStore()
      await cast(kit, ['Use sk-abcdefghijklmnopqrstuvwx, ann'], { env: { store } }).assistant.run(
        'My header is Bearer abcdefghijklmnop',
        { id: 'r' },
      ).result
      const file = JSON.stringify(exportRun(await logOf(store, 'r'), { run: 'r' }))
      kit.check(!/sk-abc|abcdefghijklmnop/.test(file), 'no secret is in the file')
      const { run, log } = importRun(JSON.parse(file))
      const { result } = await replay(cast(kit, []).assistant, log)
      kit.equal([run, result?.text], ['r', 'Use [key], ann'])
      await kit.throws(() => importRun({ ...(JSON.parse(file) as object), version: 99 }), 'journal-version')
    },
  },
]
