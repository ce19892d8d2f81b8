// The name table: tools by the name they were registered under, and by the safe name a model sees.
import { SameloopError } from '../error/error.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import { subRunOf } from './sub-run.ts'
import { toSchema, wrapInput } from '../schema/standard.ts'
import type { Schema } from '../schema/schema.ts'
import { excerpt } from '../json/text.ts'
import { checkTool } from '../tool/define.ts'
import type { Tool } from '../tool/tool.ts'
import { safeName } from '../tool/tool-names.ts'
import type { Rule, StepFacts } from '../tool/rule.ts'

/** A registered tool with everything that is worked out once. */
export interface Entry {
  readonly tool: Tool
  readonly name: string
  readonly uri: string
  /** The registered name that this is a second name for. */
  readonly alias?: string | undefined
  readonly input: Schema | undefined
  /** The input schema is no object, so the model fills `{ input }`. */
  readonly wrapped: boolean
  readonly output: Schema | undefined
  readonly definition: ToolDefinition
  /** How often the tool ran, under all of its names. */
  readonly count: { calls: number }
}

/** What a table holds at one time. */
export interface ToolList {
  readonly inherited: ToolList | undefined
  /** By the name a model sees, in registration order, the parent's first. */
  readonly entries: ReadonlyMap<string, Entry>
  /** What models are told: without aliases. */
  readonly definitions: readonly ToolDefinition[]
}

export interface ToolTable {
  readonly parent: ToolTable | undefined
  /** Without the parent's, by the name a model sees. Never changed, only replaced: it may be the whole list. */
  own: ReadonlyMap<string, Entry>
  /** Made anew when a tool was added or removed. */
  list?: ToolList | undefined
  /** What a registry says about its tools beside holding them. */
  readonly guard?: TableGuard | undefined
}

/** Which tools of a registry may be used now, and how those from its sources get here. */
export interface TableGuard {
  readonly rules: readonly Rule[]
  advertises(name: string, uri: string, facts: StepFacts): boolean
  /** Connects the sources, or the one of a URI; `undefined` where nothing has to be done. */
  connect(uri?: string): Promise<void> | undefined
}

/** An empty table; with a parent it sees the parent's tools, later ones included, and keeps its own. */
export function toolTable(parent?: ToolTable, guard: TableGuard | undefined = parent?.guard): ToolTable {
  return { parent, own: new Map(), guard }
}

const taken = (name: string): SameloopError =>
  new SameloopError('config-duplicate-tool', `Cannot use tool "${name}": the name is taken, wanted override: true`, {
    data: { name },
  })

export interface AddOptions {
  /** Registers under another name, for example `fs.ls`. */
  readonly name?: string | undefined
  /** Replaces a tool of that name instead of failing with `config-duplicate-tool`. */
  readonly override?: boolean | undefined
}

/** Adds all of them or, where one cannot be added, none. */
export function addTools(
  table: ToolTable,
  tools: Iterable<Tool>,
  optionsOf: (tool: Tool) => AddOptions = () => ({}),
): void {
  // Kept up by hand: looking through thousands for each of thousands takes seconds.
  const shown = new Map(toolList(table).entries)
  const all = [...shown.values()].reverse()
  const named = new Map(all.map((entry) => [entry.name, entry]))
  const located = new Map(all.filter(({ alias }) => alias === undefined).map((entry) => [entry.uri, entry]))
  change(table, (own) => {
    for (const tool of tools) {
      checkTool(tool)
      const { name = tool.name, override } = optionsOf(tool)
      checkName(name)
      // What has its URI is the same tool to rules and grants.
      const uri = uriOf(tool, name)
      const existing = named.get(name) ?? located.get(uri)
      if (existing && !override) throw taken(name)
      const key = existing?.definition.name ?? freeName(shown, name)
      const entry = makeEntry(tool, name, key)
      for (const map of [own, shown]) map.set(key, entry)
      named.set(name, entry)
      located.set(uri, entry)
    }
  })
}

function checkName(name: unknown): void {
  if (typeof name === 'string' && safeName(name) !== '') return
  throw new SameloopError('config-invalid', `Cannot name a tool ${excerpt(name)}: wanted a text`)
}

/** On a copy: who has the map of before keeps it. */
export function change(table: ToolTable, by: (own: Map<string, Entry>) => void): void {
  const own = new Map(table.own)
  by(own)
  table.own = own
  table.list = undefined
}

