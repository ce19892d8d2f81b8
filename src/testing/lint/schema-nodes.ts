// Every node of a JSON Schema with its place, references not followed.
import { toPointer } from '../../json/pointer.ts'
import { isObject } from '../../json/value.ts'
import type { JsonObject } from '../../json/value.ts'
import { keywordShapes } from '../../schema/keyword-table.ts'

export interface SchemaNode {
  readonly schema: JsonObject
  /** JSON Pointer. */
  readonly path: string
  /** Set where the node is a property. */
  readonly property?: string
}

const mostNodes = 20_000

/** In the order in which they are written, at most 20,000. */
export function schemaNodes(root: unknown): readonly SchemaNode[] {
  const nodes: SchemaNode[] = []
  const visit = (schema: unknown, keys: readonly string[], depth: number, property?: string): void => {
    if (!isObject(schema) || nodes.length >= mostNodes || depth > 100) return
    nodes.push({ schema, path: toPointer(keys), ...(property === undefined ? {} : { property }) })
    for (const key of Object.keys(schema)) {
      const value = schema[key]
      const shape = keywordShapes.get(key)
      const place = [...keys, key]
      if (shape === 'schema' || (shape === 'items' && !Array.isArray(value))) visit(value, place, depth + 1)
      else if ((shape === 'schemas' || shape === 'items') && Array.isArray(value))
        value.forEach((inner, index) => visit(inner, [...place, String(index)], depth + 1))
      else if ((shape === 'map' || shape === 'dependencies') && isObject(value))
        for (const name of Object.keys(value))
          visit(value[name], [...place, name], depth + 1, key === 'properties' ? name : undefined)
    }
  }
  visit(root, [], 0)
  return nodes
}
