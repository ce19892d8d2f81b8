// A Pratt parser that turns an expression into a function, by a grammar that says which operators there are.
import { SameloopError } from '../error/error.ts'
import { invalid, tokenize } from './token.ts'
import type { Token } from './token.ts'

/** JSON; the same type as `message/` has, which lies above this module. */
export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value | undefined }

/** A part of an expression, ready to run. */
export type Term = (scope: Value) => Value

export type Prefix = (parser: Parser, token: Token) => Term

/** `power` is how strongly the operator binds what stands to its left. */
export interface Infix {
  readonly power: number
  readonly parse: (parser: Parser, left: Term, token: Token) => Term
}

export interface Grammar {
  /** A number, string or name on its own. */
  readonly operand: (token: Token) => Term | undefined
  readonly prefix: ReadonlyMap<string, Prefix>
  readonly infix: ReadonlyMap<string, Infix>
}

export interface Parser {
  readonly grammar: Grammar
  readonly tokens: readonly Token[]
  index: number
  depth: number
}

/** Levels of parentheses, lists and prefixes. */
const deepest = 64

export const peek = (parser: Parser): Token => parser.tokens[parser.index] as Token

// A quoted "and" is no operator.
const isSymbol = (token: Token): boolean => token.type === 'operator' || token.type === 'name'

export function isNext(parser: Parser, text: string): boolean {
  const token = peek(parser)
  return token.text === text && isSymbol(token)
}

export function expect(parser: Parser, text: string): void {
  const token = peek(parser)
  if (!isNext(parser, text)) throw invalid(token.position, `"${text}"`, show(token))
  parser.index++
}

/** Reads a term whose operators bind stronger than `power`. */
export function parseTerm(parser: Parser, power: number): Term {
  const { grammar } = parser
  const token = peek(parser)
  if (++parser.depth > deepest) throw invalid(token.position, `at most ${deepest} levels of nesting`, 'more')
  parser.index++
  const prefix = isSymbol(token) ? grammar.prefix.get(token.text) : undefined
  let left = prefix ? prefix(parser, token) : grammar.operand(token)
  if (!left) throw invalid(token.position, 'a value', show(token))
  for (;;) {
    const next = peek(parser)
    const infix = isSymbol(next) ? grammar.infix.get(next.text) : undefined
    if (!infix || infix.power <= power) break
    parser.index++
    left = infix.parse(parser, left, next)
  }
  parser.depth--
  return left
}

/** The whole text as one function. Throws `expression-invalid` with `data.position`, which counts from 1. */
export function parse(text: string, grammar: Grammar): Term {
  const parser: Parser = { grammar, tokens: tokenize(text), index: 0, depth: 0 }
  const term = parseTerm(parser, 0)
  const rest = peek(parser)
  if (rest.type !== 'end') throw invalid(rest.position, 'an operator or the end', show(rest))
  return term
}

/** Names what came; the end names itself. */
function show(token: Token): string {
  return token.type === 'end' ? token.text : JSON.stringify(token.text.slice(0, 40))
}

export function failed(token: Token, why: string): SameloopError {
  return new SameloopError(
    'expression-failed',
    `Cannot compute "${token.text}" at position ${token.position}: ${why}`,
    {
      data: { position: token.position },
    },
  )
}
