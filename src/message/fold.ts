// Folds a model's events into the parts of one assistant message. Text is joined as it comes, parsed by nobody here.
import { plainJson } from '../json/text.ts'
import type { EventBody } from './event.ts'
import type { FinishReason, ModelEvent } from './model-event.ts'
import { isPart } from './input.ts'
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

/** What grows: the blocks of these events. */
const kinds = new Map<string, (Block | RawCall)['type']>([
  ['text-start', 'text'],
  ['text-delta', 'text'],
  ['text-end', 'text'],
  ['reasoning-start', 'reasoning'],
  ['reasoning-delta', 'reasoning'],
  ['reasoning-end', 'reasoning'],
  ['tool-input-start', 'call'],
  ['tool-input-delta', 'call'],
])

/** An event of a model of any make: each field may be missing, or anything. */
type Said = { readonly [key in string]?: unknown } & { readonly type: string }

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/**
 * Takes one event in and gives what a reader hears of it: what is kept. An event that breaks the contract (an unknown type,
 * a delta of what never started, anything after `finish`) is ignored.
 */
export function foldEvent(into: Fold, event: ModelEvent, step: number): EventBody | undefined {
  const { parts, growing } = into
  const said: Said = event
  const kind = kinds.get(said?.type)
  if (into.finish) return undefined
  if (!kind) return foldWhole(into, said, step)
  const { type, delta, providerData } = said
  const key = kind === 'call' ? numberOf(said['index']) : textOf(said['id'])
  if (key === undefined) return undefined
  const id = blockId(key)
  let block = growing.get(key)
  if (type.endsWith('delta')) {
    if (block?.type !== kind || typeof delta !== 'string') return undefined
    block.text += delta
    // With room for what the run adds: an object that grows afterwards costs twice as much, and these are many.
    return { type, step, id, delta, seq: 0, at: 0, run: '' } as EventBody
  }
  const callId = textOf(said['callId'])
  const name = textOf(said['name']) ?? ''
  if (type.endsWith('start')) {
    const providerExecuted = said['providerExecuted'] === true || undefined
    const call = { index: Number(key), callId, name, providerExecuted }
    block = kind === 'call' ? { type: kind, text: '', ...call } : { type: kind, text: '' }
    parts.push(block)
    growing.set(key, block)
  }
  if (block?.type !== kind) return undefined
  for (const [provider, data] of Object.entries(plainJson(providerData) ?? {}))
    block.providerData = { ...block.providerData, [provider]: { ...block.providerData?.[provider], ...data } }
  return (kind === 'call' ? { type, step, id, callId, name } : { type, step, id }) as EventBody
}

const finishReasons: readonly FinishReason[] = [
  'stop',
  'tool-calls',
  'length',
  'stop-sequence',
  'content-filter',
  'refusal',
  'unknown',
]

/** Takes in an event that comes whole. */
function foldWhole(into: Fold, said: Said, step: number): EventBody | undefined {
  const type = said?.type
  if (type === 'finish') {
    const { reason, rawReason, usage } = said
    const listed = finishReasons.find((one) => one === reason)
    into.finish = listed ?? 'unknown'
    into.rawFinish = textOf(rawReason) ?? (listed ? undefined : textOf(reason))
    into.usage = Object.fromEntries(Object.entries(usage ?? {}).filter(([, count]) => Number.isFinite(count)))
  } else if (type === 'tool-result') {
    const { value, ok, callId, name, providerData } = said
    const content = [{ type: 'json', value: value ?? null }]
    const part = plainJson({ type, callId, name, ok, content, providerExecuted: true, providerData })
    if (isPart(part, type)) into.parts.push(part)
  } else if (type === 'source' || type === 'file') {
    const part = plainJson(said[type])
    if (!isPart(part, type)) return undefined
    into.parts.push(part)
    return part.type === 'file' ? { type: 'file', step, file: part } : { type: 'source', step, source: part }
  }
  return undefined
}

/** The block a text or a call's arguments stream in. */
export const blockId = (key: string | number): string => (typeof key === 'number' ? `call-${key}` : key)
