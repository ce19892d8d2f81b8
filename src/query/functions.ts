// The functions of JMESPath: what each takes, and what it does.
import { isObject, typeName } from '../json/value.ts'
import { isEqual, order } from './compare.ts'
import type { QueryNode } from './node.ts'
import { failed, keysOf, measured, spend, spendText } from './work.ts'
import type { Work } from './work.ts'

/** The value a call is about, and how expressions are run. */
export interface Scope {
  readonly value: unknown
  readonly evaluate: (work: Work, node: QueryNode, value: unknown) => unknown
}

interface Call extends Scope {
  readonly work: Work
}

/** `|` between types; `numbers` and `strings` are lists of one kind, `expression` is one with "&". */
type Parameter = string

interface QueryFunction {
  readonly takes: readonly Parameter[]
  /** The last parameter may come again. */
  readonly rest?: boolean
  readonly run: (args: readonly never[], call: Call) => unknown
}

type Text = string
type List = readonly unknown[]
type Key = number | string

const mostText = 2 ** 20

/** Text that a function makes, of a known length. */
function makes(work: Work, length: number): void {
  if (length > mostText) throw failed('limit', `a text in it would be longer than ${mostText} characters`)
  spendText(work, length)
}

const characters = (text: string): string[] => Array.from(text)

/** The expression run on each item; all must give numbers, or all texts. */
function sortKeys(list: List, node: QueryNode, { work, evaluate }: Call): Key[] {
  const keys = list.map((item) => evaluate(work, node, item))
  const type = typeof keys[0]
  const odd = keys.find((key) => typeof key !== type || (type !== 'number' && type !== 'string'))
  if (odd !== undefined)
    throw failed('invalid-type', `expected keys that are all numbers or all strings, got ${typeName(odd)}`)
  return keys as Key[]
}

const textIn = (keys: readonly Key[]): number =>
  keys.reduce<number>((sum, key) => sum + (typeof key === 'string' ? key.length : 0), 0)

function sorted(work: Work, list: List, keys: readonly Key[]): unknown[] {
  // By size, not by comparison: how many there are differs between engines.
  const rounds = Math.ceil(Math.log2(list.length + 2))
  spend(work, list.length * rounds)
  spendText(work, textIn(keys) * rounds)
  const places = keys.map((_, index) => index)
  return places.sort((left, right) => order(keys[left]!, keys[right]!)).map((index) => list[index])
}

/** The item whose key comes first; `sign` -1 for the one that comes last. */
function extreme(
  work: Work,
  list: List,
  { keys, sign }: { readonly keys: readonly Key[]; readonly sign: number },
): unknown {
  spend(work, list.length)
  spendText(work, 2 * textIn(keys))
  let best = 0
  for (let at = 1; at < keys.length; at += 1) if (order(keys[at]!, keys[best]!) * sign < 0) best = at
  return list[best] ?? null
}

function contains(work: Work, within: Text | List, wanted: unknown): boolean {
  if (typeof within !== 'string') return within.some((item) => isEqual(work, item, wanted))
  if (typeof wanted !== 'string') return false
  // A search may look at every pair of characters.
  spend(work, Math.ceil((within.length * (wanted.length + 1)) / 256))
  return within.includes(wanted)
}

function total(work: Work, list: readonly number[]): number {
  spend(work, list.length)
  return finite(list.reduce((sum, item) => sum + item, 0))
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw failed('invalid-value', 'a number in it is too large')
  return value
}

function toNumber({ work }: Call, value: unknown): number | null {
  if (typeof value === 'number') return value
  if (typeof value === 'string') spendText(work, value.length)
  if (typeof value !== 'string' || !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value)) return null
  return Number.isFinite(Number(value)) ? Number(value) : null
}

function toText({ work }: Call, value: unknown): string {
  if (typeof value === 'string') return value
  measured(work, value, mostText)
  return JSON.stringify(value)
}

function join({ work }: Call, glue: Text, list: readonly Text[]): string {
  makes(
    work,
    list.reduce((sum, item) => sum + item.length + glue.length, 0),
  )
  return list.join(glue)
}

function merge({ work }: Call, objects: readonly Record<string, unknown>[]): Record<string, unknown> {
  const merged = Object.create(null) as Record<string, unknown>
  for (const object of objects) for (const key of keysOf(work, object)) merged[key] = object[key]
  return merged
}

function reverse({ work }: Call, value: Text | List): unknown {
  spend(work, value.length)
  return typeof value === 'string' ? characters(value).reverse().join('') : [...value].reverse()
}

function length({ work }: Call, value: Text | List | object): number {
  if (typeof value !== 'string') return Array.isArray(value) ? value.length : keysOf(work, value).length
  spend(work, value.length)
  return characters(value).length
}

const one = (takes: Parameter, run: (value: never, call: Call) => unknown): QueryFunction => ({
  takes: [takes],
  run: ([value], call) => run(value as never, call),
})
const two = (
  takes: readonly [Parameter, Parameter],
  run: (left: never, right: never, call: Call) => unknown,
): QueryFunction => ({ takes, run: ([left, right], call) => run(left as never, right as never, call) })

