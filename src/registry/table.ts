// The name table: tools by the name they were registered under, and by the safe name a model sees.
import { SameloopError } from '../error/error.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import { toSchema, wrapInput } from '../schema/standard.ts'
import type { Schema } from '../schema/schema.ts'
import { checkTool } from '../tool/define.ts'
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
  readonly definition: ToolDefinition
}

/** What a table holds at one time. */
export interface ToolList {
  readonly inherited: ToolList | undefined
  /** By the name a model sees, in registration order, the parent's first. */
  readonly entries: ReadonlyMap<string, Entry>
  readonly definitions: readonly ToolDefinition[]
}

export interface ToolTable {
  readonly parent: ToolTable | undefined
  /** Without the parent's, by the name a model sees. Never changed, only replaced: it may be the whole list. */
  own: ReadonlyMap<string, Entry>
  /** Made anew when a tool was added or removed. */
  list?: ToolList | undefined
}

/** An empty table; with a parent it sees the parent's tools, later ones included, and keeps its own. */
export function toolTable(parent?: ToolTable): ToolTable {
  return { parent, own: new Map() }
}

export interface AddOptions {
  /** Registers under another name, for example `fs.ls`. */
  readonly name?: string | undefined
  /** Replaces a tool of that name instead of failing with `config-duplicate-tool`. */
  readonly override?: boolean | undefined
}

export function addTool(table: ToolTable, tool: Tool, options: AddOptions = {}): void {
  checkTool(tool)
  const { name = tool.name, override } = options
  const { entries } = toolList(table)
  const existing = [...entries.values()].find((entry) => entry.name === name)
  if (existing && !override) {
    throw new SameloopError(
      'config-duplicate-tool',
      `Cannot use tool "${name}": the name is taken, wanted override: true`,
      { data: { name } },
    )
  }
  const safeName = existing?.definition.name ?? freeName(entries, name)
  table.own = new Map(table.own).set(safeName, makeEntry(tool, name, safeName))
  table.list = undefined
}

/** By the name a model sees, the registered name, or the URI. */
export function findEntry(entries: ReadonlyMap<string, Entry>, name: string): Entry | undefined {
  return entries.get(name) ?? [...entries.values()].find((entry) => entry.name === name || entry.uri === name)
}

/** All tools: the same object until something changes, so that requests stay byte-identical between turns. */
export function toolList(table: ToolTable): ToolList {
  const inherited = table.parent && toolList(table.parent)
  if (table.list && table.list.inherited === inherited) return table.list
  const entries = inherited ? new Map([...inherited.entries, ...table.own]) : table.own
  return (table.list = {
    inherited,
    entries,
    definitions: Array.from(entries.values(), ({ definition }) => definition),
  })
}

function makeEntry(tool: Tool, name: string, safeName: string): Entry {
  const input = tool.input && toSchema(tool.input, 'input')
  const shown = wrapInput(input?.json ?? { type: 'object', properties: {}, additionalProperties: false })
  return {
    tool,
    name,
    uri: name.includes('://') ? name : `fn://${name}`,
    input,
    wrapped: shown.wrapped,
    output: tool.output && toSchema(tool.output, 'output'),
    definition: {
      name: safeName,
      description: tool.description,
      inputSchema: shown.json as ToolDefinition['inputSchema'],
      examples: tool.examples,
    },
  }
}

/** Providers accept 1 to 64 of `a-z A-Z 0-9 _ -`; anything else becomes `_`, and a name that is taken gets a number. */
function freeName(taken: ReadonlyMap<string, unknown>, name: string): string {
  const safe = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64)
  let free = safe
  for (let number = 2; taken.has(free); number++) free = `${safe.slice(0, 60)}_${number}`
  return free
}
