// Cuts an expression into tokens.
import { SameloopError } from '../error/error.ts'

export interface Token {
  readonly type: 'number' | 'string' | 'name' | 'operator' | 'end'
  readonly text: string
  /** Counts from 1. */
  readonly position: number
}

const longest = 4_000

// One alternative for each type, in the order of `types`; every repetition is over single characters.
const patterns = [
  /((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)/,
  /("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/,
  /([A-Za-z_]\w*)/,
  /([=!<>]=|[-+*/%^()[\],.<>])/,
]
const types = ['number', 'string', 'name', 'operator'] as const

export function invalid(position: number, wanted: string, got: string): SameloopError {
  return new SameloopError(
    'expression-invalid',
    `Cannot read the expression at position ${position}: expected ${wanted}, got ${got}`,
    {
      data: { position },
    },
  )
}

/** The tokens of `text` and one of type `end`. Throws `expression-invalid` beyond 4,000 characters. */
export function tokenize(text: string): readonly Token[] {
  if (text.length > longest) throw invalid(longest, `at most ${longest} characters`, String(text.length))
  const source = text.trimEnd()
  const reader = new RegExp(`\\s*(?:${patterns.map(({ source }) => source).join('|')})`, 'y')
  const tokens: Token[] = []
  let end = 0
  while (end < source.length) {
    const match = reader.exec(source)
    if (!match) {
      const at = end + (/\S/.exec(source.slice(end))?.index ?? 0)
      throw invalid(
        at + 1,
        'a number, an operator or a parenthesis',
        JSON.stringify(String.fromCodePoint(source.codePointAt(at) ?? 0)),
      )
    }
    const group = match.findIndex((part, index) => index > 0 && part !== undefined)
    const word = match[group] ?? ''
    end = reader.lastIndex
    tokens.push({ type: types[group - 1] ?? 'end', text: word, position: end - word.length + 1 })
  }
  tokens.push({ type: 'end', text: 'the end', position: source.length + 1 })
  return tokens
}
