// Guarantees about single calls: what a model may get wrong, and what it reads then.
import type { Outcome } from '../../message/part.ts'
import { toolRegistry } from '../../catalog/tool-registry.ts'
import { jsonSchema } from '../../schema/check.ts'
import { tool } from '../../tool/define.ts'
import { fatal } from '../../tool/fatal.ts'
import type { Rule } from '../../tool/rule.ts'
import { fail, ok } from '../../tool/tool.ts'
import type { Scenario } from '../kit.ts'
import { add, cast, checkTranscript, echo, hasLoneSurrogate, lastResults, play } from './cast.ts'

const objectMembers = [
  'constructor',
  'toString',
  'valueOf',
  '__proto__',
  'hasOwnProperty',
  'functions.echo',
  'Echo',
  ' echo',
  '',
]

export const callScenarios: readonly Scenario[] = [
  {
    name: 'an unknown tool is answered with the nearest names and the run goes on',
    run: async (kit) => {
      const { result } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'ecko', input: { text: 'x' } }] }, 'sorry'], { tools: [echo, add] }),
      )
      const [answer] = lastResults(result.messages)
      kit.equal(answer?.reason, 'not-found')
      kit.includes(answer?.text ?? '', '"echo"')
      kit.equal([result.status, result.text], ['done', 'sorry'])
    },
  },
  {
    name: 'names of Object.prototype members and near misses are unknown tools',
    run: async (kit) => {
      const calls = objectMembers.map((name) => ({ name, input: { text: 'x' } }))
      const { result } = await play(kit, cast(kit, [{ calls }, 'ok'], { tools: [echo] }))
      kit.equal(
        lastResults(result.messages).map(({ reason }) => reason),
        objectMembers.map(() => 'not-found'),
      )
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'with onUnknownTool throw the run fails with tool-not-found and keeps the transcript valid',
    run: async (kit) => {
      const { result } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'nope' }] }], { tools: [echo], onUnknownTool: 'throw' }),
      )
      kit.equal([result.status, result.error?.code], ['failed', 'tool-not-found'])
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'a registry called by code throws for an unknown tool, bad input and a failing tool',
    run: async (kit) => {
      const broken = tool({ name: 'broken', description: 'Fails.', execute: () => fail('no luck') })
      const registry = toolRegistry({ env: { host: kit.host } }).register([echo, add, broken])
      await kit.throws(() => registry.call('nope'), 'tool-not-found')
      await kit.throws(() => registry.call('fn://echo', { text: 5 }), 'tool-invalid-input')
      await kit.throws(() => registry.call('broken'), 'tool-failed')
      kit.equal(await registry.call('fn://add', { a: '1', b: 2 }), { sum: 3 })
      kit.equal(await registry.call('echo', { text: 'hi' }), { result: 'hi' })
      kit.note('outcome', await registry.invoke('nope'))
    },
  },
  {
    name: 'malformed and truncated arguments never run the tool and are quoted back',
    run: async (kit) => {
      let ran = 0
      const write = tool({ name: 'write', description: 'Writes.', execute: () => void ran++ })
      const turns = [
        {
          calls: [
            { name: 'write', raw: '{"path":"/a","text":"lo' },
            { name: 'write', raw: '[1]' },
            { name: 'write', raw: '"x"' },
          ],
        },
        'ok',
      ]
      const { result, events } = await play(kit, cast(kit, turns, { tools: [write] }))
      kit.equal(ran, 0)
      for (const answer of lastResults(result.messages)) kit.equal(answer.reason, 'invalid-input')
      kit.includes(lastResults(result.messages)[0]?.text ?? '', '{"path":"/a"')
      kit.check(
        events.some((event) => event.type === 'tool-call' && event.malformed === true),
        'a call marked as malformed',
      )
    },
  },
  {
    name: 'arguments cut by the output limit say so',
    run: async (kit) => {
      const turn = [{ calls: [{ name: 'echo', raw: '{"text":"lo' }] }, { finish: 'length' as const }]
      const { result } = await play(kit, cast(kit, [turn, 'ok'], { tools: [echo] }))
      kit.includes(lastResults(result.messages)[0]?.text ?? '', 'output limit')
    },
  },
  {
    name: 'empty argument text counts as an empty object and is validated',
    run: async (kit) => {
      const now = tool({ name: 'now', description: 'Says when.', effect: 'read', execute: () => 'noon' })
      const { result } = await play(
        kit,
        cast(
          kit,
          [
            {
              calls: [
                { name: 'now', raw: '' },
                { name: 'echo', raw: '' },
              ],
            },
            'ok',
          ],
          { tools: [now, echo] },
        ),
      )
      const answers = lastResults(result.messages)
      kit.equal(answers[0]?.text, 'noon')
      kit.equal(answers[1]?.reason, 'invalid-input')
    },
  },
  {
    name: 'a number given as text is coerced and reported',
    run: async (kit) => {
      const { result, events } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'add', input: { a: '1', b: ' 2.0 ' } }] }, 'ok'], { tools: [add] }),
      )
      kit.equal(lastResults(result.messages)[0]?.text, '{"sum":3}')
      const call = events.find((event) => event.type === 'tool-call')
      kit.equal(call?.type === 'tool-call' ? call.coercions?.length : undefined, 2)
      kit.equal(call?.type === 'tool-call' ? call.input : undefined, { a: 1, b: 2 })
    },
  },
  {
    name: 'prototype keys in arguments are dropped and reported, and pollute nothing',
    run: async (kit) => {
      const seen: unknown[] = []
      const look = tool({
        name: 'look',
        description: 'Looks.',
        input: jsonSchema<object>({ type: 'object' }),
        effect: 'read',
        execute: (input) => (seen.push(input), 'ok'),
      })
      const raws = [
        '{"__proto__":{"isAdmin":true},"path":"/a"}',
        '{"constructor":{"prototype":{"x":1}}}',
        '{"a":{"__proto__":{"y":1}}}',
      ]
      const { events } = await play(
        kit,
        cast(kit, [{ calls: raws.map((raw) => ({ name: 'look', raw })) }, 'ok'], { tools: [look] }),
      )
      const clean = {} as Record<string, unknown>
      kit.equal([clean['isAdmin'], clean['x'], clean['y']], [undefined, undefined, undefined])
      kit.equal(seen.length, 3)
      const dropped = events.flatMap((event) =>
        event.type === 'warning' && event.code === 'keys-dropped' ? [event.data] : [],
      )
      kit.equal(dropped.length, 2, 'Reports of dropped keys')
      kit.check(!Object.hasOwn(seen[0] as object, '__proto__'), 'no own __proto__ key')
    },
  },
  {
    name: 'a tool result with a __proto__ key reaches the model unchanged',
    run: async (kit) => {
      const rows = JSON.parse('{"rows":[{"__proto__":"x","name":"a"}]}') as object
      const list = tool({ name: 'list', description: 'Lists.', effect: 'read', execute: () => rows })
      const { result } = await play(kit, cast(kit, [{ calls: [{ name: 'list' }] }, 'ok'], { tools: [list] }))
      kit.equal(lastResults(result.messages)[0]?.text, '{"rows":[{"__proto__":"x","name":"a"}]}')
    },
  },
  {
    name: 'what a tool throws reaches the model in the words of its author and never in those of the engine',
    run: async (kit) => {
      const own = tool({
        name: 'own',
        description: 'Throws.',
        execute: () => {
          throw new Error('The city is unknown')
        },
      })
      const engine = tool({
        name: 'engine',
        description: 'Throws.',
        execute: () => (undefined as unknown as { x: string }).x,
      })
      const parse = tool({ name: 'parse', description: 'Throws.', execute: async () => JSON.parse('{') as object })
      const odd = tool({
        name: 'odd',
        description: 'Throws.',
        execute: () => {
          throw 'just text'
        },
      })
      const calls = ['own', 'engine', 'parse', 'odd'].map((name) => ({ name }))
      const { result } = await play(kit, cast(kit, [{ calls }, 'ok'], { tools: [own, engine, parse, odd] }))
      kit.equal(
        lastResults(result.messages).map(({ reason, text }) => [reason, text]),
        [
          ['failed', 'The city is unknown'],
          ['failed', 'TypeError'],
          ['failed', 'SyntaxError'],
          ['failed', 'just text'],
        ],
      )
    },
  },
  {
    name: 'ok and fail give content for the model and details for people only',
    run: async (kit) => {
      const good = tool({
        name: 'good',
        description: 'Good.',
        execute: () => ok('short', { details: { long: 'story' } }),
      })
      const bad = tool({
        name: 'bad',
        description: 'Bad.',
        execute: async () => fail('no such page', { details: { status: 404 } }),
      })
      const { result, events } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'good' }, { name: 'bad' }] }, 'ok'], { tools: [good, bad] }),
      )
      kit.equal(
        lastResults(result.messages).map(({ text }) => text),
        ['short', 'no such page'],
      )
      const ends = events.flatMap((event) => (event.type === 'tool-end' ? [event.outcome.details] : []))
      kit.equal(ends, [{ long: 'story' }, { status: 404 }])
      kit.check(!JSON.stringify(result.messages).includes('story'), 'details stay out of the messages')
    },
  },
  {
    name: 'an output that breaks its schema is invalid-output and never passed on',
    run: async (kit) => {
      const schema = jsonSchema<{ sum: number }>({
        type: 'object',
        properties: { sum: { type: 'number' } },
        required: ['sum'],
      })
      const wrong = tool({
        name: 'wrong',
        description: 'Wrong.',
        output: schema,
        effect: 'read',
        execute: () => ({ sum: 'many' }) as unknown as { sum: number },
      })
      const near = tool({
        name: 'near',
        description: 'Near.',
        output: schema,
        effect: 'read',
        execute: () => ({ sum: '3' }) as unknown as { sum: number },
      })
      const cycle = tool({
        name: 'cycle',
        description: 'Cycle.',
        effect: 'read',
        execute: () => {
          const one: { self?: object } = {}
          one.self = one
          return one
        },
      })
      const { result } = await play(
        kit,
        cast(kit, [{ calls: [{ name: 'wrong' }, { name: 'near' }, { name: 'cycle' }] }, 'ok'], {
          tools: [wrong, near, cycle],
        }),
      )
      kit.equal(
        lastResults(result.messages).map(({ reason }) => reason),
        ['invalid-output', undefined, 'invalid-output'],
      )
    },
  },
  {
    name: 'a long result keeps head and tail and never half a character',
    run: async (kit) => {
      const long = tool({
        name: 'long',
        description: 'Long.',
        effect: 'read',
        maxOutputChars: 11,
        execute: () => 'aaaa😀bbbbbbbbbbbbbb😀cccc',
      })
      const { result } = await play(kit, cast(kit, [{ calls: [{ name: 'long' }] }, 'ok'], { tools: [long] }))
      const text = lastResults(result.messages)[0]?.text ?? ''
      kit.includes(text, 'left out')
      kit.check(!hasLoneSurrogate(text), 'no lone surrogate')
    },
  },
  {
    name: 'a fatal tool ends the run: running calls finish, calls not started are answered aborted',
    run: async (kit) => {
      const slow = tool({
        name: 'slow',
        description: 'Slow.',
        effect: 'read',
        execute: async () => {
          await kit.sleep(50)
          return 'slow done'
        },
      })
      const stop = tool({
        name: 'stop',
        description: 'Stops.',
        execute: async () => {
          await kit.sleep(10)
          throw fatal('The account is locked')
        },
      })
      const late = tool({ name: 'late', description: 'Late.', mode: 'exclusive', execute: () => 'never' })
      const calls = [{ name: 'slow' }, { name: 'stop' }, { name: 'late' }]
      const { result } = await play(kit, cast(kit, [{ calls }], { tools: [slow, stop, late] }))
      kit.equal(
        [result.status, result.error?.code, result.error?.message],
        ['failed', 'tool-fatal', 'The account is locked'],
      )
      kit.equal(
        lastResults(result.messages).map(({ ok: good, reason }) => reason ?? good),
        [true, 'failed', 'aborted'],
      )
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'a rule that throws, or gives a promise in the place of a verdict, denies',
    run: async (kit) => {
      const late = (async () => ({ action: 'allow' })) as unknown as Rule
      const broken: Rule = () => {
        throw new Error('no')
      }
      for (const rule of [late, broken]) {
        const actors = cast(kit, [{ calls: [{ name: 'echo', input: { text: 'x' } }] }, 'ok'], {
          tools: [echo],
          middleware: [{ name: 'rules', rules: [rule] }],
        })
        const { result } = await play(kit, actors)
        kit.equal(lastResults(result.messages)[0]?.reason, 'denied')
      }
    },
  },
  {
    name: 'middleware that gives no outcome fails its call and nothing else',
    run: async (kit) => {
      const odd = { name: 'odd', tool: async () => undefined as unknown as Outcome }
      const actors = cast(kit, [{ calls: [{ name: 'echo', input: { text: 'x' } }] }, 'ok'], {
        tools: [echo],
        middleware: [odd],
      })
      const { result } = await play(kit, actors)
      kit.equal([result.status, lastResults(result.messages)[0]?.reason], ['done', 'failed'])
      checkTranscript(kit, result.messages)
    },
  },
  {
    name: 'a generator shows progress and gives its return value',
    run: async (kit) => {
      const load = tool({
        name: 'load',
        description: 'Loads.',
        effect: 'read',
        async *execute() {
          yield { percent: 10 }
          await kit.sleep(5)
          yield { percent: 90 }
          return 'loaded'
        },
      })
      const { result, events } = await play(kit, cast(kit, [{ calls: [{ name: 'load' }] }, 'ok'], { tools: [load] }))
      kit.equal(lastResults(result.messages)[0]?.text, 'loaded')
      kit.equal(events.filter(({ type }) => type === 'tool-progress').length, 2)
    },
  },
]
