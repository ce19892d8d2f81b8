// A small JSON Schema check, without packages: enough to see which places of a value fail, and why.
import { isObject, own, typeName } from './json.ts'
import type { Issue, JsonSchema } from './schema.ts'

/** How deep schemas and values are followed together, references included. */
const depthLimit = 100
/** How many schema nodes one search may visit: unions of unions grow fast. */
const stepLimit = 200_000
const problemLimit = 8

/** The root that references start from, and what is left of the step budget. */
export interface Walk {
  readonly root: unknown
  steps: number
}

export type Path = readonly (string | number)[]

export const startWalk = (root: JsonSchema): Walk => ({ root, steps: stepLimit })

/** The schema a node stands for, internal references followed; a remote or circular one leaves everything open. */
export function resolve(walk: Walk, node: unknown): JsonSchema {
  for (let hops = 0; hops < 16; hops++) {
    if (!isObject(node)) return node === false ? { not: {} } : {}
    const reference = own(node, '$ref')
    if (typeof reference !== 'string') return node
    node = reference.startsWith('#') ? follow(walk.root, reference) : undefined
  }
  return {}
}

function follow(root: unknown, reference: string): unknown {
  let node = root
  for (const part of reference.split('/').slice(1)) node = own(node, part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return node
}

/** The types a node asks for: `type`, or those of its `const` or `enum`; none where it leaves them open. */
export function wantedTypes(schema: JsonSchema): readonly string[] {
  const type = own(schema, 'type')
  if (type !== undefined) return listOf(Array.isArray(type) ? type : [type]).map(String)
  if (Object.hasOwn(schema, 'const')) return [typeName(schema['const'])]
  return [...new Set(listOf(own(schema, 'enum')).map(typeName))]
}

export function hasType(value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeName(value) === type
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The branches of the node's unions: one of each group must fit. */
export function unionsOf(schema: JsonSchema): readonly (readonly unknown[])[] {
  return [listOf(own(schema, 'anyOf')), listOf(own(schema, 'oneOf'))].filter((branches) => branches.length > 0)
}

/** The schema of an object's property, or `undefined` where any value goes. */
export function propertySchema(schema: JsonSchema, key: string): unknown {
  const named = own(own(schema, 'properties'), key)
  if (named !== undefined) return named
  return Object.hasOwn(schema, 'patternProperties') ? undefined : own(schema, 'additionalProperties')
}

export function itemSchema(schema: JsonSchema, index: number): unknown {
  const items = own(schema, 'items')
  const tuple = own(schema, 'prefixItems') ?? (Array.isArray(items) ? items : undefined)
  const positional = own(tuple, index)
  if (positional !== undefined) return positional
  return Array.isArray(items) ? own(schema, 'additionalItems') : items
}

/**
 * The places of `value` that break `type`, `const`, `enum`, `required`, `properties`, `items`, `additionalProperties`,
 * `anyOf`, `oneOf` (as `anyOf`) and `allOf`; other keywords are not looked at. At most 8, none beyond the limits on
 * depth and work: this is a search for what to mend, the validator has the last word.
 */
export function findProblems(schema: JsonSchema, value: unknown): Issue[] {
  const search = startSearch(startWalk(schema), problemLimit)
  visit(search, schema, value)
  return search.found
}

/** Whether `value` fits `node` as far as these keywords tell. */
export function accepts(walk: Walk, node: unknown, value: unknown): boolean {
  const search = startSearch(walk, 1)
  visit(search, node, value)
  return search.found.length === 0
}

interface Search {
  readonly walk: Walk
  readonly found: Issue[]
  readonly most: number
  /** Of the value being visited; changed in place on the way down and up. */
  readonly path: (string | number)[]
  depth: number
}

const startSearch = (walk: Walk, most: number): Search => ({ walk, found: [], most, path: [], depth: 0 })

const isOver = (search: Search): boolean => search.found.length >= search.most

function report(search: Search, expected: string): void {
  if (!isOver(search)) search.found.push({ path: [...search.path], message: `Expected ${expected}` })
}

function visit(search: Search, node: unknown, value: unknown): void {
  if (isOver(search) || search.depth > depthLimit || search.walk.steps-- <= 0) return
  search.depth++
  const schema = resolve(search.walk, node)
  if (misfits(schema, value)) report(search, describeSchema(search.walk, schema))
  else if (Array.isArray(value))
    value.forEach((item, index) => visitChild(search, itemSchema(schema, index), item, index))
  else if (isObject(value)) visitObject(search, schema, value)
  for (const branches of unionsOf(schema)) {
    const inner = { ...search, found: [], most: 1 }
    const fits = branches.some((branch) => {
      inner.found = []
      visit(inner, branch, value)
      return inner.found.length === 0
    })
    if (!fits) report(search, describeSchema(search.walk, { anyOf: branches }))
  }
  for (const part of listOf(own(schema, 'allOf'))) visit(search, part, value)
  search.depth--
}

function visitChild(search: Search, node: unknown, value: unknown, key: string | number): void {
  if (node === undefined) return
  search.path.push(key)
  visit(search, node, value)
  search.path.pop()
}

function visitObject(search: Search, schema: JsonSchema, value: Record<string, unknown>): void {
  for (const key of listOf(own(schema, 'required'))) {
    if (Object.hasOwn(value, String(key))) continue
    search.path.push(String(key))
    report(search, describeSchema(search.walk, propertySchema(schema, String(key))))
    search.path.pop()
  }
  for (const key of Object.keys(value)) visitChild(search, propertySchema(schema, key), value[key], key)
}

/** Whether the value breaks what the node itself says, its children apart. */
function misfits(schema: JsonSchema, value: unknown): boolean {
  const types = wantedTypes(schema)
  const options = own(schema, 'enum')
  return (
    (types.length > 0 && !types.some((type) => hasType(value, type))) ||
    (Object.hasOwn(schema, 'const') && !isSame(schema['const'], value)) ||
    (Array.isArray(options) && !options.some((option) => isSame(option, value))) ||
    isNever(schema)
  )
}

// `false` is resolved to this, and converters write it for "no value".
function isNever(schema: JsonSchema): boolean {
  const not = own(schema, 'not')
  return isObject(not) && Object.keys(not).length === 0
}

// Objects in `const` and `enum` are rare; their key order is taken as it stands.
function isSame(wanted: unknown, value: unknown): boolean {
  return (
    wanted === value ||
    (typeof wanted === 'object' && wanted !== null && JSON.stringify(wanted) === JSON.stringify(value))
  )
}

/** A schema in a few words for a message: `integer`, `"a" or "b"`, `array of string`. */
export function describeSchema(walk: Walk, node: unknown, depth = 0): string {
  const schema = resolve(walk, node)
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema['const']) ?? 'nothing'
  const options = listOf(own(schema, 'enum'))
  if (options.length > 0) {
    const shown = options.slice(0, 12).map((one) => JSON.stringify(one))
    return `${shown.join(' or ')}${options.length > 12 ? ' or others' : ''}`
  }
  const types = wantedTypes(schema)
  const branches = unionsOf(schema)[0]
  if (types.length === 0 && branches && depth < 3) {
    return [...new Set(branches.slice(0, 12).map((branch) => describeSchema(walk, branch, depth + 1)))].join(' or ')
  }
  if (types.length === 0) return isNever(schema) ? 'no value here' : 'a value'
  const items = own(schema, 'items')
  return types
    .map((type) =>
      type === 'array' && isObject(items) && depth < 3 ? `array of ${describeSchema(walk, items, depth + 1)}` : type,
    )
    .join(' or ')
}

/** The schema at a path of the value, as far as `properties` and `items` lead there. */
export function schemaAt(walk: Walk, path: Path): JsonSchema {
  let schema = resolve(walk, walk.root)
  for (const key of path) {
    schema = resolve(walk, typeof key === 'number' ? itemSchema(schema, key) : propertySchema(schema, key))
  }
  return schema
}
