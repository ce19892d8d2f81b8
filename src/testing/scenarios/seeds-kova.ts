// What the first of the seeds promises, one scenario for each promise: plain tools, a shared registry, policy, approval.
import { builtinTools } from '../../builtin/builtin.ts'
import { toolRegistry } from '../../catalog/tool-registry.ts'
import type { Answer, ApprovalRequest } from '../../message/decision.ts'
import type { Outcome } from '../../message/part.ts'
import { policy } from '../../policy/policy.ts'
import type { ObservedCall } from '../../observer/hooks.ts'
import { jsonSchema } from '../../schema/check.ts'
import { tool } from '../../tool/define.ts'
import { fatal } from '../../tool/fatal.ts'
import { fail } from '../../tool/tool.ts'
import type { Tool } from '../../tool/tool.ts'
import { memoryFiles } from '../../vfs/memory.ts'
import { readText } from '../../vfs/text.ts'
import type { Scenario } from '../kit.ts'
import { add, amount, cast, checkTranscript, echo, lastResults, pay, play } from './cast.ts'

const say = (text: string): { readonly name: string; readonly input: { readonly text: string } } => ({
  name: 'echo',
  input: { text },
})

const registryScenarios: readonly Scenario[] = [
  {
    name: 'K4 A registry gets, lists and defines its tools, and defines them anew only after a change',
    run: async (kit) => {
      const registry = toolRegistry({ env: { host: kit.host } }).register(echo)
      const before = registry.definitions()
      kit.equal([registry.list(), registry.get('echo') === echo, registry.get('add')], [['echo'], true, undefined])
      kit.check(registry.definitions() === before, 'the same definitions while nothing changes')
      const learn = tool({
        name: 'learn',
        description: 'Learns to add.',
        execute: () => (registry.register(add), 'learned'),
      })
      registry.register(learn)
      const actors = cast(
        kit,
        [{ calls: [{ name: 'learn' }] }, { calls: [{ name: 'add', input: { a: 1, b: 2 } }] }, 'ok'],
        {
          registry,
        },
      )
      const { result } = await play(kit, actors)
      kit.equal(
        actors.model.requests.map(({ tools }) => tools.map(({ name }) => name)),
        [
          ['echo', 'learn'],
          ['echo', 'learn', 'add'],
          ['echo', 'learn', 'add'],
        ],
      )
      kit.equal([lastResults(result.messages)[0]?.text, registry.calls('add')], ['{"sum":3}', 1])
      kit.equal([registry.unregister('learn'), registry.list()], [true, ['echo', 'add']])
      kit.note('definitions', registry.definitions())
    },
  },
  {
    name: 'K5 Tools of an agent and of a registry compose, and a name given twice is refused',
    run: async (kit) => {
      const registry = toolRegistry({ env: { host: kit.host } }).register(echo)
      const actors = cast(kit, [{ calls: [say('hi'), { name: 'add', input: { a: 2, b: 2 } }] }, 'ok'], {
        registry,
        tools: [add],
      })
      const { result } = await play(kit, actors)
      kit.equal(
        actors.model.requests[0]?.tools.map(({ name }) => name),
        ['echo', 'add'],
      )
      kit.equal(
        lastResults(result.messages).map(({ text }) => text),
        ['hi', '{"sum":4}'],
      )
      kit.equal(registry.list(), ['echo'])
      const another = tool({ name: 'echo', description: 'Shouts.', execute: () => 'HI' })
      await kit.throws(() => registry.register(another), 'config-duplicate-tool')
      await kit.throws(() => cast(kit, [], { registry, tools: [another] }), 'config-duplicate-tool')
      registry.register(another, { override: true })
      kit.equal(await registry.call('echo'), { result: 'HI' })
    },
  },
]

/** Files beside the workspace, and a file in it that nobody may see. */
const files = { '/project/plan.md': 'Plan A', '/project/secret.key': 'k', '/outside.md': 'Not yours' }

