// Calls by code: the same policy and checks as in a run, nobody to ask, no cap but the caller's own.
import { grants } from '../approval/grants.ts'
import { webHost } from '../host/web-host.ts'
import type { Json } from '../json/value.ts'
import type { Outcome } from '../message/part.ts'
import { execute, prepareNamed } from '../registry/call.ts'
import { capabilities } from '../registry/scope.ts'
import type { CallScope } from '../registry/scope.ts'
import { slots } from '../registry/slots.ts'
import { toolList } from '../registry/table.ts'
import type { ToolTable } from '../registry/table.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'

/** What tools called by code may use: the environment, confined by the policy. */
export interface RegistryOptions {
  readonly env?: Environment | undefined
  readonly policy?: Policy | undefined
  readonly deps?: unknown
}

export type CallByCode = (name: string, input: Json) => Outcome | Promise<Outcome>

/** One scope for all calls, as none of them changes it. */
export function codeCaller(
  table: ToolTable,
  { env = {}, deps }: RegistryOptions,
  policies: readonly Policy[],
): CallByCode {
  const { host = webHost } = env
  // Once: a quota counts over all calls.
  const confined = capabilities(env, policies, host)
  const scopeOf = (tools: CallScope['tools']): CallScope => ({
    host,
    tools,
    rules: [...policies.flatMap((policy) => policy.rules), ...(table.guard?.rules ?? [])],
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
    wrap: undefined,
  })
  // Unlike any other registry's, and cheaper than a random id for each.
  const prefix = host.id('call_')
  let count = 0
  let scope: CallScope | undefined
  return (name, input) => {
    const { entries } = toolList(table)
    if (scope?.tools !== entries) scope = scopeOf(entries)
    return execute(prepareNamed(scope, { callId: `${prefix}_${++count}`, name }, input), scope)
  }
}
