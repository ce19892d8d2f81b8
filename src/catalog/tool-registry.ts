// `toolRegistry()`: tools under their names, shared by reference, callable by code through the one call path.
import { webHost } from '../host/web-host.ts'
import type { Json } from '../json/value.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { Outcome } from '../message/part.ts'
import { outcomeValue } from '../registry/call.ts'
import { attempt } from '../registry/perform.ts'
import { addAlias, addTools, findEntry, removeTool, toolList, toolTable } from '../registry/table.ts'
import type { AddOptions, ToolTable } from '../registry/table.ts'
import type { JsonSchema } from '../schema/schema.ts'
import type { ToolSource } from '../tool/source.ts'
import type { Tool } from '../tool/tool.ts'
import type { CallOptions } from './call-options.ts'
import { checkedMiddleware, codeCaller } from './code-caller.ts'
import type { CallByCode, Guards, RegistryOptions } from './code-caller.ts'
import { sourcesOf } from './sources.ts'
import type { Sources } from './sources.ts'
import { switches } from './switches.ts'
import type { Permission, Switches } from './switches.ts'
import { viewOf } from './view.ts'
import type { Served, ToolDescription, View } from './view.ts'

/** `await using registry = toolRegistry()`, where the language knows it. */
type Disposal = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [key in Key]: () => Promise<void> }
  : object

/**
 * Tools are named by the name they were registered under (`fs.ls`), by their URI (`fn://fs.ls`, `rest://shop.get_order`)
 * or by the name that models see (`fs_ls`). `describe`, `call` and agents connect sources when they need them.
 */
export interface ToolRegistry extends Disposal {
  /** For agents; not for use by hand. */
  readonly table: ToolTable
  /** For servers; not for use by hand. */
  readonly served: Served
  /** Throws `config-duplicate-tool` for a name that is taken, unless `override` is true. */
  register(tools: Tool | readonly Tool[], options?: AddOptions): ToolRegistry
  /** Whether there was such a tool. Its aliases go with it. */
  unregister(name: string): boolean
  /** A second name for calls; models are told of the first alone. Throws `tool-not-found`, `config-duplicate-tool`. */
  alias(alias: string, name: string): ToolRegistry
  /** Takes a tool away for a while: neither listed, nor shown, nor run. Throws `tool-not-found`. */
  disable(name: string): ToolRegistry
  enable(name: string): ToolRegistry
  /** Only where every predicate holds is a tool shown and run. One that throws forbids. */
  allow(permission: Permission): ToolRegistry
  /** How often a tool ran, under all of its names. */
  calls(name: string): number
  get(name: string): Tool | undefined
  /** Names, in registration order, without aliases and what is disabled. */
  list(): readonly string[]
  /** What a model is told; the same array until something changes. */
  definitions(): readonly ToolDefinition[]
  /** The value of a call: an object as its schema says, else `{ result }`. Throws `tool-…` and `source-failed` errors. */
  call(nameOrUri: string, input?: Json, options?: CallOptions): Promise<unknown>
  /** The same as an outcome; never throws. */
  invoke(nameOrUri: string, input?: Json, options?: CallOptions): Promise<Outcome>
  /** All tools, or those that `allow` names: URIs, `rest://shop.*`, `shop.*`, `*`. An empty list names none. */
  describe(options?: { readonly allow?: readonly string[] | undefined }): Promise<readonly ToolDescription[]>
  /** Throws `tool-not-found`. */
  definition(nameOrUri: string): Promise<ToolDescription>
  inputSchema(nameOrUri: string): Promise<JsonSchema>
  outputSchema(nameOrUri: string): Promise<JsonSchema>
  /** A server, a document or a module whose tools come in when it is connected. */
  addSource(source: ToolSource): ToolRegistry
  /** Connects what is not connected yet; rejects with `source-failed`, and what could connect is. */
  connect(): Promise<void>
  /** Closes the sources, the last one first. They open again when they are needed. */
  close(): Promise<void>
  /**
   * A registry that sees this one's tools, later ones too, and keeps its own tools, aliases and switches. A policy and
   * middleware given here hold beside this one's: a fork can only be narrower.
   */
  fork(options?: RegistryOptions): ToolRegistry
}