const permissionScenarios: readonly Scenario[] = [
  {
    name: 'K7 The root and the protected paths of a policy hold for shipped tools and for tools of one’s own',
    run: async (kit) => {
      const fs = memoryFiles({ files, now: kit.host.now })
      const env = { host: kit.host, fs }
      const limits = policy({ workspaceRoot: '/project', protectedPaths: ['*.key'] })
      const own = tool({
        name: 'own',
        description: 'Reads by its own code.',
        input: jsonSchema<{ path: string }>({
          type: 'object',
          properties: { path: { type: 'string' } },
          required: ['path'],
        }),
        execute: ({ path }, ctx) => readText(ctx.fs, path),
      })
      const wanted = ['plan.md', '/project/plan.md', '../outside.md', '/outside.md', 'secret.key']
      const calls = [
        ...wanted.flatMap((path) => ['fs_read', 'own'].map((name) => ({ name, input: { path } }))),
        { name: 'fs_write', input: { path: '../outside.md', contents: 'Mine' } },
      ]
      const { result } = await play(
        kit,
        cast(kit, [{ calls }, 'ok'], {
          env,
          policy: limits,
          tools: [...builtinTools({ env, policy: limits }), own],
          approve: () => 'approve',
        }),
      )
      const answers = lastResults(result.messages)
      kit.equal(
        answers.map(({ ok }) => ok),
        calls.map((_, index) => index < 4),
      )
      for (const { text } of answers.slice(4)) kit.check(!/yours|^k$/.test(text), 'nothing from outside is shown')
      kit.equal(await readText(fs, '/outside.md'), 'Not yours')
    },
  },
  {
    name: 'K8 A call that is approved runs, and a denial reaches the model, with its reason where there is one',
    run: async (kit) => {
      const answers: readonly Answer[] = ['approve', 'deny', { decision: 'deny', reason: 'Too dear this month' }]
      const asked: number[] = []
      const approve = ({ input }: ApprovalRequest): Answer => {
        const { amount: value } = input as { amount: number }
        asked.push(value)
        return answers[value - 1] ?? 'defer'
      }
      const actors = cast(kit, [{ calls: [amount(1), amount(2), amount(3)] }, 'ok'], { tools: [pay(kit)], approve })
      const { result } = await play(kit, actors)
      kit.equal(asked, [1, 2, 3])
      kit.equal(
        kit.lines().filter((line) => line.startsWith('paid')),
        ['paid 1'],
      )
      const [paid, denied, explained] = lastResults(actors.model.requests[1]?.messages ?? [])
      kit.equal([paid?.text, denied?.reason, explained?.reason], ['paid 1', 'denied', 'denied'])
      kit.includes(explained?.text ?? '', 'Too dear this month')
      kit.check(!denied?.text.includes('Too dear'), 'a reason belongs to its own call')
      kit.equal(result.status, 'done')
    },
  },
  {
    name: 'K9 Hooks see the start and the end of each call that runs, failed ones too, and nothing of a denied one',
    run: async (kit) => {
      const seen: unknown[] = []
      const broken = tool({ name: 'broken', description: 'Fails.', execute: () => fail('no luck') })
      const hooks = {
        onToolStart: ({ name, input }: ObservedCall) => seen.push(['start', name, input]),
        onToolEnd: ({ name }: ObservedCall, { ok }: Outcome, ms: number) => seen.push(['end', name, ok, ms >= 0]),
      }
      const actors = cast(kit, [{ calls: [say('hi'), amount(9)] }, { calls: [{ name: 'broken' }] }, 'ok'], {
        tools: [echo, pay(kit), broken],
        approve: () => 'deny',
        hooks,
      })
      await play(kit, actors)
      kit.equal(seen, [
        ['start', 'echo', { text: 'hi' }],
        ['end', 'echo', true, true],
        ['start', 'broken', {}],
        ['end', 'broken', false, true],
      ])
    },
  },
]

