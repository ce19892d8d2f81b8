// What decides about a call before it runs: rules, and the policy that carries them.
import type { Fetch } from '../host/host.ts'
import type { Effect } from '../message/decision.ts'
import type { Json } from '../json/value.ts'
import type { Message } from '../message/part.ts'
import type { Vfs } from '../vfs/vfs.ts'

/** Where a run is, for what depends on it. */
export interface StepFacts {
  /** Its id; `code` for a call by code. */
  readonly run: string
  readonly step: number
  readonly session: string | undefined
  /** The conversation so far, the step of a call included; empty for a call by code. */
  readonly messages: readonly Message[]
  readonly deps: unknown
}

export interface CallFacts extends StepFacts {
  readonly callId: string
  readonly name: string
  readonly uri: string
  /** The coerced input. */
  readonly input: Json
  readonly effect: Effect
}

export type Verdict = { readonly action: 'allow' } | { readonly action: 'deny' | 'ask'; readonly reason: string }

/** Says what it thinks of a call, or `undefined` for no opinion. The strictest verdict wins: deny, then ask, then allow. */
export type Rule = (call: CallFacts) => Verdict | undefined

/**
 * Limits on what tools may do, as `policy()` makes them. The core knows only this shape, so an agent without a policy
 * carries none of its code.
 */
export interface Policy {
  readonly rules: readonly Rule[]
  /** Whether the model is told about a tool of this name at all. */
  advertises(name: string, uri: string): boolean
  confineFiles(files: Vfs): Vfs
  guardFetch(fetch: Fetch): Fetch
}
