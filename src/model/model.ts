// The model port: what a provider implements, and what a request to it holds.
import type { Host } from '../host/host.ts'
import type { WarningCode } from '../message/event.ts'
import type { ModelEvent, ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import type { Message } from '../message/part.ts'

/** Settings every dialect maps to its own or reports as ignored by a warning. */
export interface ModelSettings {
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly stopSequences?: readonly string[] | undefined
  /** How much the model should think: a level, or a budget in tokens. */
  readonly reasoning?: 'off' | 'low' | 'medium' | 'high' | { readonly tokens: number } | undefined
  /** `auto` (default), `none`, `required`, or one tool by name. */
  readonly toolChoice?: 'auto' | 'none' | 'required' | { readonly tool: string } | undefined
  /** Sent as it is to the named provider, for example `{ anthropic: { thinking: … } }`; other providers' are not sent. */
  readonly providerOptions?: { readonly [provider: string]: { readonly [key: string]: Json | undefined } } | undefined
}

export interface ModelCapabilities {
  /** `effects`: the model plans by rules and may guess wrong, so every call that is not `read` asks a person first. */
  readonly asksFor?: 'effects' | undefined
}

/**
 * One request. `messages` is the run's own array: while it is only appended to, the same array comes again, so a
 * dialect may cache what it serialised by the array's identity. Instructions are not part of it.
 */
export interface ModelRequest {
  readonly messages: readonly Message[]
  readonly instructions?: string | undefined
  /** The same array as long as the tools did not change. */
  readonly tools: readonly ToolDefinition[]
  readonly settings: ModelSettings
  /** The JSON Schema the answer must satisfy, for structured output. */
  readonly output?: { readonly [key: string]: Json | undefined } | undefined
}

export interface ModelCall {
  readonly host: Host
  readonly signal?: AbortSignal | undefined
  readonly onWarning?: ((code: WarningCode, message: string, data?: Json) => void) | undefined
  /** The request was shortened: about how many tokens it had, and has. */
  readonly onCompaction?: ((before: number, after: number) => void) | undefined
  /** Called before a wait of `delayMs`; attempts count from 1. */
  readonly onRetry?: ((attempt: number, delayMs: number, reason: string) => void) | undefined
}

/**
 * A model. `stream` yields arrays of events, one array per network chunk, and ends after `finish`.
 * It throws `SameloopError` (`model-…`, `stream-…`) when a response fails, and retries by itself only before its first
 * event. An abort is thrown as the signal's reason, unwrapped.
 */
export interface Model {
  /** The model's name at its provider. */
  readonly id: string
  /** The key of `providerData` and `providerOptions`. */
  readonly provider: string
  readonly capabilities: ModelCapabilities
  stream(request: ModelRequest, call: ModelCall): AsyncIterable<readonly ModelEvent[]>
}
