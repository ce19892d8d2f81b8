// What a message is made of. Everything here is plain JSON.

import type { Json } from '../json/value.ts'
import type { Coercion } from '../schema/coerce.ts'

/**
 * Opaque facts of one provider (signatures, encrypted items, item ids), keyed by the provider's name, for example
 * `{ anthropic: { signature: '…' } }`. They travel back to that provider unchanged and never to another.
 */
export type ProviderData = { readonly [provider: string]: { readonly [key: string]: Json | undefined } }

interface Base {
  readonly providerData?: ProviderData | undefined
}

export interface TextPart extends Base {
  readonly type: 'text'
  readonly text: string
}

export interface JsonPart extends Base {
  readonly type: 'json'
  readonly value: Json
}

export interface ReasoningPart extends Base {
  readonly type: 'reasoning'
  readonly text: string
}

/** A file of any kind, an image included: `data` is base64, or `url` says where it is. */
export interface FilePart extends Base {
  readonly type: 'file'
  readonly mediaType: string
  readonly data?: string | undefined
  readonly url?: string | undefined
  readonly name?: string | undefined
}

export interface SourcePart extends Base {
  readonly type: 'source'
  readonly url?: string | undefined
  readonly document?: string | undefined
  readonly title?: string | undefined
}

/** `malformed`: the model's text was no JSON object; `input` is then that raw text, and the tool never runs. */
export interface ToolCallPart extends Base {
  readonly type: 'tool-call'
  readonly callId: string
  readonly name: string
  readonly input: Json
  readonly malformed?: boolean | undefined
  readonly providerExecuted?: boolean | undefined
}

export interface ToolResultPart extends Base {
  readonly type: 'tool-result'
  readonly callId: string
  readonly name: string
  readonly ok: boolean
  readonly reason?: FailureReason | undefined
  readonly content: readonly ContentPart[]
  readonly providerExecuted?: boolean | undefined
}

/** What a tool may answer with. */
export type ContentPart = TextPart | JsonPart | FilePart | SourcePart

export type Part = ContentPart | ReasoningPart | ToolCallPart | ToolResultPart

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: readonly Part[]
}

/** Why a call gave no value. A closed list, pinned by a test. */
export type FailureReason =
  | 'not-found'
  | 'invalid-input'
  | 'denied'
  | 'timeout'
  | 'failed'
  | 'invalid-output'
  | 'aborted'
  | 'pending'
  | 'unknown-outcome'
  | 'limit'

/** How a tool call ended. `value` is for code, `parts` for the model, `details` for people only. */
export type Outcome =
  | {
      readonly ok: true
      readonly value: unknown
      readonly parts: readonly ContentPart[]
      /** Whether the call was return-direct: its content may end the run. */
      readonly final: boolean
      /** What the value was coerced from, to fit the output schema. */
      readonly coercions?: readonly Coercion[] | undefined
      readonly details?: Json | undefined
    }
  | {
      readonly ok: false
      readonly reason: FailureReason
      readonly parts: readonly ContentPart[]
      readonly cause?: unknown
      readonly details?: Json | undefined
    }

/** An outcome as events and the journal hold it: without `value` and `cause`. */
export type PublicOutcome =
  | {
      readonly ok: true
      readonly parts: readonly ContentPart[]
      readonly final: boolean
      readonly coercions?: readonly Coercion[] | undefined
      readonly details?: Json | undefined
    }
  | {
      readonly ok: false
      readonly reason: FailureReason
      readonly parts: readonly ContentPart[]
      readonly details?: Json | undefined
    }