const functions: ReadonlyMap<string, QueryFunction> = new Map([
  ['abs', one('number', (value: number) => Math.abs(value))],
  ['avg', one('numbers', (list: number[], { work }) => (list.length === 0 ? null : total(work, list) / list.length))],
  ['ceil', one('number', (value: number) => Math.ceil(value))],
  ['contains', two(['array|string', 'any'], (within: Text | List, wanted, { work }) => contains(work, within, wanted))],
  [
    'ends_with',
    two(['string', 'string'], (text: Text, end: Text, { work }) => {
      spendText(work, end.length)
      return text.endsWith(end)
    }),
  ],
  ['floor', one('number', (value: number) => Math.floor(value))],
  ['join', two(['string', 'strings'], (glue: Text, list: Text[], call) => join(call, glue, list))],
  ['keys', one('object', (value: object, { work }) => keysOf(work, value))],
  ['length', one('string|array|object', (value: Text, call) => length(call, value))],
  [
    'map',
    two(['expression', 'array'], (node: QueryNode, list: List, { work, evaluate }) =>
      list.map((item) => evaluate(work, node, item)),
    ),
  ],
  ['max', one('numbers|strings', (list: Key[], { work }) => extreme(work, list, { keys: list, sign: -1 }))],
  ['min', one('numbers|strings', (list: Key[], { work }) => extreme(work, list, { keys: list, sign: 1 }))],
  [
    'max_by',
    two(['array', 'expression'], (list: List, node: QueryNode, call) =>
      extreme(call.work, list, { keys: sortKeys(list, node, call), sign: -1 }),
    ),
  ],
  [
    'min_by',
    two(['array', 'expression'], (list: List, node: QueryNode, call) =>
      extreme(call.work, list, { keys: sortKeys(list, node, call), sign: 1 }),
    ),
  ],
  ['merge', { takes: ['object'], rest: true, run: (objects, call) => merge(call, objects) }],
  ['not_null', { takes: ['any'], rest: true, run: (values: List) => values.find((value) => value !== null) ?? null }],
  ['reverse', one('string|array', (value: Text, call) => reverse(call, value))],
  ['sort', one('numbers|strings', (list: Key[], { work }) => sorted(work, list, list))],
  [
    'sort_by',
    two(['array', 'expression'], (list: List, node: QueryNode, call) =>
      sorted(call.work, list, sortKeys(list, node, call)),
    ),
  ],
  [
    'starts_with',
    two(['string', 'string'], (text: Text, start: Text, { work }) => {
      spendText(work, start.length)
      return text.startsWith(start)
    }),
  ],
  ['sum', one('numbers', (list: number[], { work }) => total(work, list))],
  ['to_array', one('any', (value) => (Array.isArray(value) ? value : [value]))],
  ['to_number', one('any', (value, call) => toNumber(call, value))],
  ['to_string', one('any', (value, call) => toText(call, value))],
  ['type', one('any', (value) => typeName(value))],
  ['values', one('object', (value: Record<string, unknown>, { work }) => keysOf(work, value).map((key) => value[key]))],
])

/** What a function gives. Throws `expression-failed` for one that is unknown, and for arguments it does not take. */
export function callFunction(work: Work, name: string, nodes: readonly QueryNode[], scope: Scope): unknown {
  const found = functions.get(name)
  if (!found) throw failed('unknown-function', `there is no function "${name.slice(0, 40)}"`)
  const { takes, rest = false, run } = found
  const isEnough = rest ? nodes.length >= takes.length : nodes.length === takes.length
  if (!isEnough) {
    const wanted = `${rest ? 'at least ' : ''}${takes.length} ${takes.length === 1 ? 'argument' : 'arguments'}`
    throw failed('invalid-arity', `${name}() takes ${wanted}, got ${nodes.length}`)
  }
  const args = nodes.map((node, index) => {
    const parameter = takes[Math.min(index, takes.length - 1)] ?? 'any'
    if (parameter === 'expression') return reference(name, node)
    const value = scope.evaluate(work, node, scope.value)
    if (!parameter.split('|').some((type) => isOf(work, type, value)))
      throw failed('invalid-type', `${name}() takes ${parameter.replaceAll('|', ' or ')}, got ${typeName(value)}`)
    return value
  })
  return run(args as never[], { ...scope, work })
}

function reference(name: string, node: QueryNode): QueryNode {
  if (node.type === 'ExpressionReference') return node.children[0]!
  throw failed('invalid-type', `${name}() takes an expression with "&" in front`)
}

function isOf(work: Work, type: string, value: unknown): boolean {
  if (type === 'any') return true
  if (type === 'object') return isObject(value)
  if (type !== 'numbers' && type !== 'strings') return typeName(value) === type
  if (!Array.isArray(value)) return false
  spend(work, value.length)
  return value.every((item) => typeof item === type.slice(0, -1))
}