/** Tools under their names, for agents (`agent({ registry })`) and for code. Holders of the same registry see the same tools. */
export function toolRegistry(options: RegistryOptions = {}): ToolRegistry {
  return registryOver(options)
}

/** What a fork is over: the tools of its parent, and what holds for it too. */
interface Above extends Guards {
  readonly table: ToolTable
}

function registryOver(options: RegistryOptions, over?: Above): ToolRegistry {
  const parent = over?.table
  const guards: Guards = {
    policies: [options.policy, ...(over?.policies ?? [])].filter((policy) => policy !== undefined),
    middleware: [...(over?.middleware ?? []), ...checkedMiddleware(options.middleware)],
  }
  const own = switches()
  const above = parent?.guard
  const table: ToolTable = toolTable(parent, {
    rules: [...(above?.rules ?? []), own.rule],
    advertises: (name, uri, facts) => own.advertises(name, uri, facts) && above?.advertises(name, uri, facts) !== false,
    connect: (uri) => both(above?.connect(uri), sources.connect(uri)),
  })
  const sources = sourcesOf(table, options.env?.host ?? webHost)
  const view = viewOf(table, options.deps, guards)
  const registry: ToolRegistry = {
    table,
    served: view.served,
    ...changing({ table, own, view, sources }, () => registry),
    ...calling(view, codeCaller(table, options, guards)),
    calls: view.calls,
    get(name) {
      const entry = findEntry(toolList(table).entries, name)
      return entry && !own.isDisabled(entry.uri) ? entry.tool : undefined
    },
    list: view.list,
    definitions: view.definitions,
    describe: ({ allow } = {}) => view.describe(allow),
    definition: view.definition,
    inputSchema: async (name) => (await view.definition(name)).inputSchema,
    outputSchema: async (name) => (await view.definition(name)).outputSchema,
    connect: async () => table.guard?.connect(),
    close: sources.close,
    fork: (given = {}) =>
      registryOver({ ...options, policy: undefined, middleware: undefined, ...given }, { table, ...guards }),
    ...disposal(sources.close),
  }
  return registry
}

interface Parts {
  readonly table: ToolTable
  readonly own: Switches
  readonly view: View
  readonly sources: Sources
}

type Changes = Pick<ToolRegistry, 'register' | 'unregister' | 'alias' | 'disable' | 'enable' | 'allow' | 'addSource'>

function changing({ table, own, view, sources }: Parts, registry: () => ToolRegistry): Changes {
  return {
    register(tools, addOptions = {}) {
      addTools(table, isTool(tools) ? [tools] : tools, () => addOptions)
      return registry()
    },
    unregister: (name) => removeTool(table, name),
    alias(alias, name) {
      addAlias(table, alias, view.find(name))
      return registry()
    },
    disable(name) {
      own.disable(view.find(name).uri)
      return registry()
    },
    enable(name) {
      own.enable(view.find(name).uri)
      return registry()
    },
    allow(permission) {
      own.allow(permission)
      return registry()
    },
    addSource(source) {
      sources.add(source)
      return registry()
    },
  }
}

const calling = ({ connect }: View, run: CallByCode): Pick<ToolRegistry, 'call' | 'invoke'> => ({
  async call(name, input = {}, options) {
    const later = connect(name)
    if (later) await later
    const outcome = run(name, input, options)
    return outcomeValue(outcome instanceof Promise ? await outcome : outcome, name)
  },
  invoke: async (name, input = {}, options) =>
    attempt(
      () => connect(name)?.then(() => run(name, input, options)) ?? run(name, input, options),
      (outcome) => outcome as Outcome,
    ),
})

/** Not every runtime has the symbol yet. */
function disposal(close: () => Promise<void>): Disposal {
  const { asyncDispose } = Symbol as { readonly asyncDispose?: symbol }
  return (asyncDispose ? { [asyncDispose]: close } : {}) as Disposal
}

const isTool = (tools: Tool | readonly Tool[]): tools is Tool => !Array.isArray(tools)

const both = (one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined =>
  one && other ? Promise.all([one, other]).then(() => undefined) : (one ?? other)
