// What all that runs has in common: options checked once, the tools, and what they may use.
import { SameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import { misfit } from '../message/shape.ts'
import { wrapTool } from '../middleware/middleware.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { capabilities } from '../registry/scope.ts'
import type { CallScope } from '../registry/scope.ts'
import { addTools, toolTable } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import { countMisfit } from '../run/snapshot.ts'
import type { RunPolicy } from '../run/state.ts'
import type { Policy } from '../tool/rule.ts'
import type { Tool } from '../tool/tool.ts'

/** A registry as `toolRegistry()` makes it: a run only needs its table. */
export interface ToolHolder {
  readonly table: ToolTable
  connect?(): Promise<void>
  close?(): Promise<void>
}

/** The options that agents, orchestrators and engines share. */
export interface RunnerOptions extends RunPolicy {
  readonly tools?: readonly Tool[] | undefined
  readonly registry?: ToolHolder | undefined
  readonly policy?: Policy | undefined
  readonly middleware?: readonly Middleware[] | undefined
  readonly deps?: unknown
}

/** What all runs of one of them share. */
export interface RunnerSetup extends Pick<CallScope, 'host' | 'rules' | 'capabilities' | 'policies' | 'wrap'> {
  readonly options: RunnerOptions
  readonly table: ToolTable
  /** What becomes of a tool that is the driver's own, where the run is one that happens again. */
  readonly adapt?: ((entry: Entry) => Entry) | undefined
}

/** Throws `config-invalid` for options that cannot work; `what` is made of them, and `problem` what else is wrong. */
export function checkRunner(
  what: string,
  { tools = [], concurrency = 1, approvalWaitMs, approvalExpiryMs }: RunnerOptions,
  problem?: string,
): void {
  const wrong =
    misfit({ tools }, { tools: 'array' }) ??
    problem ??
    countMisfit({ concurrency, approvalWaitMs, approvalExpiryMs }) ??
    (concurrency < 1 ? '"concurrency" must be 1 or more' : undefined)
  if (wrong) throw new SameloopError('config-invalid', `Cannot make ${what}: ${wrong}`)
}

export function runnerSetup({
  env = {},
  policy,
  middleware = [],
  registry,
  tools = [],
}: RunnerOptions): Omit<RunnerSetup, 'options'> {
  const { host = webHost } = env
  const policies = policy ? [policy] : []
  const table = toolTable(registry?.table)
  addTools(table, tools)
  return {
    host,
    table,
    rules: [
      ...(policy?.rules ?? []),
      ...(registry?.table.guard?.rules ?? []),
      ...middleware.flatMap((one) => one.rules ?? []),
    ],
    wrap: wrapTool(middleware),
    policies,
    capabilities: capabilities(env, policies, host),
  }
}

/** Those above it, as it is within a call: what the outer run is not allowed, it is not allowed either. */
export function setupWithin<Setup extends RunnerSetup>(setup: Setup, scope: CallScope): Setup {
  const { env = {} } = setup.options
  const { fs, shell, code, fetch } = scope.capabilities
  const host = env.host ?? scope.host
  const policies = [...setup.policies, ...scope.policies]
  const files = env.fs ? undefined : fs
  const made = capabilities(env, policies, host)
  const mine = setup.policies
  return {
    ...setup,
    // Nobody is above a call by code who could decide.
    options: scope.owner ? setup.options : { ...setup.options, approvalWaitMs: 0 },
    host,
    policies,
    rules: [...scope.rules, ...setup.rules],
    capabilities: {
      // What is inherited is confined by the outer policies already, and its quota counts on.
      fs: made.fs ?? (files && capabilities({ fs: files }, mine, host).fs),
      shell: made.shell ?? shell,
      code: made.code ?? code,
      fetch: env.fetch || !fetch ? made.fetch : capabilities({ fetch }, mine, host).fetch,
    },
  }
}
