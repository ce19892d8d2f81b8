// What a model's stream says, whatever its wire dialect, and what a model is told about tools.
import type { FilePart, ProviderData, SourcePart } from './part.ts'
import type { Json } from '../json/value.ts'
import type { Usage } from './usage.ts'

/** Why the model stopped, in our words. `unknown` is never taken for a normal end without a warning. */
export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'stop-sequence' | 'content-filter' | 'refusal' | 'unknown'

/**
 * One thing a stream said. `id` names a text or reasoning block, `index` a tool call; both are unique within the
 * response. A `tool-input-start` may give `providerExecuted` (the provider runs the tool itself); its result then
 * comes as a `tool-result`. The stream of a finished response has exactly one `finish`, last.
 */
export type ModelEvent =
  | { readonly type: 'text-start'; readonly id: string; readonly providerData?: ProviderData | undefined }
  | { readonly type: 'text-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end'; readonly id: string; readonly providerData?: ProviderData | undefined }
  | { readonly type: 'reasoning-start'; readonly id: string; readonly providerData?: ProviderData | undefined }
  | { readonly type: 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'reasoning-end'; readonly id: string; readonly providerData?: ProviderData | undefined }
  | {
      readonly type: 'tool-input-start'
      readonly index: number
      readonly callId?: string | undefined
      readonly name: string
      readonly providerExecuted?: boolean | undefined
      readonly providerData?: ProviderData | undefined
    }
  | { readonly type: 'tool-input-delta'; readonly index: number; readonly delta: string }
  | {
      readonly type: 'tool-result'
      readonly callId: string
      readonly name: string
      readonly ok: boolean
      readonly value: Json
      readonly providerData?: ProviderData | undefined
    }
  | { readonly type: 'source'; readonly source: SourcePart }
  | { readonly type: 'file'; readonly file: FilePart }
  | {
      readonly type: 'finish'
      readonly reason: FinishReason
      readonly rawReason?: string | undefined
      readonly usage: Usage
      readonly providerData?: ProviderData | undefined
    }

/** A tool as a model reads it. `inputSchema` is a JSON Schema of type object. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly inputSchema: { readonly [key: string]: Json | undefined }
  readonly examples?: readonly string[] | undefined
}
