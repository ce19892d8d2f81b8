// Templates: JSON whose texts take in values, by expressions between braces.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { Missing } from '../expression/compile.ts'
import type { Value } from '../expression/parser.ts'
import { cut, excerpt, maxJsonDepth, stringifyJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import { compileAt } from './look-up.ts'
import type { Site } from './refusal.ts'
import { cutText } from './template-text.ts'

/** What templates and conditions can see: `input`, `state`, and what the nodes gave, by id. */
export type Scope = Readonly<Record<string, Json | undefined>>

/** Characters and values of one result: what puts a value into itself, over and over, ends here. */
const most = 10_000_000
/** The same for many results that are kept together. */
const mostTogether = 50_000_000

/** What is left of it. */
export interface Room {
  readonly most: number
  left: number
}

/** For results that are kept together: each takes of what the ones before it left. */
export const sharedRoom = (): Room => ({ most: mostTogether, left: mostTogether })

/** A template that compiled. With `shared`, results of many count together, too. */
export type Filled = (scope: Scope, shared?: Room) => Json

interface Rendering {
  readonly scope: Scope
  readonly rooms: readonly Room[]
}

type Part = (rendering: Rendering) => Json

/**
 * A template as a function of its scope. Between `{{` and `}}` stands an expression of the same language as in
 * conditions; it has no calls and finds only own properties. A text that is one such expression, from its first
 * character to its last, gives the value itself; any other takes values in as text, texts as they are and the rest as
 * JSON (so `null` is `null`). What a value brings is not read again. A literal `{{` is written `{{ "{{" }}`; `}}` alone
 * is text. Names of fields are taken as they are.
 *
 * The result shares nothing with the scope, and has no key named `__proto__`. Throws `workflow-invalid` for what does
 * not compile. The function throws `workflow-failed`: unlike in a condition, a look-up that finds nothing is a failure,
 * unless `and` or `or` made it needless: `{{ "name" in input and input.name or "you" }}`. So are more than 10 million
 * characters and values, and more than 500 levels.
 */
export function compileTemplate(template: Json, site: Site = {}): Filled {
  const part = compilePart(template, site)
  return (scope, shared) => {
    const own = { most, left: most }
    return part({ scope, rooms: shared ? [own, shared] : [own] })
  }
}

function compilePart(template: Json, site: Site): Part {
  if (typeof template === 'string') return compileText(template, site)
  if (typeof template !== 'object' || template === null) return () => template
  if (Array.isArray(template)) {
    const items = template.map((item: Json) => compilePart(item, site))
    return (rendering) => items.map((item) => item(rendering))
  }
  const fields = Object.entries(template)
    .filter(([key, value]) => key !== '__proto__' && value !== undefined)
    .map(([key, value]) => [key, compilePart(value as Json, site)] as const)
  return (rendering) => Object.fromEntries(fields.map(([key, field]) => [key, field(rendering)]))
}

function compileText(text: string, site: Site): Part {
  const pieces = cutText(text, site).map((piece) =>
    typeof piece === 'string' ? piece : compileExpression(piece.expression, site),
  )
  const [first = ''] = pieces
  if (pieces.length < 2) {
    return typeof first === 'string' ? () => first : (rendering) => copy(rendering, first(rendering), 0)
  }
  return (rendering) => {
    const texts = pieces.map((piece) => {
      const value = typeof piece === 'string' ? piece : piece(rendering)
      const shown = typeof value === 'string' ? value : stringifyJson(value)
      spend(rendering, shown.length)
      return shown
    })
    return texts.join('')
  }
}

function compileExpression(expression: string, site: Site): (rendering: Rendering) => Value {
  const missing: Missing = (key, searched) => {
    throw failure(`{{ ${cut(expression, 200)} }}`, `there is no ${excerpt(key)} ${inWhat(searched)}`, { expression })
  }
  const compiled = compileAt(site, expression, missing)
  return ({ scope }) => {
    try {
      return compiled(scope)
    } catch (cause) {
      if (isSameloopError(cause, 'workflow-failed')) throw cause
      const why = isSameloopError(cause) ? cause.message : 'the value nests too deep'
      throw failure(`{{ ${cut(expression, 200)} }}`, why, { expression, cause })
    }
  }
}

interface FailureDetails {
  readonly expression?: string
  readonly cause?: unknown
}

function failure(what: string, why: string, { expression, cause }: FailureDetails = {}): SameloopError {
  const data = expression === undefined ? {} : { expression }
  return new SameloopError('workflow-failed', `Cannot fill in ${what}: ${why}`, { data, cause })
}

/** Names what is there, so that a slip shows. */
function inWhat(searched: Value): string {
  if (typeof searched === 'string') return 'in a text'
  if (typeof searched !== 'object' || searched === null) return `in ${excerpt(searched)}`
  if (Array.isArray(searched)) return `in a list of ${searched.length}`
  const keys = Object.keys(searched)
  const shown = keys.slice(0, 12).map(excerpt).join(', ')
  return `among ${shown || 'no fields'}${keys.length > 12 ? ' and more' : ''}`
}

function spend(rendering: Rendering, amount: number): void {
  for (const room of rendering.rooms) {
    room.left -= amount
    if (room.left < 0) throw failure('a template', `expected at most ${room.most} characters and values`)
  }
}

/** A copy, field by field, so that nobody who changes it changes the scope. */
function copy(rendering: Rendering, value: Value, depth: number): Json {
  spend(rendering, typeof value === 'string' ? value.length : 1)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= maxJsonDepth) throw failure('a template', `expected at most ${maxJsonDepth} levels of nesting`)
  if (Array.isArray(value)) return value.map((item: Value) => copy(rendering, item, depth + 1))
  const fields = Object.entries(value).filter(([key, item]) => key !== '__proto__' && item !== undefined)
  return Object.fromEntries(fields.map(([key, item]) => [key, copy(rendering, item as Value, depth + 1)]))
}
