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

/** Takes one event in and gives what a reader hears of it. Deltas of what never started are not kept. */
export function foldEvent(into: Fold, event: ModelEvent, step: number): EventBody | undefined {
  const { parts, growing } = into
  switch (event.type) {
    case 'finish':
      into.finish = event.reason
      into.rawFinish = event.rawReason
      into.usage = event.usage
      return undefined
    case 'tool-result': {
      const { value, ...rest } = event
      parts.push({ ...rest, content: [{ type: 'json', value }], providerExecuted: true })
      return undefined
    }
    case 'source':
    case 'file':
      parts.push('source' in event ? event.source : event.file)
      return { ...event, step }
  }
  const key = 'id' in event ? event.id : event.index
  const id = blockId(key)
  let block = growing.get(key)
  if ('delta' in event) {
    if (block) block.text += event.delta
    // With room for what the run adds: an object that grows afterwards costs twice as much, and these are many.
    return { type: event.type, step, id, delta: event.delta, seq: 0, at: 0, run: '' } as EventBody
  }
  const { type, providerData = {} } = event
  if (type !== 'text-end' && type !== 'reasoning-end') {
    block =
      'index' in event
        ? {
            type: 'call',
            index: event.index,
            callId: event.callId,
            name: event.name,
            text: '',
            providerExecuted: event.providerExecuted,
          }
        : { type: type === 'text-start' ? 'text' : 'reasoning', text: '' }
    parts.push(block)
    growing.set(key, block)
  }
  for (const [provider, data] of Object.entries(providerData)) {
    if (block)
      block.providerData = { ...block.providerData, [provider]: { ...block.providerData?.[provider], ...data } }
  }
  return 'index' in event
    ? { type: event.type, step, id, callId: event.callId, name: event.name }
    : { type: event.type, step, id }
}

/** The block a text or a call's arguments stream in. */
export const blockId = (key: string | number): string => (typeof key === 'number' ? `call-${key}` : key)
