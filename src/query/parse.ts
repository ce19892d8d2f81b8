// JMESPath text to a tree: the package reads it, and what it lets pass or does not place is told here.
import * as jmespath from 'jmespath'
import { SameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import type { KeyValue, QueryNode } from './node.ts'

interface Token {
  readonly type: string
  readonly start: number
}

/** What the package exports beside `search`; its types do not say so. */
const { compile, tokenize } = jmespath as unknown as {
  readonly compile: (text: string) => QueryNode
  /** A lone "=" is an undefined token. */
  readonly tokenize: (text: string) => readonly (Token | undefined)[]
}

const longest = 4_000
const deepest = 200

/**
 * The tree of an expression. Throws `expression-invalid` with `data.position` (from 1) for what is no JMESPath, above 4,000
 * characters, and above 200 levels of nesting.
 */
export function parseQuery(given: string): QueryNode {
  if (given.length > longest) throw invalid(longest, `expected at most ${longest} characters, got ${given.length}`)
  const text = given.replace(quoted, plainQuote)
  const tokens = tokensOf(text)
  checkTokens(tokens, text)
  try {
    const tree = compile(text)
    checkTree(tree, text)
    return tree
  } catch (error) {
    if (error instanceof SameloopError) throw error
    // Where stacks are small the package runs out of its own before the levels are counted.
    throw error instanceof RangeError ? tooDeep() : unexpected(text, tokens, messageOf(error))
  }
}

function invalid(position: number, why: string): SameloopError {
  return new SameloopError(
    'expression-invalid',
    `Cannot read the JMESPath expression at position ${position}: ${why}`,
    { data: { position, kind: 'syntax' } },
  )
}

const tooDeep = (): SameloopError => invalid(1, `expected at most ${deepest} levels of nesting`)

const shown = (text: string, at: number): string => JSON.stringify(text.slice(at, at + 20))

const quoted = /"(?:[^\\"]|\\[^])*"|'(?:[^\\']|\\[^])*'|`(?:[^\\`]|\\[^])*`/g

/** The package takes only the first escaped quote of a literal for one: more are written in another way. */
function plainQuote(source: string): string {
  const quote = source[0] ?? ''
  const escaped = `\\${quote}`
  if (quote === '"' || source.split(escaped).length < 3) return source
  const inner = source.slice(1, -1).replaceAll(escaped, quote)
  return `\`${(quote === "'" ? JSON.stringify(inner) : inner).replaceAll('`', '\\u0060')}\``
}

function cutTokens(text: string): readonly Token[] | undefined {
  const tokens = guarded(() => tokenize(text), [undefined])
  return tokens.includes(undefined) ? undefined : (tokens as readonly Token[])
}

function tokensOf(text: string): readonly Token[] {
  const whole = cutTokens(text)
  if (whole) return whole
  // The longest beginning that can be cut into tokens ends where the trouble is.
  let end = text.length - 1
  while (!cutTokens(text.slice(0, end))) end -= 1
  while (/\s/.test(text[end] ?? '')) end += 1
  throw invalid(end + 1, `${shown(text, end)} is no name, operator or literal`)
}

/** After one of the first no one of the second may follow. */
const ends = new Set(['UnquotedIdentifier', 'QuotedIdentifier', 'Literal', 'Current', 'Number', 'Rparen', 'Rbrace'])
const starts = new Set(['UnquotedIdentifier', 'QuotedIdentifier', 'Literal', 'Current', 'Number', 'Not', 'Expref'])
const opens = new Set(['Lparen', 'Lbrace', 'Lbracket', 'Filter', 'Not', 'Expref'])
const closes = new Set(['Rparen', 'Rbrace', 'Rbracket'])

/** Refuses what the package reads past: open quotes, odd numbers and slices, a missing or a last comma. */
function checkTokens(tokens: readonly Token[], text: string): void {
  let colons = 0
  let depth = 0
  for (const [index, { type, start }] of tokens.entries()) {
    const next = tokens[index + 1]
    const end = next?.start ?? text.length
    const source = text.slice(start, end).trimEnd()
    if (type === 'Literal' && source.replace(quoted, '') !== '')
      throw invalid(start + 1, `the quote ${source[0]} is not closed`)
    if (type === 'Number' && !/^-?\d+$/.test(source)) throw invalid(start + 1, `${shown(source, 0)} is no number`)
    if (next && ends.has(type) && starts.has(next.type)) throw invalid(end + 1, withoutOperator(text, end))
    if (next && type === 'Comma' && closes.has(next.type))
      throw invalid(end + 1, `expected a value after the comma, got ${shown(text, end)}`)
    if (type === 'Colon') colons += 1
    else if (type !== 'Number') colons = 0
    if (colons > 2) throw invalid(start + 1, 'a slice has at most two colons')
    if (opens.has(type)) depth += 1
    if (closes.has(type)) depth -= 1
    if (depth > deepest) throw tooDeep()
  }
}

const withoutOperator = (text: string, at: number): string =>
  text[at] === '-'
    ? 'a name with a dash must stand in double quotes'
    : `expected an operator or the end, got ${shown(text, at)}`

/** Where the package stops, which it does not tell: at the first token with which the beginning fails alike. */
function unexpected(text: string, tokens: readonly Token[], message: string): SameloopError {
  if (/EOF|undefined/.test(message)) return invalid(text.length + 1, 'it ends too early')
  let [low, high] = [0, tokens.length - 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (failure(text.slice(0, tokens[middle + 1]?.start)) === message) high = middle
    else low = middle + 1
  }
  const start = tokens[low]?.start ?? text.length
  return invalid(start + 1, `${shown(text, start)} is not expected there`)
}

function failure(text: string): string | undefined {
  try {
    compile(text)
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : '')

const leaves = new Set(['Field', 'Index', 'Slice', 'Literal', 'Identity', 'Current'])

/** The package leaves holes in the tree where a part is missing, and lets anything be called. */
function checkTree(tree: QueryNode, text: string): void {
  const open: { readonly node: QueryNode | KeyValue | undefined; readonly depth: number }[] = [{ node: tree, depth: 1 }]
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, depth } = next
    if (!node) throw invalid(text.length + 1, 'it ends too early')
    if (depth > deepest) throw tooDeep()
    if (node.type === 'KeyValuePair') open.push({ node: node.value, depth: depth + 1 })
    else if (node.type === 'Function' && typeof node.name !== 'string')
      throw invalid(text.indexOf('(') + 1, 'only a name can be called')
    else if (!leaves.has(node.type))
      for (const child of (node as { readonly children: readonly QueryNode[] }).children)
        open.push({ node: child, depth: depth + 1 })
  }
}
