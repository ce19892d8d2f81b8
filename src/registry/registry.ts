// `toolRegistry()`: tools under their names, shared by reference, callable by code through the one call path.
import { grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import { excerpt } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { Outcome } from '../message/part.ts'
import type { JsonSchema } from '../schema/schema.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy, StepFacts } from '../tool/rule.ts'
import type { ToolSource } from '../tool/source.ts'
import type { Tool } from '../tool/tool.ts'
import { toolNames } from '../tool/tool-names.ts'
import { execute, outcomeValue, prepareNamed } from './call.ts'
import { attempt } from './perform.ts'
import { capabilities } from './scope.ts'
import type { CallScope } from './scope.ts'
import { slots } from './slots.ts'
import { sourcesOf } from './sources.ts'
import { switches } from './switches.ts'
import { addAlias, addTool, findEntry, removeTool, toolList, toolTable } from './table.ts'
import type { AddOptions, Entry, ToolTable } from './table.ts'

/** What tools called by code may use: the environment, confined by the policy. Nobody is there to be asked. */
export interface RegistryOptions {
  readonly env?: Environment | undefined
  readonly policy?: Policy | undefined
  readonly deps?: unknown
}

/** A tool as people and programs read it. */
export interface ToolDescription {
  /** Its URI. */
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** What `call` gives. */
  readonly outputSchema: JsonSchema
}

/** Whether a tool may be used, by whom: `facts` has the session and the `deps` of the run. */
export type Permission = (tool: { readonly name: string; readonly uri: string }, facts: StepFacts) => boolean

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
  call(nameOrUri: string, input?: Json): Promise<unknown>
  /** The same as an outcome; never throws. */
  invoke(nameOrUri: string, input?: Json): Promise<Outcome>
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
  /** A registry that sees this one's tools, later ones too, and keeps its own tools, aliases and switches. */
  fork(options?: RegistryOptions): ToolRegistry
}

/** Tools under their names, for agents (`agent({ registry })`) and for code. Holders of the same registry see the same tools. */
export function toolRegistry(options: RegistryOptions = {}): ToolRegistry {
  return registryOver(undefined, options)
}

function registryOver(parent: ToolTable | undefined, options: RegistryOptions): ToolRegistry {
  const { env = {}, policy, deps } = options
  const { host = webHost } = env
  const own = switches()
  const table: ToolTable = toolTable(parent, {
    rules: [...(parent?.guard?.rules ?? []), own.rule],
    advertises: (name, uri, facts) =>
      own.advertises(name, uri, facts) && parent?.guard?.advertises(name, uri, facts) !== false,
    connect: (uri) => both(parent?.guard?.connect(uri), sources.connect(uri)),
  })
  const sources = sourcesOf(table)
  // Once: a quota counts over all calls.
  const policies = policy ? [policy] : []
  const confined = capabilities(env, policies, host)
  const rules = [...(policy?.rules ?? []), ...(table.guard?.rules ?? [])]
  const nobody: StepFacts = { run: 'code', step: 0, session: undefined, messages: [], deps }
  const isShown = ({ name, uri }: Entry): boolean => table.guard?.advertises(name, uri, nobody) !== false
  const shown = (): readonly Entry[] => [...toolList(table).entries.values()].filter(isShown)
  let told: readonly ToolDefinition[] = []

  const found = (name: string): Entry => {
    const entry = findEntry(toolList(table).entries, name)
    if (entry) return entry
    const data = { name }
    throw new SameloopError('tool-not-found', `There is no tool ${excerpt(name)}`, { data })
  }
  /** Where the name is unknown here, a source may know it. */
  const connected = async (name: string): Promise<void> => {
    if (!findEntry(toolList(table).entries, name)) await table.guard?.connect(name.includes('://') ? name : undefined)
  }
  const described = async (name: string): Promise<ToolDescription> => {
    await connected(name)
    return describeEntry(found(name))
  }
  /** Calls by code: the same policy and checks, nobody to ask, no cap but the caller's own. */
  const scope = (): CallScope => ({
    host,
    tools: toolList(table).entries,
    rules,
    asksForEffects: false,
    capabilities: confined,
    policies,
    deps,
    id: nobody.run,
    step: 0,
    session: undefined,
    messages: nobody.messages,
    grants: grants(),
    stopped: false,
    aborted: false,
    slots: slots(Infinity),
    wrap: undefined,
  })
  const run = (name: string, input: Json): Outcome | Promise<Outcome> => {
    const caller = scope()
    return execute(prepareNamed(caller, { callId: host.id('call_'), name }, input), caller)
  }

  const registry: ToolRegistry = {
    table,
    register(tools, addOptions) {
      for (const one of isTool(tools) ? [tools] : tools) addTool(table, one, addOptions)
      return registry
    },
    unregister: (name) => removeTool(table, name),
    alias(alias, name) {
      addAlias(table, alias, found(name))
      own.alias(alias)
      return registry
    },
    disable(name) {
      own.disable(found(name).uri)
      return registry
    },
    enable(name) {
      own.enable(found(name).uri)
      return registry
    },
    allow(permission) {
      own.allow(permission)
      return registry
    },
    calls(name) {
      const { uri } = found(name)
      return [...toolList(table).entries.values()].reduce(
        (sum, entry) => sum + (entry.uri === uri ? entry.calls : 0),
        0,
      )
    },
    get(name) {
      const entry = findEntry(toolList(table).entries, name)
      return entry && !own.isDisabled(entry.uri) ? entry.tool : undefined
    },
    list: () => shown().map((entry) => entry.name),
    definitions() {
      const now = shown().map((entry) => entry.definition)
      if (now.length !== told.length || now.some((one, index) => one !== told[index])) told = now
      return told
    },
    async call(name, input = {}) {
      await connected(name)
      return outcomeValue(await run(name, input), name)
    },
    invoke: async (name, input = {}) =>
      attempt(
        () => connected(name).then(() => run(name, input)),
        (outcome) => outcome as Outcome,
      ),
    async describe({ allow } = {}) {
      await table.guard?.connect()
      const isAllowed = allow ? toolNames(allow) : () => true
      return shown()
        .filter(({ name, uri }) => isAllowed(name, uri))
        .map(describeEntry)
    },
    definition: described,
    inputSchema: async (name) => (await described(name)).inputSchema,
    outputSchema: async (name) => (await described(name)).outputSchema,
    addSource(source) {
      sources.add(source)
      return registry
    },
    connect: async () => table.guard?.connect(),
    close: sources.close,
    fork: (given = {}) => registryOver(table, { ...options, ...given }),
    ...disposal(sources.close),
  }
  return registry
}

/** Not every runtime has the symbol yet. */
function disposal(close: () => Promise<void>): Disposal {
  const { asyncDispose } = Symbol as { readonly asyncDispose?: symbol }
  return (asyncDispose ? { [asyncDispose]: close } : {}) as Disposal
}

const isTool = (tools: Tool | readonly Tool[]): tools is Tool => !Array.isArray(tools)

const both = (one: Promise<void> | undefined, other: Promise<void> | undefined): Promise<void> | undefined =>
  one && other ? Promise.all([one, other]).then(() => undefined) : (one ?? other)

/** The output as `call` gives it: an object as it is, anything else under `result`. */
function describeEntry({ uri, definition, input, output }: Entry): ToolDescription {
  const result = output?.json ?? {}
  const isObject = output?.json['type'] === 'object'
  return {
    name: uri,
    description: definition.description,
    inputSchema: input?.json['type'] === 'object' ? input.json : definition.inputSchema,
    outputSchema: isObject ? result : { type: 'object', properties: { result }, required: ['result'] },
  }
}
