// What an answer says in the same way whatever its dialect.
import type { FinishReason, ModelEvent } from '../message/model-event.ts'
import type { SourcePart } from '../message/part.ts'
import type { ModelCall } from '../model/model.ts'
import type { Emit } from '../model/payload-reader.ts'
import type { Scrub } from '../model/request.ts'
import type { Json } from '../json/value.ts'
import { own } from '../json/value.ts'

export interface AnswerOptions {
  readonly provider: string
  readonly emit: Emit
  readonly scrub: Scrub
  readonly onWarning: ModelCall['onWarning']
}

/** The dialect's words for why an answer ended, and ours. */
export type FinishReasons = { readonly [word: string]: FinishReason }

/** Tells each source once; one that points nowhere is none. */
export function sources(emit: Emit): (url: string, more?: Omit<SourcePart, 'type' | 'url'>) => void {
  const told = new Set<string>()
  return (url, more) => {
    const key = url || more?.document
    if (!key || told.has(key)) return
    told.add(key)
    emit({ type: 'source', source: { type: 'source', ...(url && { url }), ...more } })
  }
}

/** Our word for `raw`; that there is none is told. Only then may `raw` be anything, a secret included. */
export function finishReason(
  raw: string,
  reasons: FinishReasons,
  { scrub, onWarning }: AnswerOptions,
): { reason: FinishReason; readonly rawReason: string | undefined } {
  const reason = own(reasons, raw) as FinishReason | undefined
  if (reason) return { reason, rawReason: raw }
  const shown = scrub(raw)
  onWarning?.('unknown-finish-reason', `Finish reason "${shown}" is unknown`)
  return { reason: 'unknown', rawReason: shown || undefined }
}

/** A block of text that is being said. */
export interface TextBlock {
  readonly kind: 'text' | 'reasoning'
  readonly id: string
  /** What its provider wants back with it. */
  readonly data: Record<string, Json>
}

export function textBlock(kind: TextBlock['kind'], id: string, emit: Emit): TextBlock {
  emit({ type: `${kind}-start`, id })
  return { kind, id, data: {} }
}

// One of two words, not one made of two: it is looked up for every delta.
export const textDelta = ({ kind, id }: TextBlock, delta: string): ModelEvent => ({
  type: kind === 'text' ? 'text-delta' : 'reasoning-delta',
  id,
  delta,
})

export function endBlock({ kind, id, data }: TextBlock, { provider, emit }: AnswerOptions): void {
  emit({ type: `${kind}-end`, id, ...(Object.keys(data)[0] && { providerData: { [provider]: data } }) })
}
