// Folds a model's events into the parts of one assistant message. Text is joined as it comes, parsed by nobody here.
import type { FinishReason, ModelEvent } from './model-event.ts'
import type { Part, ProviderData } from './part.ts'
import type { Usage } from './usage.ts'

/** A call as the model spelled it: `text` is its arguments, unparsed. */
export interface RawCall {
  readonly index: number
  readonly callId: string | undefined
  readonly name: string
  text: string
  readonly providerExecuted: boolean
  readonly providerData: ProviderData | undefined
}

interface OpenBlock {
  readonly type: 'text' | 'reasoning'
  readonly id: string
  text: string
  providerData: ProviderData | undefined
}

type Item = OpenBlock | { readonly type: 'call'; readonly call: RawCall } | { readonly type: 'part'; readonly part: Part }

/** What one response said so far. */
export interface Fold {
  readonly items: Item[]
  block: OpenBlock | undefined
  call: RawCall | undefined
  finish: FinishReason | undefined
  rawFinish: string | undefined
  usage: Usage
  providerData: ProviderData | undefined
}

export function fold(): Fold {
  return { items: [], block: undefined, call: undefined, finish: undefined, rawFinish: undefined, usage: {}, providerData: undefined }
}

/** Takes one event in. Deltas of a block or call that never started are ignored. */
export function foldEvent(into: Fold, event: ModelEvent): void {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta': {
      const block = into.block?.id === event.id ? into.block : findBlock(into, event.id)
      if (block !== undefined) block.text += event.delta
      return
    }
    case 'tool-input-delta': {
      const call = into.call?.index === event.index ? into.call : findCall(into, event.index)
      if (call !== undefined) call.text += event.delta
      return
    }
    case 'text-start':
    case 'reasoning-start': {
      const type = event.type === 'text-start' ? 'text' : 'reasoning'
      into.block = { type, id: event.id, text: '', providerData: event.providerData }
      into.items.push(into.block)
      return
    }
    case 'text-end':
    case 'reasoning-end': {
      const block = findBlock(into, event.id)
      if (block !== undefined && event.providerData !== undefined) block.providerData = merge(block.providerData, event.providerData)
      return
    }
    case 'tool-input-start': {
      const { index, callId, name, providerExecuted = false, providerData } = event
      into.call = { index, callId, name, text: '', providerExecuted, providerData }
      into.items.push({ type: 'call', call: into.call })
      return
    }
    case 'tool-result': {
      const { callId, name, ok, value, providerData } = event
      const part: Part = { type: 'tool-result', callId, name, ok, content: [{ type: 'json', value }], providerExecuted: true, providerData }
      into.items.push({ type: 'part', part })
      return
    }
    case 'source':
      into.items.push({ type: 'part', part: event.source })
      return
    case 'file':
      into.items.push({ type: 'part', part: event.file })
      return
    case 'finish':
      into.finish = event.reason
      into.rawFinish = event.rawReason
      into.usage = event.usage
      into.providerData = event.providerData
  }
}

/** The text said so far. */
export function foldedText(from: Fold): string {
  let text = ''
  for (const item of from.items) if (item.type === 'text') text += item.text
  return text
}

/** The finished parts; `callPart` turns each call into its part, or `undefined` to leave it out. Empty text is left out. */
export function foldedParts(from: Fold, callPart: (call: RawCall) => Part | undefined): Part[] {
  const parts: Part[] = []
  for (const item of from.items) {
    if (item.type === 'part') parts.push(item.part)
    else if (item.type === 'call') {
      const part = callPart(item.call)
      if (part !== undefined) parts.push(part)
    } else if (item.providerData !== undefined) parts.push({ type: item.type, text: item.text, providerData: item.providerData })
    else if (item.text !== '') parts.push({ type: item.type, text: item.text })
  }
  return parts
}

function findBlock(into: Fold, id: string): OpenBlock | undefined {
  for (let index = into.items.length - 1; index >= 0; index--) {
    const item = into.items[index] as Item
    if ((item.type === 'text' || item.type === 'reasoning') && item.id === id) return item
  }
  return undefined
}

function findCall(into: Fold, index: number): RawCall | undefined {
  for (let at = into.items.length - 1; at >= 0; at--) {
    const item = into.items[at] as Item
    if (item.type === 'call' && item.call.index === index) return item.call
  }
  return undefined
}

function merge(left: ProviderData | undefined, right: ProviderData): ProviderData {
  if (left === undefined) return right
  const merged: Record<string, ProviderData[string]> = { ...left }
  for (const [provider, data] of Object.entries(right)) merged[provider] = { ...merged[provider], ...data }
  return merged
}
