// Reads a node of JSON Schema without packages: what it refers to, which types it wants, what its children are.
import { jsonText } from '../json/text.ts'
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
    const reference = node['$ref']
    if (typeof reference !== 'string') return node
    const path = reference.split('/').map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    node = reference.startsWith('#') ? path.slice(1).reduce(own, root) : undefined
  }
  return node === false ? { not: {} } : {}
}

/** The values of `const` or `enum`, where the node has them. */
function choicesOf(schema: JsonSchema): readonly unknown[] | undefined {
  const options = 'const' in schema ? [schema['const']] : schema['enum']
  return Array.isArray(options) ? options : undefined
}

/** The types a node asks for: `type`, or those of its choices; none where it leaves them open. */
export function wantedTypes(schema: JsonSchema): readonly string[] {
  const type = schema['type']
  if (type === undefined) return [...new Set(choicesOf(schema)?.map(typeName))]
  return typeof type === 'string' ? [type] : listOf(type).map(String)
}

export function hasType(value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeName(value) === type
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The branches of the node's unions: one of each group must fit. */
export function unionsOf(schema: JsonSchema): readonly (readonly unknown[])[] {
  return [schema['anyOf'], schema['oneOf']].map(listOf).filter((branches) => branches.length)
}

/** The schema of an item or a property of `value`, or `undefined` where anything goes. */
export function childSchema(schema: JsonSchema, value: unknown, key: string | number): unknown {
  if (!Array.isArray(value)) {
    const open = schema['patternProperties'] ? undefined : schema['additionalProperties']
    return own(schema['properties'], key) ?? open
  }
  const items = schema['items']
  const rest = Array.isArray(items) ? schema['additionalItems'] : items
  return own(schema['prefixItems'] ?? items, key) ?? rest
}

/** Whether the value is of one of the types, or none are wanted. */
export function isTyped(types: readonly string[], value: unknown): boolean {
  return !types.length || types.some((type) => hasType(value, type))
}

/** Whether the value breaks what the node itself says, its children apart. */
export function misfits(schema: JsonSchema, value: unknown): boolean {
  const fits =
    isTyped(wantedTypes(schema), value) && (choicesOf(schema)?.some((choice) => isSame(choice, value)) ?? true)
  return !fits || isNever(schema)
}

/** `false` is resolved to this, and converters write it for "no value". */
export const isNever = (schema: JsonSchema): boolean => 'not' in schema && jsonText(schema['not']) === '{}'

// Objects in `const` and `enum` are rare; their key order is taken as it stands.
const isSame = (choice: unknown, value: unknown): boolean => jsonText(choice) === jsonText(value)