export const kovaScenarios: readonly Scenario[] = [
  {
    name: 'K1 A tool of four parts written by hand is shown to the model, runs, and its result leads to the answer',
    run: async (kit) => {
      const parameters = {
        type: 'object',
        properties: { city: { type: 'string', description: 'Where' } },
        required: ['city'],
      }
      const weather: Tool = {
        name: 'weather',
        description: 'The weather in a city.',
        input: jsonSchema(parameters),
        execute: (input) => `sunny in ${(input as { city: string }).city}`,
      }
      const actors = cast(
        kit,
        [{ calls: [{ name: 'weather', input: { city: 'Rome' }, callId: 'w1' }] }, 'Take a hat'],
        {
          tools: [weather],
        },
      )
      const { result } = await play(kit, actors)
      const [first, second] = actors.model.requests
      const [shown] = first?.tools ?? []
      kit.equal(
        [shown?.name, shown?.description, shown?.inputSchema],
        ['weather', 'The weather in a city.', parameters],
      )
      const [call] = second?.messages.at(-2)?.content ?? []
      const [answer] = second?.messages.at(-1)?.content ?? []
      kit.equal([call?.type, answer?.type], ['tool-call', 'tool-result'])
      kit.equal(answer?.type === 'tool-result' && [answer.callId, answer.ok, answer.content], [
        'w1',
        true,
        [{ type: 'text', text: 'sunny in Rome' }],
      ])
      kit.equal([result.status, result.stop, result.text], ['done', 'end', 'Take a hat'])
    },
  },
  {
    name: 'K2 A failure within the band, returned or thrown, is read by the model and the run goes on',
    run: async (kit) => {
      const returns = tool({ name: 'returns', description: 'Fails.', execute: () => fail('The shop is closed') })
      const throws = tool({
        name: 'throws',
        description: 'Fails.',
        execute: () => {
          throw new Error('The shop has moved')
        },
      })
      const actors = cast(
        kit,
        [{ calls: [{ name: 'returns' }, { name: 'throws' }] }, { calls: [say('again')] }, 'ok'],
        {
          tools: [returns, throws, echo],
        },
      )
      const { result } = await play(kit, actors)
      kit.equal(lastResults(actors.model.requests[1]?.messages ?? []), [
        { ok: false, reason: 'failed', text: 'The shop is closed' },
        { ok: false, reason: 'failed', text: 'The shop has moved' },
      ])
      kit.equal([result.status, result.text, result.steps], ['done', 'ok', 3])
    },
  },
  {
    name: 'K3 A fatal error ends the run before another model call, and what was done is kept',
    run: async (kit) => {
      const lock = tool({
        name: 'lock',
        description: 'Ends it.',
        execute: () => {
          throw fatal('The account is locked')
        },
      })
      const actors = cast(kit, [{ calls: [say('done before')] }, { calls: [{ name: 'lock' }] }, 'never said'], {
        tools: [echo, lock],
      })
      const { result } = await play(kit, actors)
      kit.equal(
        [result.status, result.error?.code, result.error?.message, actors.model.requests.length],
        ['failed', 'tool-fatal', 'The account is locked', 2],
      )
      kit.includes(JSON.stringify(result.messages), 'done before')
      kit.equal(lastResults(result.messages), [{ ok: false, reason: 'failed', text: 'The account is locked' }])
      checkTranscript(kit, result.messages)
    },
  },
  ...registryScenarios,
  {
    name: 'K6 An unknown tool is a result the model recovers from, or where it is wanted an error',
    run: async (kit) => {
      const wrong = { calls: [{ name: 'ecko', input: { text: 'hi' } }] }
      const kind = cast(kit, [wrong, { calls: [say('hi')] }, 'ok'], { tools: [echo] })
      const { result } = await play(kit, kind)
      const [answer] = lastResults(kind.model.requests[1]?.messages ?? [])
      kit.equal([answer?.ok, answer?.reason], [false, 'not-found'])
      kit.includes(answer?.text ?? '', '"echo"')
      kit.equal([result.status, lastResults(result.messages)[0]?.text], ['done', 'hi'])
      const strict = cast(kit, [wrong, 'never said'], { tools: [echo], onUnknownTool: 'throw' })
      const ended = await play(kit, strict)
      kit.equal([ended.result.status, ended.result.error?.code], ['failed', 'tool-not-found'])
      checkTranscript(kit, ended.result.messages)
      await kit.throws(() => toolRegistry({ env: { host: kit.host } }).call('ecko'), 'tool-not-found')
    },
  },
  ...permissionScenarios,
]
