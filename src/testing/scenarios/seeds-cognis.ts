// What the second of the seeds promises, one scenario for each promise: authoring, validators, direct answers, lists.
import { builtinTools } from '../../builtin/builtin.ts'
import { toolRegistry } from '../../catalog/tool-registry.ts'
import type { Json } from '../../json/value.ts'
import { allowTools, denyTools } from '../../middleware/tool-lists.ts'
import type { Middleware } from '../../middleware/middleware.ts'
import { jsonSchema } from '../../schema/check.ts'
import type { JsonSchema, StandardSchema } from '../../schema/schema.ts'
import { tool } from '../../tool/define.ts'
import type { Tool } from '../../tool/tool.ts'
import { tool as valibotTool } from '../../tool/valibot-tool.ts'
import type { Kit, Scenario } from '../kit.ts'
import { add, amount, cast, echo, lastResults, pay, play } from './cast.ts'

const numbers = jsonSchema<{ n: number }>({
  type: 'object',
  properties: { n: { type: 'number', description: 'What to double' } },
  required: ['n'],
  additionalProperties: false,
})

/** The configuration of a tool is what its factory was given. */
const multiply = (by: number): Tool =>
  tool({ name: `times_${by}`, description: `Multiplies by ${by}.`, input: numbers, execute: ({ n }) => n * by })

const byHand: Tool = {
  name: 'by_hand',
  description: 'Doubles.',
  input: numbers,
  execute: (input) => (input as { n: number }).n * 2,
}

/** Each validator as the keyword it becomes, with a value that passes and values that do not. */
const validators: readonly (readonly [keyword: string, schema: JsonSchema, good: Json, ...bad: Json[]])[] = [
  ['minimum', { type: 'number', minimum: 2 }, 2, 1.9],
  ['maximum', { type: 'number', maximum: 5 }, 5, 5.1],
  ['exclusiveMinimum', { type: 'number', exclusiveMinimum: 2 }, 2.1, 2],
  ['multipleOf', { type: 'integer', multipleOf: 3 }, 9, 10],
  ['minLength', { type: 'string', minLength: 2 }, 'ab', 'a', ''],
  ['maxLength', { type: 'string', maxLength: 3 }, 'abc', 'abcd'],
  ['minItems', { type: 'array', minItems: 1 }, [0], []],
  ['maxItems', { type: 'array', maxItems: 2 }, [1, 2], [1, 2, 3]],
  ['pattern', { type: 'string', pattern: '^[a-z]+$' }, 'abc', 'Abc', 'a b'],
  ['enum', { type: 'string', enum: ['red', 'blue'] }, 'blue', 'green'],
  ['format', { type: 'string', format: 'email' }, 'ann@example.com', 'ann at example'],
  ['format', { type: 'string', format: 'date' }, '2026-02-28', '2026-02-30', 'today'],
  ['format', { type: 'string', format: 'uri' }, 'https://example.com/', 'example'],
]

const valueOf = (schema: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { value: schema },
  required: ['value'],
})

const listScenario = (kit: Kit, list: Middleware): Promise<void> => {
  const actors = cast(kit, [{ calls: [{ name: 'echo', input: { text: 'hi' } }, amount(5)] }, 'ok'], {
    tools: [echo, pay(kit, { approval: false })],
    middleware: [list],
  })
  return play(kit, actors).then(({ result }) => {
    kit.equal(
      actors.model.requests[0]?.tools.map(({ name }) => name),
      ['echo'],
      'Tools that are shown',
    )
    kit.equal(
      lastResults(result.messages).map(({ ok, reason }) => reason ?? ok),
      [true, 'denied'],
    )
    kit.equal(
      kit.lines().filter((line) => line.startsWith('paid')),
      [],
    )
  })
}

