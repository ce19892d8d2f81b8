// Random tools: what they take, how they behave, and a second look at every call that reaches one.
import { isObject } from '../../json/value.ts'
import type { Json } from '../../json/value.ts'
import { jsonSchema } from '../../schema/check.ts'
import type { StandardSchema } from '../../schema/schema.ts'
import type { ToolContext } from '../../tool/context.ts'
import { fatal } from '../../tool/fatal.ts'
import { fail, ok } from '../../tool/tool.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Kit } from '../kit.ts'
import type { Random } from './prng.ts'
import { coercible, fits, fitting, misfitting, randomFields, randomShape, schemaOf } from './shape.ts'
import type { Shape } from './shape.ts'

/** What is seen from inside the tools. */
export interface CallLog {
  /** How often each call ran, by run and call id. */
  readonly ran: Map<string, number>
  /** Tools of which somebody approved a call. */
  readonly approved: Set<string>
  /** What should not have happened. */
  readonly faults: string[]
}

export interface RandomTool {
  readonly tool: Tool
  readonly shape: Shape | undefined
}

export interface Surroundings {
  readonly kit: Kit
  readonly random: Random
  readonly record: CallLog
}

interface Making extends Surroundings {
  readonly shape: Shape | undefined
  readonly output: Shape | undefined
  /** What the tool gives, where it gives what it should. */
  readonly value: Json
  readonly ms: number
}

type Behaviour = (making: Making) => (input: unknown, context: ToolContext) => unknown

/** Words of an engine, which no event and no result may carry. */
export const engineWords = 'undefined is not a function'

const behaviours = {
  value:
    ({ value }) =>
    () =>
      value,
  promise:
    ({ value }) =>
    async () =>
      value,
  coercible:
    ({ random, output, value }) =>
    () =>
      output ? coercible(random, output) : value,
  misfit:
    ({ random, output }) =>
    () =>
      output ? misfitting(random, output) : undefined,
  throws: () => () => {
    throw new Error('It broke')
  },
  rejects: () => async () => Promise.reject(new TypeError(engineWords)),
  fails: () => () => fail('It does not work', { details: { why: 'no reason' } }),
  fatal: () => () => {
    throw fatal('The end')
  },
  slow:
    ({ kit, value, ms }) =>
    async (_, { signal }) => {
      await kit.sleep(ms, signal)
      return value
    },
  deaf:
    ({ kit, value, ms }) =>
    async () => {
      await kit.sleep(ms)
      return value
    },
  deafAndBroken:
    ({ kit, ms }) =>
    async () => {
      await kit.sleep(ms)
      throw new Error('It broke late')
    },
  parts:
    ({ value }) =>
    () => [
      { type: 'text', text: 'Look:' },
      { type: 'json', value },
      { type: 'file', mediaType: 'text/plain', data: 'aGk=' },
    ],
  details:
    ({ value }) =>
    () =>
      ok(value, { details: { more: 1 } }),
  generator: ({ kit, value, ms }) =>
    async function* (_, context) {
      context.progress('begun')
      for (const done of [1, 2]) {
        await kit.sleep(ms / 2)
        yield done
      }
      return value
    },
  noJson:
    ({ random }) =>
    () =>
      random.pick<unknown>([1n, () => 1, Symbol('x'), { deep: [2n] }]),
  caller:
    ({ random, shape }) =>
    async (_, context) =>
      context.call(random.pick(['tool_0', 'tool_1', 'fn://tool_2', 'nobody']), shape ? fitting(random, shape) : {}),
} satisfies { readonly [name: string]: Behaviour }

const common = { value: 6, promise: 4, coercible: 3, misfit: 1, throws: 2, rejects: 2, fails: 2, fatal: 1, parts: 1 }
const slow = { slow: 3, deaf: 3, deafAndBroken: 1, generator: 2, details: 1, noJson: 1, caller: 2 }

const schema = (shape: Shape | undefined): StandardSchema | undefined => shape && jsonSchema(schemaOf(shape))

export function randomTool(name: string, around: Surroundings): RandomTool {
  const { random, record } = around
  const shape = random.weighted({ fields: 5, other: 1, none: 1 })
  const input = { fields: () => randomFields(random), other: () => randomShape(random), none: () => undefined }[shape]()
  const output = random.chance(0.5) ? randomShape(random) : undefined
  const making: Making = {
    ...around,
    random: random.fork(),
    shape: input,
    output,
    value: output ? fitting(random, output) : random.pick<Json>(['text', 5, null, { a: [1] }]),
    ms: random.int(1, 60),
  }
  const approval = random.weighted({ none: 5, always: 2, says: 1, late: 1, breaks: 1 })
  const isClient = random.chance(0.08)
  const act = behaviours[random.weighted({ ...common, ...slow })](making)
  const look = (value: unknown, context: ToolContext): void => {
    const id = `${context.run.id} ${name} ${context.callId}`
    record.ran.set(id, (record.ran.get(id) ?? 0) + 1)
    if (input && !fits(input, value)) record.faults.push(`${id} ran on ${JSON.stringify(value)}`)
    if (approval !== 'none' && !record.approved.has(name)) record.faults.push(`${id} ran and nobody approved`)
  }
  const tool = {
    name,
    description: `Is the tool ${name}.`,
    input: schema(input),
    output: schema(output),
    effect: random.pick(['read', 'idempotent', 'unsafe', undefined] as const),
    mode: random.chance(0.15) ? ('exclusive' as const) : undefined,
    timeoutMs: random.chance(0.5) ? 30 : undefined,
    coerce: random.pick(['strict', 'loose', undefined, undefined] as const),
    returnDirect: random.chance(0.1),
    repeatable: random.chance(0.3),
    approval: approvals[approval],
    ...(isClient
      ? {}
      : {
          execute: (value: unknown, context: ToolContext): unknown => {
            look(value, context)
            return act(value, context)
          },
        }),
  }
  return { tool: tool as Tool, shape: input }
}

const approvals = {
  none: false,
  always: true,
  says: () => 'It costs money',
  late: async () => true,
  breaks: () => {
    throw new Error('Nobody knows')
  },
}

/** Arguments as the model's text, and whether they are those of a call that may run. */
export interface Arguments {
  readonly text: string
  readonly kind: 'fitting' | 'coercible' | 'misfit' | 'broken'
}

export function randomArguments({ shape }: RandomTool, random: Random): Arguments {
  const kind = random.weighted({ fitting: 6, coercible: 3, misfit: 2, broken: 1 })
  if (kind === 'broken')
    return { kind, text: random.pick(['{"id":', '{', '[]', 'null', '"{}"', '{"a":1}}', 'nonsense']) }
  if (!shape) return { kind: 'fitting', text: random.pick(['', '{}', '{"surplus":1}']) }
  const make = { fitting, coercible, misfit: misfitting }[kind]
  const isWrapped = shape.kind !== 'fields'
  let value = make(random, shape)
  // Arguments are an object; as a text of JSON they would be broken.
  while (kind === 'coercible' && !isWrapped && !isObject(value)) value = make(random, shape)
  return { kind, text: JSON.stringify(isWrapped ? { input: value } : value) }
}
