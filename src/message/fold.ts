// Folds a model's events into the parts of one assistant message. Text is joined as it comes, parsed by nobody here.
import type { FinishReason, ModelEvent } from './model-event.ts'
import type { Part, ProviderData } from './part.ts'
import type { Usage } from './usage.ts'

/** A block or a call that grows, or a part that came whole. */
export interface Folded {
  readonly type: 'text' | 'reasoning' | 'call' | 'part'
  /** The id of a block, the index of a call. */
  readonly key: string | number | undefined
  text: string
  providerData: ProviderData | undefined
  readonly start: Extract<ModelEvent, { readonly type: 'tool-input-start' }> | undefined
  readonly part: Part | undefined
}

/** A call as the model spelled it: `text` is its arguments, unparsed. */
export type RawCall = Folded & { readonly start: NonNullable<Folded['start']> }

/** What one response said so far. */
export interface Fold {
  readonly items: Folded[]
  /** The item the last delta went to. */
  last: Folded | undefined
  finish: FinishReason | undefined
  rawFinish: string | undefined
  usage: Usage
}

export function fold(): Fold {
  return { items: [], last: undefined, finish: undefined, rawFinish: undefined, usage: {} }
}

/** Takes one event in. Deltas of a block or call that never started are ignored. */
export function foldEvent(into: Fold, event: ModelEvent): void {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return append(into, event.id, event.delta)
    case 'tool-input-delta':
      return append(into, event.index, event.delta)
    case 'text-start':
      return add(into, 'text', event.id, event.providerData)
    case 'reasoning-start':
      return add(into, 'reasoning', event.id, event.providerData)
    case 'text-end':
    case 'reasoning-end': {
      const block = find(into, event.id)
      if (block !== undefined && event.providerData !== undefined) block.providerData = merged(block.providerData, event.providerData)
      return
    }
    case 'tool-input-start':
      return add(into, 'call', event.index, event.providerData, event)
    case 'tool-result': {
      const { callId, name, ok, value, providerData } = event
      const content = [{ type: 'json', value } as const]
      return addPart(into, { type: 'tool-result', callId, name, ok, content, providerExecuted: true, providerData })
    }
    case 'source':
      return addPart(into, event.source)
    case 'file':
      return addPart(into, event.file)
    case 'finish':
      into.finish = event.reason
      into.rawFinish = event.rawReason
      into.usage = event.usage
  }
}

/** The text said so far. */
export function foldedText(from: Fold): string {
  return from.items.map((item) => (item.type === 'text' ? item.text : '')).join('')
}

/** The finished parts; `callPart` turns each call into its part, or `undefined` to leave it out. Empty text is left out. */
export function foldedParts(from: Fold, callPart: (call: RawCall) => Part | undefined): Part[] {
  return from.items.flatMap((item): readonly Part[] => {
    const { type, text, providerData } = item
    if (type === 'part') return item.part === undefined ? [] : [item.part]
    const call = type === 'call' ? callPart(item as RawCall) : undefined
    if (type === 'call') return call === undefined ? [] : [call]
    if (providerData !== undefined) return [{ type, text, providerData }]
    return text === '' ? [] : [{ type, text }]
  })
}

function add(
  into: Fold,
  type: Folded['type'],
  key: string | number,
  providerData: ProviderData | undefined,
  start?: Folded['start'],
): void {
  into.last = { type, key, text: '', providerData, start, part: undefined }
  into.items.push(into.last)
}

function addPart(into: Fold, part: Part): void {
  into.items.push({ type: 'part', key: undefined, text: '', providerData: undefined, start: undefined, part })
}

function append(into: Fold, key: string | number, delta: string): void {
  const item = into.last?.key === key ? into.last : find(into, key)
  if (item !== undefined) item.text += delta
}

function find(into: Fold, key: string | number): Folded | undefined {
  for (let index = into.items.length - 1; index >= 0; index--) {
    const item = into.items[index] as Folded
    if (item.key === key) return (into.last = item)
  }
  return undefined
}

function merged(left: ProviderData | undefined, right: ProviderData): ProviderData {
  const all: Record<string, ProviderData[string]> = { ...left }
  for (const [provider, data] of Object.entries(right)) all[provider] = { ...all[provider], ...data }
  return all
}