/** A second name for a tool; the URI stays, so that rules and grants see the same tool. */
export function addAlias(table: ToolTable, alias: string, entry: Entry): void {
  checkName(alias)
  const { entries } = toolList(table)
  if (findEntry(entries, alias)) throw taken(alias)
  const name = freeName(entries, alias)
  change(table, (own) => own.set(name, aliased(entry, alias, name)))
}

const aliased = (entry: Entry, alias: string, name: string): Entry => ({
  ...entry,
  name: alias,
  alias: entry.alias ?? entry.name,
  definition: { ...entry.definition, name },
})

/** Whether there was such a tool; aliases go with it. A parent's tool stays. */
export function removeTool(table: ToolTable, name: string): boolean {
  const found = findEntry(table.own, name)
  if (!found) return false
  change(table, (own) => {
    for (const [key, { uri }] of own) if (uri === found.uri) own.delete(key)
  })
  return true
}

/** By the name a model sees, the registered name, or the URI. */
export function findEntry(entries: ReadonlyMap<string, Entry>, name: string): Entry | undefined {
  const shown = entries.get(name)
  if (shown?.name === name) return shown
  return [...entries.values()].find((entry) => entry.name === name || entry.uri === name) ?? shown
}

/** All tools: the same object until something changes, so that requests stay byte-identical between turns. */
export function toolList(table: ToolTable): ToolList {
  const inherited = table.parent && toolList(table.parent)
  if (table.list && table.list.inherited === inherited) return table.list
  const entries = withAliases(inherited ? over(inherited.entries, table.own) : table.own, table.own)
  const told = [...entries.values()].filter(({ alias }) => alias === undefined)
  return (table.list = { inherited, entries, definitions: told.map(({ definition }) => definition) })
}

/** The parent's tools and the own ones. A parent's tool that models would see under an own name gets another. */
function over(inherited: ReadonlyMap<string, Entry>, own: ReadonlyMap<string, Entry>): ReadonlyMap<string, Entry> {
  const entries = new Map(inherited)
  const hidden: Entry[] = []
  for (const [key, entry] of own) {
    const below = entries.get(key)
    if (below && below.name !== entry.name) hidden.push(below)
    entries.set(key, entry)
  }
  for (const entry of hidden) {
    const name = freeName(entries, entry.name)
    entries.set(name, { ...entry, definition: { ...entry.definition, name } })
  }
  return entries
}

/** Own aliases as the tools are now: they follow the one that takes another's place, and are not there without it. */
function withAliases(entries: ReadonlyMap<string, Entry>, own: ReadonlyMap<string, Entry>): ReadonlyMap<string, Entry> {
  const aliases = [...own].filter(([, { alias }]) => alias !== undefined)
  if (!aliases.length) return entries
  const current = new Map(entries)
  for (const [key, { name, uri, tool }] of aliases) {
    const named = [...entries.values()].find((entry) => entry.uri === uri && entry.alias === undefined)
    if (!named) current.delete(key)
    else if (named.tool !== tool) current.set(key, aliased(named, name, key))
  }
  return current
}

const uriOf = (tool: Tool, name: string): string =>
  name.includes('://') ? name : `${subRunOf(tool) ? 'agent' : 'fn'}://${name}`

function makeEntry(tool: Tool, name: string, safe: string): Entry {
  const input = tool.input && toSchema(tool.input, 'input')
  const parameters = wrapInput(input?.json ?? { type: 'object', properties: {}, additionalProperties: false })
  return {
    tool,
    name,
    uri: uriOf(tool, name),
    input,
    wrapped: parameters.wrapped,
    output: tool.output && toSchema(tool.output, 'output'),
    definition: {
      name: safe,
      description: tool.description,
      inputSchema: parameters.json as ToolDefinition['inputSchema'],
      examples: tool.examples,
    },
    count: { calls: 0 },
  }
}

/** Providers accept 1 to 64 of `a-z A-Z 0-9 _ -`; anything else becomes `_`, and a name that is taken gets a number. */
function freeName(taken: ReadonlyMap<string, unknown>, name: string): string {
  const safe = safeName(name) || 'tool'
  let free = safe
  for (let number = 2; taken.has(free); number++) free = `${safe.slice(0, 63 - String(number).length)}_${number}`
  return free
}
