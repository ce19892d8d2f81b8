// Observers of a run. They see, and cannot break: what they throw is caught and reported.
import type { RunEvent } from '../message/event.ts'
import type { Json } from '../json/value.ts'
import type { Message, Outcome } from '../message/part.ts'
import type { ModelRequest } from '../model/model.ts'

export interface ObservedCall {
  readonly callId: string
  readonly name: string
  readonly uri: string
  readonly input: Json
  readonly step: number
  readonly run: string
}

/** Each may be async; nobody waits for it. */
export interface Hooks {
  /** Every event, as it is made. */
  readonly onEvent?: ((event: RunEvent) => unknown) | undefined
  readonly onModelRequest?: ((request: ModelRequest, step: number) => unknown) | undefined
  /** When `execute` begins; not for calls that were denied or did not fit. */
  readonly onToolStart?: ((call: ObservedCall) => unknown) | undefined
  readonly onToolEnd?: ((call: ObservedCall, outcome: Outcome, durationMs: number) => unknown) | undefined
  readonly onStep?: ((step: number, added: readonly Message[]) => unknown) | undefined
  /** A tool answered after its call was over. */
  readonly onLateResult?: ((call: ObservedCall, outcome: Outcome) => unknown) | undefined
}
