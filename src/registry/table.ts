// The name table: tools by the name they were registered under, and by the safe name a model sees.
import { SameloopError } from '../error/error.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import { toSchema, wrapInput } from '../schema/standard.ts'
import type { Schema } from '../schema/schema.ts'
import { checkTool } from '../tool/define.ts'
import type { ResultRules } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'

/** A registered tool with everything that is worked out once. */
export interface Entry {
  readonly tool: Tool
  readonly name: string
  readonly uri: string
  readonly input: Schema | undefined
  /** The input schema is no object, so the model fills `{ input }`. */
  readonly wrapped: boolean
  readonly output: Schema | undefined
  /** How what the tool returns becomes an outcome. */
  readonly result: ResultRules
  readonly definition: ToolDefinition
}

export interface ToolTable {
  readonly parent: ToolTable | undefined
  /** By the name a model sees. */
  readonly bySafeName: Map<string, Entry>
  readonly byName: Map<string, Entry>
  version: number
  cached: { readonly version: number; readonly entries: ReadonlyMap<string, Entry>; readonly definitions: readonly ToolDefinition[] } | undefined
}

const defaultMaxOutputChars = 100_000

/** An empty table; with a parent it sees the parent's tools, later ones included, and keeps its own. */
export function toolTable(parent?: ToolTable): ToolTable {
  return { parent, bySafeName: new Map(), byName: new Map(), version: 0, cached: undefined }
}

export interface AddOptions {
  /** Registers under another name, for example `fs.ls`. */
  readonly name?: string | undefined
  /** Replaces a tool of that name instead of failing with `config-duplicate-tool`. */
  readonly override?: boolean | undefined
}

export function addTool(table: ToolTable, tool: Tool, options: AddOptions = {}): Entry {
  checkTool(tool)
  const name = options.name ?? tool.name
  const existing = findTool(table, name)
  if (existing !== undefined && options.override !== true) {
    const help = 'give it another name, or register it with override: true'
    throw new SameloopError('config-duplicate-tool', `Cannot register tool "${name}": the name is taken; ${help}`, { data: { name } })
  }
  const entry = makeEntry(tool, name, existing?.definition.name ?? freeSafeName(table, name))
  table.byName.set(name, entry)
  table.bySafeName.set(entry.definition.name, entry)
  table.version++
  return entry
}

export function removeTool(table: ToolTable, name: string): boolean {
  const entry = table.byName.get(name)
  if (entry === undefined) return false
  table.byName.delete(name)
  table.bySafeName.delete(entry.definition.name)
  table.version++
  return true
}

/** By registered name, by URI, or by the name a model sees. */
export function findTool(table: ToolTable, name: string): Entry | undefined {
  const bare = name.startsWith('fn://') ? name.slice(5) : name
  return table.byName.get(bare) ?? table.bySafeName.get(name) ?? (table.parent && findTool(table.parent, name))
}

/** All tools by the name a model sees, in registration order, the parent's first. The same map until something changes. */
export function allTools(table: ToolTable): ReadonlyMap<string, Entry> {
  return current(table).entries
}

/** What a model is told: the same array until something changes, so that requests stay byte-identical between turns. */
export function definitions(table: ToolTable): readonly ToolDefinition[] {
  return current(table).definitions
}

function current(table: ToolTable): NonNullable<ToolTable['cached']> {
  const version = totalVersion(table)
  if (table.cached?.version === version) return table.cached
  const entries = new Map(table.parent === undefined ? [] : allTools(table.parent))
  for (const [name, entry] of table.bySafeName) entries.set(name, entry)
  return (table.cached = { version, entries, definitions: [...entries.values()].map((entry) => entry.definition) })
}

function totalVersion(table: ToolTable): number {
  return table.version + (table.parent === undefined ? 0 : totalVersion(table.parent))
}

function makeEntry(tool: Tool, name: string, safeName: string): Entry {
  const input = tool.input && toSchema(tool.input, 'input')
  const output = tool.output && toSchema(tool.output, 'output')
  const { json, wrapped } = wrapInput(input?.json ?? { type: 'object', properties: {}, additionalProperties: false })
  const definition = { name: safeName, description: tool.description, inputSchema: json as ToolDefinition['inputSchema'] }
  return {
    tool,
    name,
    uri: name.includes('://') ? name : `fn://${name}`,
    input,
    wrapped,
    output,
    result: {
      output,
      coerce: tool.coerce,
      returnDirect: tool.returnDirect === true,
      maxOutputChars: tool.maxOutputChars ?? defaultMaxOutputChars,
    },
    definition: tool.examples === undefined ? definition : { ...definition, examples: tool.examples },
  }
}

/** Providers accept 1 to 64 of `a-z A-Z 0-9 _ -`; anything else becomes `_`, and a name that is taken gets a number. */
function freeSafeName(table: ToolTable, name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)
  const taken = allTools(table)
  if (!taken.has(safe)) return safe
  for (let number = 2; ; number++) {
    const suffix = `_${number}`
    const numbered = safe.slice(0, 64 - suffix.length) + suffix
    if (!taken.has(numbered)) return numbered
  }
}
