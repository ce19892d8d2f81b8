// Conditions and look-ups for workflows: arithmetic, and comparison, logic, strings, lists and names from a scope.
import { apply, arithmetic, power, toNumber } from './arithmetic.ts'
import { expect, failed, isNext, parse, parseTerm, peek } from './parser.ts'
import type { Grammar, Infix, Prefix, Term, Value } from './parser.ts'
import { invalid } from './token.ts'
import type { Token } from './token.ts'

/**
 * An expression of at most 4,000 characters as a function of its scope: arithmetic, `== != < <= > >=`, `and or not`,
 * `in` and `not in`, strings, lists, `true false null`, and names looked up in the scope, dotted or indexed. Only own
 * properties are found (also `length` of strings and lists); what is not there is null. False are `false`, null, 0, ""
 * and []. `and` and `or` give the operand that decided. There are no calls. Throws `expression-invalid` at once; the
 * function throws `expression-failed`. Both have `data.position`, counted from 1.
 *
 * `missing` decides what a look-up gives that finds nothing, instead of null; it may throw.
 */
export function compile(text: string, missing: Missing = () => null): (scope: Value) => Value {
  return parse(text, conditions(missing))
}

/** Told of the key and of what was searched for it. */
export type Missing = (key: Value, searched: Value) => Value

/**
 * What `compile` makes, with the names that it looks up in its scope, each once: of `fetch.status == limit` they are
 * `fetch` and `limit`. Throws as `compile` does.
 */
export function compileNamed(text: string): NamedExpression {
  const grammar = conditions(() => null)
  const names = new Set<string>()
  const operand: Grammar['operand'] = (token) => {
    if (token.type === 'name' && !constants.has(token.text)) names.add(token.text)
    return grammar.operand(token)
  }
  return { compute: parse(text, { ...grammar, operand }), names: [...names] }
}

export interface NamedExpression {
  readonly compute: (scope: Value) => Value
  readonly names: readonly string[]
}

/** Whether a condition counts as true. */
export function isTruthy(value: Value): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value)
}

function find(value: Value, key: Value): Value | undefined {
  if (value === null || (typeof key !== 'string' && typeof key !== 'number')) return undefined
  return Object.hasOwn(value as object, key) ? (value as { readonly [key: string]: Value | undefined })[key] : undefined
}

function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const keys = Object.keys(left)
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && isEqual(find(left, key) ?? null, find(right, key) ?? null))
  )
}

function isIn(needle: Value, hay: Value, token: Token): boolean {
  if (Array.isArray(hay)) return hay.some((item: Value) => isEqual(item, needle))
  if (typeof needle !== 'string') throw failed(token, 'expected a list on the right, or a string on the left')
  if (typeof hay === 'string') return hay.includes(needle)
  return typeof hay === 'object' && hay !== null && Object.hasOwn(hay, needle)
}

function order(left: Value, right: Value, token: Token): number {
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : Number(left > right)
  return toNumber(left, token) - toNumber(right, token)
}

const comparison = (test: (left: Value, right: Value, token: Token) => boolean): Infix => ({
  power: power.comparison,
  parse: (parser, left, token) => {
    const right = parseTerm(parser, power.comparison)
    return (scope) => test(left(scope), right(scope), token)
  },
})

const logic = (binds: number, stopsAt: boolean): Infix => ({
  power: binds,
  parse: (parser, left) => {
    const right = parseTerm(parser, binds)
    return (scope) => {
      const value = left(scope)
      return isTruthy(value) === stopsAt ? value : right(scope)
    }
  },
})

const not: Prefix = (parser) => {
  const operand = parseTerm(parser, power.not)
  return (scope) => !isTruthy(operand(scope))
}

const notIn: Infix = {
  power: power.comparison,
  parse: (parser, left, token) => {
    expect(parser, 'in')
    const right = parseTerm(parser, power.comparison)
    return (scope) => !isIn(left(scope), right(scope), token)
  },
}

type Find = (value: Value, key: Value) => Value

const dot = (find: Find): Infix => ({
  power: power.access,
  parse: (parser, left) => {
    const name = peek(parser)
    if (name.type !== 'name') throw invalid(name.position, 'a name after "."', JSON.stringify(name.text))
    parser.index++
    return (scope) => find(left(scope), name.text)
  },
})

const index = (find: Find): Infix => ({
  power: power.access,
  parse: (parser, left) => {
    const key = parseTerm(parser, 0)
    expect(parser, ']')
    return (scope) => find(left(scope), key(scope))
  },
})

const list: Prefix = (parser) => {
  const items: Term[] = []
  while (!isNext(parser, ']')) {
    items.push(parseTerm(parser, 0))
    if (!isNext(parser, ']')) expect(parser, ',')
  }
  expect(parser, ']')
  return (scope) => items.map((item) => item(scope))
}

/** `+` also joins two strings. */
const plus: Infix = {
  power: power.sum,
  parse: (parser, left, token) => {
    const right = parseTerm(parser, power.sum)
    return (scope) => {
      const first = left(scope)
      const second = right(scope)
      return typeof first === 'string' && typeof second === 'string' ? first + second : apply(token, first, second)
    }
  },
}

const escapes: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
])

const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** What a string token stands for. */
export function unquote({ text }: Token): string {
  return text.slice(1, -1).replace(/\\(.)/g, (_, letter: string) => escapes.get(letter) ?? letter)
}

function operand(token: Token, find: Find): Term | undefined {
  if (token.type === 'string') {
    const text = unquote(token)
    return () => text
  }
  if (token.type !== 'name') return undefined
  const constant = constants.get(token.text)
  return constant === undefined ? (scope) => find(scope, token.text) : () => constant
}

function conditions(missing: Missing): Grammar {
  const { operand: number, prefix, infix } = arithmetic()
  const lookUp: Find = (value, key) => {
    const found = find(value, key)
    return found === undefined ? missing(key, value) : found
  }
  return {
    operand: (token) => number(token) ?? operand(token, lookUp),
    prefix: new Map([...prefix, ['not', not], ['[', list]]),
    infix: new Map<string, Infix>([
      ...infix,
      ['+', plus],
      ['==', comparison(isEqual)],
      ['!=', comparison((left, right) => !isEqual(left, right))],
      ['<', comparison((left, right, token) => order(left, right, token) < 0)],
      ['<=', comparison((left, right, token) => order(left, right, token) <= 0)],
      ['>', comparison((left, right, token) => order(left, right, token) > 0)],
      ['>=', comparison((left, right, token) => order(left, right, token) >= 0)],
      ['in', comparison(isIn)],
      ['not', notIn],
      ['and', logic(power.and, false)],
      ['or', logic(power.or, true)],
      ['.', dot(lookUp)],
      ['[', index(lookUp)],
    ]),
  }
}
