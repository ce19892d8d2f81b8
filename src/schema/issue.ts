// Words about what does not fit, precise enough for a model to mend it.
import { isObject, own, toPointer, typeName } from './json.ts'
import { accepts, describeSchema, schemaAt, startWalk } from './keywords.ts'
import type { Issue, JsonSchema } from './schema.ts'

const mostIssues = 8
const mostCharacters = 80

/**
 * One line for each issue, at most 8: where, what was expected, what came. The expectation is read from the JSON
 * Schema; where that is satisfied as far as types and choices go, or absent, the validator's own message stands there.
 */
export function issueText(issues: readonly Issue[], value: unknown, schema?: JsonSchema): string {
  const lines = issues.slice(0, mostIssues).map((issue) => {
    const { path } = issue
    const place = path.reduce<unknown>(own, value)
    const expected = (schema && expectation(schema, issue, place)) ?? withoutStop(issue.message)
    return `${path.length === 0 ? 'The value' : toPointer(path)}: ${expected}, received ${showValue(place)}`
  })
  const rest = issues.length - lines.length
  return [...new Set(lines), ...(rest > 0 ? [`${rest} more`] : [])].join('\n')
}

function expectation(schema: JsonSchema, { path }: Issue, place: unknown): string | undefined {
  const walk = startWalk(schema)
  const wanted = schemaAt(walk, path)
  return place === undefined || !accepts(walk, wanted, place) ? `expected ${describeSchema(walk, wanted)}` : undefined
}

const withoutStop = (message: string): string => message.slice(0, 300).replace(/\.$/, '')

/** A value in a few words: short ones quoted, long ones cut, objects and arrays by their size. */
export function showValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (isObject(value))
    return `an object with ${
      Object.keys(value)
        .slice(0, 8)
        .map((key) => cut(JSON.stringify(key)))
        .join(', ') || 'no keys'
    }`
  if (typeof value === 'string') return cut(JSON.stringify(value.slice(0, mostCharacters * 2)))
  return typeof value === 'number' || typeof value === 'boolean' || value === null ? String(value) : typeName(value)
}

// A pair of surrogates is not cut apart.
function cut(text: string): string {
  return text.length <= mostCharacters ? text : `${text.slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, '')}…`
}
