// What a tool's `execute` receives beside its input.
import type { Fetch } from '../host/host.ts'
import type { Json } from '../json/value.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import type { Vfs } from '../vfs/vfs.ts'

/**
 * The context of one call. `fs`, `shell`, `code` and `fetch` come from the environment, confined by the policy; where
 * the environment has none, reading them throws `config-missing-capability`.
 */
export interface ToolContext<Deps = unknown> {
  readonly callId: string
  readonly name: string
  readonly uri: string
  /** The coerced JSON before the schema's transforms. */
  readonly rawInput: Json
  /** The same for every attempt of this call: for a server that deduplicates. */
  readonly idempotencyKey: string
  /** From 1. */
  readonly attempt: number
  /** Aborts when the run is aborted or the tool's time is over. */
  readonly signal: AbortSignal
  /** What `run(input, { deps })` or the agent was given. */
  readonly deps: Deps
  readonly fs: Vfs
  readonly shell: Sandbox
  readonly code: Sandbox
  readonly fetch: Fetch
  /** Runs another tool, by name or URI, through the same checks. Returns its value; throws `tool-…`. */
  call(nameOrUri: string, input: Json): Promise<unknown>
  /** Shows progress to people; the model does not see it. */
  progress(value: Json): void
  readonly run: { readonly id: string; readonly step: number; readonly session: string | undefined }
}
