// What a client is told of the tools of a registry: page by page, in the order of registration.
import { outputSchemaOf } from '../catalog/view.ts'
import type { JsonObject } from '../json/value.ts'
import { isObject } from '../json/value.ts'
import type { ToolAnnotations } from '../mcp-protocol/wire.ts'
import type { Entry } from '../registry/table.ts'
import type { Tool } from '../tool/tool.ts'

interface Page {
  readonly tools: readonly JsonObject[]
  readonly nextCursor?: string | undefined
}

/**
 * The page after a cursor; `undefined` for a cursor that was not made here. A tool that somebody else has to run is left
 * out, as there is nobody here to give its result.
 */
export function toolPage(all: readonly Entry[], cursor: unknown, pageSize: number): Page | undefined {
  const entries = all.filter(({ tool }) => tool.execute)
  const start = cursor === undefined ? 0 : startOf(entries, cursor)
  if (start === undefined) return undefined
  const page = entries.slice(start, start + Math.ceil(pageSize))
  const last = page.at(-1)
  const isMore = last !== undefined && start + page.length < entries.length
  return {
    tools: page.map(described),
    ...(isMore && { nextCursor: `${start + page.length}.${last.definition.name}` }),
  }
}

/** After the tool that was the last one then, or where it was, if it is there no more. */
function startOf(entries: readonly Entry[], cursor: unknown): number | undefined {
  const [, index, name] = /^(\d{1,9})\.([\w-]{1,64})$/.exec(typeof cursor === 'string' ? cursor : '') ?? []
  if (index === undefined) return undefined
  const before = Number(index) - 1
  const isThere = entries[before]?.definition.name === name
  const at = isThere ? before : entries.findIndex(({ definition }) => definition.name === name)
  return at < 0 ? Number(index) : at + 1
}

const descriptions = new WeakMap<Entry, JsonObject>()

function described(entry: Entry): JsonObject {
  const known = descriptions.get(entry)
  if (known) return known
  const { tool, definition } = entry
  const { name, description, inputSchema } = definition
  const outputSchema = outputSchemaOf(entry)
  const made = {
    name,
    description,
    inputSchema: unmarked(inputSchema),
    ...(outputSchema && { outputSchema }),
    annotations: annotationsOf(tool),
  }
  descriptions.set(entry, made)
  return made
}

/** What an effect says of the world. One that depends on the input promises nothing. */
function annotationsOf({ effect = 'unsafe' }: Tool): ToolAnnotations {
  if (effect === 'read') return { readOnlyHint: true }
  if (effect === 'local') return { readOnlyHint: false, openWorldHint: false }
  if (effect === 'idempotent') return { readOnlyHint: false, idempotentHint: true }
  return { readOnlyHint: false }
}

/**
 * A schema of another server may ask for arguments in headers too, and whoever reads the arguments must then compare the
 * two. This server reads bodies alone, so it asks for none.
 */
function unmarked(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(unmarked)
  if (!isObject(schema)) return schema
  const marked = typeof schema['x-mcp-header'] === 'string'
  return Object.fromEntries(
    Object.entries(schema).flatMap(([key, value]) =>
      marked && key === 'x-mcp-header' ? [] : [[key, unmarked(value)] as const],
    ),
  )
}
