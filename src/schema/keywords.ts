// A small JSON Schema check, without packages: which places of a value fail, and what each should be.
import { childSchema, isNever, isSpent, listOf, misfits, resolve, unionsOf, wantedTypes } from './fit.ts'
import type { Walk } from './fit.ts'
import { isObject, own } from '../json/value.ts'
import type { Issue, JsonSchema } from './schema.ts'

export { hasType, wantedTypes } from './fit.ts'

const problemLimit = 8

interface Search extends Walk {
  readonly found: Issue[]
  /** Of the value being visited; changed in place on the way down and up. */
  readonly path: (string | number)[]
}

/**
 * The places of `value` that break `type`, `const`, `enum`, `required`, `properties`, `items`, `additionalProperties`,
 * `anyOf`, `oneOf` (as `anyOf`) and `allOf`; other keywords are not looked at. At most 8, none beyond the limits on
 * depth and work: this is a search for what to mend, the validator has the last word.
 */
export function findProblems(schema: JsonSchema, value: unknown): Issue[] {
  const search = startSearch(schema)
  visit(search, schema, value)
  return search.found.slice(0, problemLimit)
}

const startSearch = (root: JsonSchema): Search => ({ root, depth: 0, steps: 0, found: [], path: [] })

function accepts(search: Search, node: unknown, value: unknown): boolean {
  const inner = { ...search, found: [] }
  visit(inner, node, value)
  search.steps = inner.steps
  return inner.found.length === 0
}

function report(search: Search, node: unknown): void {
  tell(search, `Expected ${describeSchema(search.root, node)}`)
}

function tell({ found, path }: Search, message: string): void {
  found.push({ path: [...path], message })
}

function visit(search: Search, node: unknown, value: unknown): void {
  if (node === undefined || search.found.length >= problemLimit || isSpent(search)) return
  search.depth++
  const schema = resolve(search.root, node)
  if (misfits(schema, value)) report(search, schema)
  else if (typeof value === 'object' && value !== null) visitChildren(search, schema, value as Record<string, unknown>)
  for (const branches of unionsOf(schema)) {
    if (!branches.some((branch) => accepts(search, branch, value))) report(search, { anyOf: branches })
  }
  for (const part of listOf(own(schema, 'allOf'))) visit(search, part, value)
  search.depth--
}

function visitChildren(search: Search, schema: JsonSchema, value: Record<string, unknown>): void {
  const isArray = Array.isArray(value)
  const within = (key: string, visitor: (node: unknown) => void): void => {
    search.path.push(isArray ? Number(key) : key)
    visitor(childSchema(schema, value, key))
    search.path.pop()
  }
  const missing = isArray
    ? []
    : listOf(own(schema, 'required'))
        .map(String)
        .filter((key) => !Object.hasOwn(value, key))
  for (const key of missing) within(key, (node) => report(search, node))
  for (const key of Object.keys(value)) {
    if (search.found.length >= problemLimit) return
    within(key, (node) => {
      if (isArray || node !== false) visit(search, node, value[key])
      else tell(search, `Expected ${namesOf(schema)}`)
    })
  }
}

function namesOf(schema: JsonSchema): string {
  const names = Object.keys(Object(schema['properties']) as object)
  return `no property${names.length > 0 ? ' but ' : ''}${names.slice(0, 12).join(', ')}`
}

/** A schema in a few words for a message: `integer`, `"a" or "b"`, `array of string`. */
function describeSchema(root: unknown, node: unknown, depth = 0): string {
  const schema = resolve(root, node)
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema['const']) ?? 'nothing'
  const options = listOf(own(schema, 'enum'))
  if (options.length > 0) {
    const shown = options.slice(0, 12).map((one) => JSON.stringify(one))
    return `${shown.join(' or ')}${options.length > 12 ? ' or others' : ''}`
  }
  const types = wantedTypes(schema)
  const branches = unionsOf(schema)[0]
  if (types.length === 0 && branches && depth < 3) {
    return [...new Set(branches.slice(0, 12).map((branch) => describeSchema(root, branch, depth + 1)))].join(' or ')
  }
  if (types.length === 0) return isNever(schema) ? 'no value here' : 'a value'
  const items = own(schema, 'items')
  const isListOf = isObject(items) && depth < 3
  const described = types.map((type) =>
    type === 'array' && isListOf ? `array of ${describeSchema(root, items, depth + 1)}` : type,
  )
  return described.join(' or ')
}

/**
 * What a JSON Schema expects at the place of an issue, for `issueText`: nothing where it is satisfied as far as types
 * and choices go.
 */
export function expectation(schema: JsonSchema): (issue: Issue, place: unknown) => string | undefined {
  return ({ path }, place) => {
    let wanted: unknown = schema
    for (const key of path) {
      // Whether a place is an item or a property shows in the key.
      wanted = childSchema(resolve(schema, wanted), typeof key === 'number' ? [] : {}, key)
    }
    const isMet = place !== undefined && accepts(startSearch(schema), wanted, place)
    return isMet ? undefined : `expected ${describeSchema(schema, wanted)}`
  }
}
