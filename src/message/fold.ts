// Folds a model's events into the parts of one assistant message. Text is joined as it comes, parsed by nobody here.
import type { EventBody } from './event.ts'
import type { FinishReason, ModelEvent } from './model-event.ts'
import type { FilePart, ProviderData, SourcePart, ToolResultPart } from './part.ts'
import type { Usage } from './usage.ts'

/** A call as the model spelled it: `text` is its arguments, unparsed. */
export interface RawCall {
  readonly type: 'call'
  readonly index: number
  readonly callId?: string | undefined
  readonly name: string
  text: string
  readonly providerExecuted?: boolean | undefined
  providerData?: ProviderData | undefined
}

/** A block of text that grows. */
interface Block {
  readonly type: 'text' | 'reasoning'
  text: string
  providerData?: ProviderData | undefined
}

/** What one response said so far. */
export interface Fold {
  readonly parts: (Block | RawCall | FilePart | SourcePart | ToolResultPart)[]
  /** What still grows, by block id or call index. */
  readonly growing: Map<string | number, Block | RawCall>
  finish?: FinishReason | undefined
  rawFinish?: string | undefined
  usage: Usage
}

export function fold(): Fold {
  return { parts: [], growing: new Map(), usage: {} }
}

/** Takes one event in and gives what a reader hears of it. Deltas of a block or call that never started are not kept. */
export function foldEvent(into: Fold, event: ModelEvent, step: number): EventBody | undefined {
  const { parts, growing } = into
  const begin = (key: string | number, block: Block | RawCall): void => {
    parts.push(block)
    growing.set(key, block)
  }
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta': {
      const { type, delta } = event
      const key = 'id' in event ? event.id : event.index
      const block = growing.get(key)
      if (block) block.text += delta
      return { type, step, id: blockId(key), delta }
    }
    case 'text-start':
    case 'reasoning-start': {
      const { type, id, providerData } = event
      begin(id, { type: type === 'text-start' ? 'text' : 'reasoning', text: '', providerData })
      return { type, step, id }
    }
    case 'tool-input-start': {
      const { type, index, callId, name } = event
      begin(index, { ...event, type: 'call', text: '' })
      return { type, step, id: blockId(index), callId, name }
    }
    case 'text-end':
    case 'reasoning-end': {
      const { type, id, providerData = {} } = event
      const block = growing.get(id)
      for (const [provider, data] of Object.entries(providerData)) {
        if (block) block.providerData = { ...block.providerData, [provider]: { ...block.providerData?.[provider], ...data } }
      }
      return { type, step, id }
    }
    case 'tool-result': {
      const { value, ...rest } = event
      parts.push({ ...rest, content: [{ type: 'json', value }], providerExecuted: true })
      return undefined
    }
    case 'source':
      parts.push(event.source)
      return { ...event, step }
    case 'file':
      parts.push(event.file)
      return { ...event, step }
    case 'finish':
      into.finish = event.reason
      into.rawFinish = event.rawReason
      into.usage = event.usage
      return undefined
  }
}

/** The block a text or a call's arguments stream in. */
export const blockId = (key: string | number): string => (typeof key === 'number' ? `call-${key}` : key)