const directScenarios: readonly Scenario[] = [
  {
    name: 'C4 A return-direct result is the answer without another model turn, unless another call of the step is not',
    run: async (kit) => {
      const direct = tool({ name: 'direct', description: 'Answers.', returnDirect: true, execute: () => 'Straight' })
      const alone = cast(kit, [{ calls: [{ name: 'direct' }] }, 'never said'], { tools: [direct] })
      const { result } = await play(kit, alone)
      kit.equal(
        [result.status, result.stop, result.text, alone.model.requests.length],
        ['done', 'return-direct', 'Straight', 1],
      )
      const mixed = cast(kit, [{ calls: [{ name: 'direct' }, { name: 'echo', input: { text: 'hi' } }] }, 'Both'], {
        tools: [direct, echo],
      })
      const second = await play(kit, mixed)
      kit.equal([second.result.stop, second.result.text, mixed.model.requests.length], ['end', 'Both', 2])
    },
  },
  {
    name: 'C5 What goes wrong in a call is a tool message under the id of that call',
    run: async (kit) => {
      const broken = tool({
        name: 'broken',
        description: 'Fails.',
        execute: () => {
          throw new Error('The bridge is out')
        },
      })
      const calls = [
        { name: 'broken', callId: 'first' },
        { name: 'echo', input: { text: 'hi' }, callId: 'second' },
        { name: 'nowhere', callId: 'third' },
        { name: 'echo', input: { text: 5 }, callId: 'fourth' },
      ]
      const actors = cast(kit, [{ calls }, 'ok'], { tools: [broken, echo] })
      await play(kit, actors)
      const told = actors.model.requests[1]?.messages.at(-1)
      kit.equal(told?.role, 'tool')
      kit.equal(
        told?.content.map((part) => part.type === 'tool-result' && [part.callId, part.ok, part.reason]),
        [
          ['first', false, 'failed'],
          ['second', true, undefined],
          ['third', false, 'not-found'],
          ['fourth', false, 'invalid-input'],
        ],
      )
      kit.equal(lastResults(actors.model.requests[1]?.messages ?? [])[0]?.text, 'The bridge is out')
    },
  },
  {
    name: 'C6 Lists of allowed and denied tools hide a tool and refuse it all the same when it is called',
    run: async (kit) => {
      await listScenario(kit, allowTools(['echo']))
      await listScenario(kit, denyTools(['pay']))
      const registry = toolRegistry({ env: { host: kit.host } }).register([echo, add])
      const lock = tool({ name: 'lock', description: 'Locks.', execute: () => (registry.disable('add'), 'locked') })
      registry.register(lock)
      const call = { name: 'add', input: { a: 1, b: 1 } }
      const actors = cast(kit, [{ calls: [call] }, { calls: [{ name: 'lock' }] }, { calls: [call] }, 'ok'], {
        registry,
      })
      const { result } = await play(kit, actors)
      kit.equal(lastResults(result.messages)[0]?.reason, 'denied')
      kit.equal(
        actors.model.requests.at(-1)?.tools.map(({ name }) => name),
        ['echo', 'lock'],
      )
    },
  },
]

