// Reads a node of JSON Schema without packages: what it refers to, which types it wants, what its children are.
import { isObject, own, typeName } from '../json/value.ts'
import type { JsonSchema } from './schema.ts'

/** Where references start, how deep a walk is in schema and value together, and how many steps it made. */
export interface Walk {
  root: unknown
  depth: number
  steps: number
}

/** Whether a walk gives up on a node: too deep, references included, or too long, as unions of unions grow fast. */
export const isSpent = (walk: Walk): boolean => walk.depth > 100 || walk.steps++ > 200_000

/** The schema a node stands for: internal references followed, anything else (also a remote or circular one) is open. */
export function resolve(root: unknown, node: unknown): JsonSchema {
  for (let hops = 0; hops < 16 && isObject(node); hops++) {
    const reference = own(node, '$ref')
    if (typeof reference !== 'string') return node
    node = reference.startsWith('#') ? follow(root, reference) : undefined
  }
  return node === false ? { not: {} } : {}
}

function follow(root: unknown, reference: string): unknown {
  let node = root
  for (const part of reference.split('/').slice(1)) node = own(node, part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return node
}

/** The types a node asks for: `type`, or those of its `const` or `enum`; none where it leaves them open. */
export function wantedTypes(schema: JsonSchema): readonly string[] {
  const type = own(schema, 'type')
  if (type !== undefined) return (Array.isArray(type) ? type : [type]).map(String)
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
  return [listOf(own(schema, 'anyOf')), listOf(own(schema, 'oneOf'))].filter((branches) => branches.length)
}

/** The schema of an item or a property of `value`, or `undefined` where anything goes. */
export function childSchema(schema: JsonSchema, value: unknown, key: string | number): unknown {
  if (!Array.isArray(value)) {
    const open = Object.hasOwn(schema, 'patternProperties') ? undefined : own(schema, 'additionalProperties')
    return own(own(schema, 'properties'), key) ?? open
  }
  const items = own(schema, 'items')
  const isTuple = Array.isArray(items)
  return (
    own(own(schema, 'prefixItems') ?? (isTuple ? items : undefined), key) ??
    (isTuple ? own(schema, 'additionalItems') : items)
  )
}

/** Whether the value breaks what the node itself says, its children apart. */
export function misfits(schema: JsonSchema, value: unknown): boolean {
  const types = wantedTypes(schema)
  const options = own(schema, 'enum')
  return (
    (types.length && !types.some((type) => hasType(value, type))) ||
    (Object.hasOwn(schema, 'const') && !isSame(schema['const'], value)) ||
    (Array.isArray(options) && !options.some((option) => isSame(option, value))) ||
    isNever(schema)
  )
}

/** `false` is resolved to this, and converters write it for "no value". */
export function isNever(schema: JsonSchema): boolean {
  const not = own(schema, 'not')
  return isObject(not) && Object.keys(not).length === 0
}

// Objects in `const` and `enum` are rare; their key order is taken as it stands.
const isSame = (wanted: unknown, value: unknown): boolean =>
  wanted === value ||
  (typeof wanted === 'object' && wanted !== null && JSON.stringify(wanted) === JSON.stringify(value))
