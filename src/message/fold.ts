// Folds a model's events into the parts of one assistant message. Text is joined as it comes, parsed by nobody here.
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

/** Takes one event in. Deltas of a block or call that never started are ignored. */
export function foldEvent(into: Fold, event: ModelEvent): void {
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta': {
      const block = into.growing.get('id' in event ? event.id : event.index)
      if (block !== undefined) block.text += event.delta
      return
    }
    case 'text-start':
    case 'reasoning-start': {
      const type = event.type === 'text-start' ? 'text' : 'reasoning'
      return start(into, event.id, { type, text: '', providerData: event.providerData })
    }
    case 'tool-input-start':
      return start(into, event.index, { ...event, type: 'call', text: '' })
    case 'text-end':
    case 'reasoning-end': {
      const block = into.growing.get(event.id)
      for (const [provider, data] of Object.entries(event.providerData ?? {})) {
        const known = block?.providerData
        if (block !== undefined) block.providerData = { ...known, [provider]: { ...known?.[provider], ...data } }
      }
      return
    }
    case 'tool-result': {
      const { value, ...rest } = event
      into.parts.push({ ...rest, content: [{ type: 'json', value }], providerExecuted: true })
      return
    }
    case 'source':
      into.parts.push(event.source)
      return
    case 'file':
      into.parts.push(event.file)
      return
    case 'finish':
      into.finish = event.reason
      into.rawFinish = event.rawReason
      into.usage = event.usage
  }
}

function start(into: Fold, key: string | number, block: Block | RawCall): void {
  into.parts.push(block)
  into.growing.set(key, block)
}
