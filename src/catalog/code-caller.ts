// Calls by code: the same policy and checks as in a run, nobody to ask but whom the call brings, no cap but the caller's own.
import { grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import type { Json } from '../json/value.ts'
import type { Outcome } from '../message/part.ts'
import { wrapTool } from '../middleware/middleware.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { execute, prepareNamed } from '../registry/call.ts'
import { capabilities } from '../registry/scope.ts'
import type { CallScope } from '../registry/scope.ts'
import { slots } from '../registry/slots.ts'
import { toolList } from '../registry/table.ts'
import type { ToolTable } from '../registry/table.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import { ownerOf, withSignal } from './call-options.ts'
import type { CallOptions, OwnedScope } from './call-options.ts'

/** What tools called by code may use: the environment, confined by the policy. */
export interface RegistryOptions {
  readonly env?: Environment | undefined
  readonly policy?: Policy | undefined
  /**
   * Of each its `rules`, `advertises` and `tool`; what wraps models has nothing to wrap. Throws `config-invalid` for one
   * that limits or filters by the steps of a run.
   */
  readonly middleware?: readonly Middleware[] | undefined
  readonly deps?: unknown
}

/** What holds for all calls by code of a registry, its parents' first. */
export interface Guards {
  readonly policies: readonly Policy[]
  readonly middleware: readonly Middleware[]
}

export type CallByCode = (name: string, input: Json, options?: CallOptions) => Outcome | Promise<Outcome>

/** One scope for all calls that bring nothing, as none of them changes it. */
export function codeCaller(
  table: ToolTable,
  { env = {}, deps }: RegistryOptions,
  { policies, middleware }: Guards,
): CallByCode {
  const { host = webHost } = env
  // Once: a quota counts over all calls.
  const confined = capabilities(env, policies, host)
  const rules = [...policies, ...middleware].flatMap((one) => one.rules ?? [])
  const wrap = wrapTool(middleware)
  const scopeOf = (tools: CallScope['tools']): CallScope => ({
    host,
    tools,
    rules: [...rules, ...(table.guard?.rules ?? [])],
    asksForEffects: false,
    capabilities: confined,
    policies,
    deps,
    id: 'code',
    step: 0,
    session: undefined,
    messages: [],
    grants: grants(),
    stopped: false,
    aborted: false,
    slots: slots(Infinity),
    wrap,
  })
  // Unlike any other registry's, and cheaper than a random id for each. Not made before it is needed: a Worker has no
  // random numbers while its modules load.
  let prefix: string | undefined
  let count = 0
  let scope: CallScope | undefined
  const owner = ownerOf(table)
  return (name, input, options) => {
    const { entries } = toolList(table)
    if (scope?.tools !== entries) scope = scopeOf(entries)
    prefix ??= host.id('call_')
    const callId = `${prefix}_${++count}`
    if (!options) return execute(prepareNamed(scope, { callId, name }, input), scope)
    const { session } = options
    const own: OwnedScope = {
      ...scope,
      deps: 'deps' in options ? options.deps : deps,
      session,
      grants: options.grants ?? grants(),
      options,
      owner,
    }
    return withSignal(own, () => execute(prepareNamed(own, { callId, name }, input), own))
  }
}

/** Throws `config-invalid` for what would silently do nothing. */
export function checkedMiddleware(list: readonly Middleware[] = []): readonly Middleware[] {
  for (const { name, limits, definitions } of list) {
    if (!limits && !definitions) continue
    throw new SameloopError(
      'config-invalid',
      `Cannot use the middleware "${name}" for calls by code: it counts or filters by the steps of a run`,
    )
  }
  return list
}
