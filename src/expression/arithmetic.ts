// The grammar of arithmetic: numbers, + - * / % ^, signs and parentheses.
import { expect, failed, parseTerm } from './parser.ts'
import type { Grammar, Infix, Prefix, Term, Value } from './parser.ts'
import { invalid } from './token.ts'
import type { Token } from './token.ts'

/** How strongly operators bind. A sign binds stronger than `*` and weaker than `^`, so -2^2 is -4. */
export const power = {
  or: 1,
  and: 2,
  not: 3,
  comparison: 4,
  sum: 5,
  product: 6,
  sign: 7,
  exponent: 8,
  access: 9,
} as const

export function toNumber(value: Value, token: Token): number {
  if (typeof value === 'number') return value
  throw failed(token, `expected numbers, got ${value === null ? 'nothing' : `a value of type ${typeof value}`}`)
}

function compute(token: Token, left: number, right: number): number {
  if (right === 0 && (token.text === '/' || token.text === '%')) throw failed(token, 'expected a divisor other than 0')
  switch (token.text) {
    case '+':
      return left + right
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '%':
      return left % right
    default:
      return left ** right
  }
}

/** An operator on two numbers. Its result is always finite; anything else is `expression-failed`. */
export function apply(token: Token, left: Value, right: Value): number {
  const result = compute(token, toNumber(left, token), toNumber(right, token))
  if (!Number.isFinite(result)) throw failed(token, 'the result is no finite number')
  return result
}

const binary = (binds: number, rightPower: number = binds): Infix => ({
  power: binds,
  parse: (parser, left, token) => {
    const right = parseTerm(parser, rightPower)
    return (scope) => apply(token, left(scope), right(scope))
  },
})

const sign =
  (factor: number): Prefix =>
  (parser, token) => {
    const operand = parseTerm(parser, power.sign)
    return (scope) => factor * toNumber(operand(scope), token)
  }

const group: Prefix = (parser) => {
  const term = parseTerm(parser, 0)
  expect(parser, ')')
  return term
}

function operand(token: Token): Term | undefined {
  if (token.type !== 'number') return undefined
  const number = Number(token.text)
  if (!Number.isFinite(number)) throw invalid(token.position, 'a number below 1.8e308', token.text.slice(0, 40))
  return () => number
}

/** Made anew for each call: nothing is built when the module is only imported. */
export function arithmetic(): Grammar {
  return {
    operand,
    prefix: new Map([
      ['-', sign(-1)],
      ['+', sign(1)],
      ['(', group],
    ]),
    infix: new Map([
      ['+', binary(power.sum)],
      ['-', binary(power.sum)],
      ['*', binary(power.product)],
      ['/', binary(power.product)],
      ['%', binary(power.product)],
      // To the right: 2^3^2 is 2^9; and a sign may follow: 2^-1.
      ['^', binary(power.exponent, power.sign)],
    ]),
  }
}