export const cognisScenarios: readonly Scenario[] = [
  {
    name: 'C1 A tool is authored in three ways, and its configuration is what a factory was given',
    run: async (kit) => {
      const double = tool({ name: 'double', description: 'Doubles.', input: numbers }, ({ n }: { n: number }) => n * 2)
      const repeat = valibotTool(
        { name: 'repeat', description: 'Repeats.', input: { text: 'ha', times: 2 } },
        ({ text, times }) => text.repeat(times),
      )
      const tools = [multiply(3), multiply(10), double, repeat, byHand] as readonly Tool[]
      const calls = tools.map(({ name }) => ({ name, input: name === 'repeat' ? { times: 3 } : { n: 4 } }))
      const { result } = await play(kit, cast(kit, [{ calls }, 'ok'], { tools }))
      kit.equal(
        lastResults(result.messages).map(({ text }) => text),
        ['12', '40', '8', 'hahaha', '8'],
      )
      kit.equal([double({ n: 5 }), repeat({ text: 'o', times: 2 })], [10, 'oo'])
    },
  },
  {
    name: 'C2 The schema a model is shown is the schema its input is checked by, descriptions included',
    run: async (kit) => {
      const fields = valibotTool(
        { name: 'fields', description: 'Takes fields.', coerce: 'strict', input: { city: '', days: 3, tags: [] } },
        () => 'ok',
      )
      const whole = tool(
        { name: 'whole', description: 'Takes a number.', coerce: 'strict', input: numbers },
        () => 'ok',
      )
      const empty = tool({ name: 'empty', description: 'Takes nothing.', execute: () => 'ok' })
      const registry = toolRegistry({ env: { host: kit.host } }).register([fields, whole, empty])
      const inputs: readonly Json[] = [
        {},
        { city: 'Rome' },
        { city: 5 },
        { city: 'Rome', days: 2, tags: ['a', 1] },
        { days: '2' },
        { tags: 'a' },
        { n: 1 },
        { n: '1' },
        { n: 1, more: true },
        { n: null },
      ]
      for (const { name, inputSchema } of registry.definitions().slice(0, 2)) {
        const shown = jsonSchema(inputSchema) as StandardSchema<unknown, unknown>
        const verdicts: boolean[] = []
        for (const input of inputs) {
          const told = await shown['~standard'].validate(input)
          const outcome = await registry.invoke(name, input)
          kit.equal(outcome.ok, told.issues === undefined, `"${name}" with ${JSON.stringify(input)}`)
          verdicts.push(outcome.ok)
        }
        kit.check(verdicts.includes(true) && verdicts.includes(false), 'some inputs fit and some do not')
      }
      const [, described, bare] = registry.definitions()
      kit.equal(described?.inputSchema['properties'], { n: { type: 'number', description: 'What to double' } })
      kit.equal(bare?.inputSchema, { type: 'object', properties: {}, additionalProperties: false })
      kit.note('definitions', registry.definitions())
    },
  },
  {
    name: 'C3 Each validator is a keyword that the model sees and a check that holds, for inputs and for outputs',
    run: async (kit) => {
      for (const [keyword, schema, good, ...bad] of validators) {
        const taking = tool({
          name: 'taking',
          description: 'Takes a value.',
          input: jsonSchema(valueOf(schema)),
          execute: () => 'took it',
        })
        const calls = [good, ...bad].map((value) => ({ name: 'taking', input: { value } }))
        const actors = cast(kit, [{ calls }, 'ok'], { tools: [taking] })
        const answers = lastResults((await play(kit, actors)).result.messages)
        const properties = actors.model.requests[0]?.tools[0]?.inputSchema['properties'] as { value: JsonSchema }
        kit.equal(properties.value[keyword], schema[keyword], `What the model is told of "${keyword}"`)
        kit.equal(
          answers.map(({ ok, reason }) => reason ?? ok),
          [true, ...bad.map(() => 'invalid-input')],
          `Inputs under "${keyword}"`,
        )
        for (const { text } of answers.slice(1)) kit.includes(text, 'value')
        const giving = tool({
          name: 'giving',
          description: 'Gives a value.',
          input: jsonSchema<{ value: unknown }>({ type: 'object' }),
          output: jsonSchema(valueOf(schema)),
          execute: (input) => input,
        })
        const registry = toolRegistry({ env: { host: kit.host } }).register(giving)
        kit.equal(await registry.call('giving', { value: good }), { value: good })
        for (const value of bad) await kit.throws(() => registry.call('giving', { value }), 'tool-invalid-output')
      }
    },
  },
  ...directScenarios,
  {
    name: 'C10 The calculator keeps the precedence of arithmetic and runs no code',
    run: async (kit) => {
      const registry = toolRegistry({ env: { host: kit.host } })
      registry.register(builtinTools({ env: { host: kit.host }, include: ['calculator'] }))
      const sums = {
        '2 + 3 * 4': 14,
        '(2 + 3) * 4': 20,
        '2 ^ 3 ^ 2': 512,
        '-2 ^ 2': -4,
        '7 % 4 - 1': 2,
        '8 / 4 / 2': 1,
      }
      for (const [expression, value] of Object.entries(sums))
        kit.equal(await registry.call('calculator', { expression }), { result: value }, expression)
      const hostile = [
        'constructor.constructor("return 1")()',
        'globalThis',
        'alert(1)',
        '[].constructor',
        '`1`',
        '1; 2',
        '1 / 0',
        '9 ^ 9 ^ 9',
        '',
      ]
      for (const expression of hostile)
        await kit.throws(() => registry.call('calculator', { expression }), 'tool-failed')
      kit.note('refusal', await registry.invoke('calculator', { expression: 'alert(1)' }))
    },
  },
]
