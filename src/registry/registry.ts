// `toolRegistry()`: tools under their names, shared by reference, callable by code through the one call path.
import { grants } from '../approval/grants.ts'
import type { Host } from '../host/host.ts'
import { webHost } from '../host/web-host.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import type { Outcome } from '../message/part.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'
import { execute, outcomeValue, prepareNamed } from './call.ts'
import { attempt } from './perform.ts'
import { capabilities } from './scope.ts'
import type { Capabilities, CallScope } from './scope.ts'
import { slots } from './slots.ts'
import { addTool, findEntry, toolList, toolTable } from './table.ts'
import type { AddOptions, ToolTable } from './table.ts'

/** What tools called by code may use: the environment, confined by the policy. Nobody is there to be asked. */
export interface RegistryOptions {
  readonly env?: Environment | undefined
  readonly policy?: Policy | undefined
  readonly deps?: unknown
}

export interface ToolRegistry {
  /** For agents; not for use by hand. */
  readonly table: ToolTable
  /** Throws `config-duplicate-tool` for a name that is taken, unless `override` is true. */
  register(tools: Tool | readonly Tool[], options?: AddOptions): ToolRegistry
  /** Whether there was such a tool. */
  unregister(name: string): boolean
  /** By name, URI or the name a model sees. */
  get(name: string): Tool | undefined
  /** Names, in registration order. */
  list(): readonly string[]
  /** What a model is told; the same array until something changes. */
  definitions(): readonly ToolDefinition[]
  /** The value of a call: an object as its schema says, else `{ result }`. Throws `tool-…` errors. */
  call(nameOrUri: string, input?: Json): Promise<unknown>
  /** The same as an outcome; never throws. */
  invoke(nameOrUri: string, input?: Json): Promise<Outcome>
}

/** Tools under their names, for agents (`agent({ registry })`) and for code. Holders of the same registry see the same tools. */
export function toolRegistry(options: RegistryOptions = {}): ToolRegistry {
  const table = toolTable()
  const { env = {}, policy } = options
  const { host = webHost } = env
  // Once: a quota counts over all calls.
  const confined = capabilities(env, policy, host)
  const invoke = async (name: string, input: Json = {}): Promise<Outcome> =>
    attempt(
      () => {
        const scope = codeScope(table, { host, options, confined })
        return execute(prepareNamed(scope, { callId: host.id('call_'), name }, input), scope)
      },
      (outcome) => outcome as Outcome,
    )
  const registry: ToolRegistry = {
    table,
    register(tools, addOptions) {
      for (const one of isTool(tools) ? [tools] : tools) addTool(table, one, addOptions)
      return registry
    },
    unregister(name) {
      const kept = [...table.own].filter(([, entry]) => entry.name !== name)
      const isKnown = kept.length < table.own.size
      table.own = new Map(kept)
      table.list = undefined
      return isKnown
    },
    get: (name) => findEntry(toolList(table).entries, name)?.tool,
    list: () => Array.from(toolList(table).entries.values(), (entry) => entry.name),
    definitions: () => toolList(table).definitions,
    call: async (name, input) => outcomeValue(await invoke(name, input), name),
    invoke,
  }
  return registry
}

interface CodeCaller {
  readonly host: Host
  readonly options: RegistryOptions
  readonly confined: Capabilities
}

const isTool = (tools: Tool | readonly Tool[]): tools is Tool => !Array.isArray(tools)

/** Calls by code: the same policy and checks, nobody to ask, no cap but the caller's own. */
function codeScope(table: ToolTable, { host, options, confined }: CodeCaller): CallScope {
  const { policy, deps } = options
  return {
    host,
    tools: toolList(table).entries,
    rules: policy?.rules ?? [],
    asksForEffects: false,
    capabilities: confined,
    deps,
    id: 'code',
    step: 0,
    session: undefined,
    grants: grants(),
    stopped: false,
    aborted: false,
    slots: slots(Infinity),
    wrap: undefined,
  }
}
