// `toolRegistry()`: tools under their names, shared by reference, callable by code through the one call path.
import { grants } from '../approval/grants.ts'
import type { Fetch, Host } from '../host/host.ts'
import { webHost } from '../host/web-host.ts'
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json, Outcome } from '../message/part.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'
import { execute, outcomeValue, safeNameOf } from './call.ts'
import { prepare } from './prepare.ts'
import type { CallScope } from './scope.ts'
import { addTool, allTools, definitions, findTool, removeTool, toolTable } from './table.ts'
import type { AddOptions, ToolTable } from './table.ts'

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

export function toolRegistry(options: RegistryOptions = {}): ToolRegistry {
  const table = toolTable()
  const host = options.env?.host ?? webHost
  const invoke = async (name: string, input: Json): Promise<Outcome> => {
    const scope = codeScope(table, host, options)
    return execute(prepare(scope.tools, host.id('call_'), safeNameOf(scope, name), input), scope)
  }
  const registry: ToolRegistry = {
    table,
    register(tools, addOptions) {
      for (const one of isTool(tools) ? [tools] : tools) addTool(table, one, addOptions)
      return registry
    },
    unregister: (name) => removeTool(table, name),
    get: (name) => findTool(table, name)?.tool,
    list: () => [...allTools(table).values()].map((entry) => entry.name),
    definitions: () => definitions(table),
    call: async (name, input = {}) => outcomeValue(await invoke(name, input), name),
    invoke: (name, input = {}) => invoke(name, input),
  }
  return registry
}

const isTool = (tools: Tool | readonly Tool[]): tools is Tool => !Array.isArray(tools)

/** Calls by code: the same policy and checks, nobody to ask, no cap but the caller's own. */
function codeScope(table: ToolTable, host: Host, { env, policy, deps }: RegistryOptions): CallScope {
  const outward: Fetch | undefined = policy === undefined ? env?.fetch : policy.guardFetch(env?.fetch ?? host.fetch)
  const fs = env?.fs !== undefined && policy !== undefined ? policy.confineFiles(env.fs) : env?.fs
  const nothing = (): void => {}
  return {
    host,
    tools: allTools(table),
    rules: policy?.rules ?? [],
    asksForEffects: false,
    grants: grants(),
    capabilities: { fs, shell: env?.shell, code: env?.code, fetch: outward },
    deps,
    run: { id: 'code', step: 0, session: undefined },
    wrap: undefined,
    stopped: () => false,
    acquire: () => undefined,
    release: nothing,
    onStart: nothing,
    onProgress: nothing,
    onEnd: nothing,
    onLate: nothing,
    onAbort: () => nothing,
  }
}
