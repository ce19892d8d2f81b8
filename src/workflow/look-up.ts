// Expressions within a definition: compiled with their place, and asked what they look up.
import { compile, unquote } from '../expression/compile.ts'
import type { Missing } from '../expression/compile.ts'
import type { Value } from '../expression/parser.ts'
import { tokenize } from '../expression/token.ts'
import { own } from '../json/value.ts'
import { fieldName, refusal } from './refusal.ts'
import type { Site } from './refusal.ts'

/** Words that the expression language does not look up. */
export const keywords: readonly string[] = ['true', 'false', 'null', 'and', 'or', 'not', 'in']

/**
 * `compile` for a field of a definition. Throws `workflow-invalid`; `data.position` counts from 1 within
 * `data.expression`.
 */
export function compileAt(site: Site, expression: string, missing?: Missing): (scope: Value) => Value {
  try {
    return compile(expression, missing)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ''
    throw refusal(site, `${fieldName(site)} does not compile: ${message}`, {
      cause,
      data: { expression, position: own(own(cause, 'data'), 'position') },
    })
  }
}

export interface LookUp {
  readonly name: string
  /** The first step from there, where it is written out. */
  readonly key?: string | undefined
}

/** What an expression that compiles looks up in its scope, whether or not a value decides that it does. */
export function lookUps(expression: string): LookUp[] {
  const tokens = tokenize(expression)
  const found: LookUp[] = []
  tokens.forEach((token, index) => {
    if (token.type !== 'name' || keywords.includes(token.text) || tokens[index - 1]?.text === '.') return
    const [access, key, close] = tokens.slice(index + 1, index + 4)
    const isDotted = access?.text === '.' && key?.type === 'name'
    const isQuoted = access?.text === '[' && key?.type === 'string' && close?.text === ']'
    const quoted = isQuoted ? unquote(key) : undefined
    found.push({ name: token.text, key: isDotted ? key.text : quoted })
  })
  return found
}
