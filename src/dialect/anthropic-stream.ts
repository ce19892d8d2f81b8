// Reads a response of the Anthropic messages dialect.
import { SameloopError } from '../error/error.ts'
import type { FinishReason, ModelEvent } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import type { ProviderData, SourcePart } from '../message/part.ts'
import type { Usage } from '../message/usage.ts'
import type { PayloadReader } from '../model/event-stream.ts'
import type { ModelCall } from '../model/model.ts'
import { requestError, type Scrub } from '../model/request.ts'
import type { Hot } from '../stream/json-events.ts'
import { stringifyJson } from '../json/text.ts'
import type { Wild } from '../json/wild.ts'
import { wildList, wildNumber, wildText } from '../json/wild.ts'

export interface AnthropicReaderOptions {
  readonly provider: string
  readonly scrub: Scrub
  readonly onWarning: ModelCall['onWarning']
}

/** A content block that is being said. */
interface Block {
  readonly type: string
  /** Of a text or reasoning block. */
  readonly id: string
  /** Of a call. */
  readonly index: number
  /** A call's arguments, where they came whole with the start. */
  input: Wild | undefined
  readonly data: Record<string, Json>
}

interface Blocks {
  start(index: Wild | undefined, said: Wild | undefined): void
  change(index: Wild | undefined, delta: Wild | undefined): void
  stop(index: unknown): void
  /** Ends what a limit left open; calls stay as they are. */
  end(): void
  isEmpty(): boolean
}

type Emit = (event: ModelEvent) => void
type Cite = (from: Wild | undefined) => void

/** The delta's one string. */
export function anthropicHot(payload: Wild | undefined): Hot | undefined {
  const delta = payload?.delta
  const key = ['text', 'partial_json', 'thinking'].find((name) => wildText(delta?.[name]))
  return delta && key ? [delta, key] : undefined
}

const reasons = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['refusal', 'refusal'],
])

/** What a citation or a search result points to. */
function sourceOf(cited: Wild | undefined): SourcePart | undefined {
  const url = wildText(cited?.url)
  const document = wildText(cited?.document_title)
  const title = wildText(cited?.title) || document
  if (!url && !document) return undefined
  return { type: 'source', ...(url ? { url } : { document }), ...(title && { title }) }
}

/** Tells each source once. */
function sources(emit: Emit): Cite {
  const told = new Set<string | undefined>()
  return (from) => {
    const source = sourceOf(from)
    const key = source?.url ?? source?.document
    if (!source || told.has(key)) return
    told.add(key)
    emit({ type: 'source', source })
  }
}

/** Calls of tools that the provider runs, and their results, which come whole. */
function hosted(
  provider: string,
  emit: Emit,
  cite: Cite,
): { call(index: number, said: Wild | undefined): void; result(said: Wild | undefined): void } {
  const names = new Map<string, string>()
  const own = (data: Record<string, Json | undefined>): { providerData: ProviderData } => ({
    providerData: { [provider]: data },
  })
  return {
    call(index, said) {
      const type = wildText(said?.type)
      const callId = wildText(said?.id)
      const name = wildText(said?.name)
      names.set(callId, name)
      const more = type !== 'tool_use' && {
        providerExecuted: true,
        ...own({ type, server_name: wildText(said?.server_name) || undefined }),
      }
      emit({ type: 'tool-input-start', index, callId: callId || undefined, name, ...more })
    },
    result(said) {
      const callId = wildText(said?.tool_use_id)
      const content = said?.content
      const ok = !said?.is_error && !wildText(content?.type).endsWith('_error')
      const data = own({ type: wildText(said?.type), is_error: said?.is_error as Json | undefined })
      emit({
        type: 'tool-result',
        callId,
        name: names.get(callId) ?? '',
        ok,
        value: (content ?? null) as Json,
        ...data,
      })
      for (const found of [content, ...wildList(content)]) cite(found)
    },
  }
}

function deltaOf({ type, id, index }: Block, delta: string): ModelEvent {
  if (type === 'call') return { type: 'tool-input-delta', index, delta }
  return { type: type === 'text' ? 'text-delta' : 'reasoning-delta', id, delta }
}

function contentBlocks({ provider, scrub, onWarning }: AnthropicReaderOptions, emit: Emit): Blocks {
  const open = new Map<unknown, Block>()
  const cite = sources(emit)
  const tools = hosted(provider, emit, cite)
  let opened = 0
  let calls = 0

  const say = (block: Block, delta: string): void => void (delta && emit(deltaOf(block, delta)))
  const addCitation = ({ data }: Block, citation: Wild | undefined): void => {
    ;((data['citations'] ??= []) as Json[]).push({ ...citation } as Json)
    cite(citation)
  }
  const stop = (index: unknown): void => {
    const block = open.get(index)
    open.delete(index)
    if (!block) return
    const { type, id, input, data } = block
    const own = Object.keys(data)[0] ? { providerData: { [provider]: data } } : undefined
    if (type !== 'call') emit({ type: type === 'text' ? 'text-end' : 'reasoning-end', id, ...own })
    else if (input && Object.keys(input)[0]) say(block, stringifyJson(input))
  }

  return {
    start(index, said) {
      const type = wildText(said?.type)
      const isCall = type.endsWith('tool_use')
      if (type.endsWith('_result')) return tools.result(said)
      if (!isCall && type !== 'text' && !type.endsWith('thinking')) {
        return onWarning?.('part-ignored', `Content of type "${scrub(type)}" is unknown`)
      }
      const block: Block = {
        type: isCall ? 'call' : type,
        id: `${opened++}`,
        index: calls,
        input: said?.input,
        data: {},
      }
      open.set(index, block)
      if (isCall) return tools.call(calls++, said)
      emit({ type: type === 'text' ? 'text-start' : 'reasoning-start', id: block.id })
      for (const key of ['data', 'signature']) if (said?.[key]) block.data[key] = wildText(said[key])
      say(block, wildText(said?.[type]))
      for (const citation of wildList(said?.citations)) addCitation(block, citation)
    },
    change(index, delta) {
      const block = open.get(index)
      if (!block) return
      if (delta?.citation) addCitation(block, delta.citation)
      else if (delta?.signature) block.data['signature'] = wildText(delta.signature)
      else {
        if (delta?.partial_json) block.input = undefined
        say(block, wildText(delta?.partial_json ?? delta?.text ?? delta?.thinking))
      }
    },
    stop,
    end() {
      for (const [index, { type }] of open) if (type !== 'call') stop(index)
    },
    isEmpty: () => opened === 0,
  }
}

/** `input_tokens` does not count cached ones. */
function usageOf(usage: Record<string, Wild | undefined>): Usage {
  const fresh = wildNumber(usage['input_tokens'])
  const cacheRead = wildNumber(usage['cache_read_input_tokens'])
  const cacheWrite = wildNumber(usage['cache_creation_input_tokens'])
  const input = fresh === undefined ? undefined : fresh + (cacheRead ?? 0) + (cacheWrite ?? 0)
  const reasoning = wildNumber(usage['output_tokens_details']?.thinking_tokens)
  return { input, output: wildNumber(usage['output_tokens']), reasoning, cacheRead, cacheWrite }
}

export function anthropicReader(options: AnthropicReaderOptions): PayloadReader {
  const { scrub, onWarning } = options
  const emit = (event: ModelEvent): void => void reader.events.push(event)
  const blocks = contentBlocks(options, emit)
  const usage: Record<string, Wild | undefined> = {}
  let message: string | undefined
  let raw = ''

  const begin = (id: string): void => {
    // A proxy that tries again within one answer: what was said before is another message's.
    if (message !== undefined && id !== message && !blocks.isEmpty()) {
      throw new SameloopError('stream-invalid', 'Another message began within the answer', { retryable: true })
    }
    message = id
  }
  const finish = (): void => {
    blocks.end()
    const reason = reasons.get(raw)
    const rawReason = scrub(raw) || undefined
    if (!reason) onWarning?.('unknown-finish-reason', `Finish reason "${rawReason ?? ''}" is unknown`)
    emit({ type: 'finish', reason: reason ?? 'unknown', rawReason, usage: usageOf(usage) })
    reader.finished = true
  }

  const reader: PayloadReader = {
    events: [],
    finished: false,
    payload(payload, name) {
      const type = wildText(payload?.type) || name
      const { index, delta, message: about } = payload ?? {}
      if (type === 'content_block_delta') return blocks.change(index, delta)
      raw = wildText(delta?.stop_reason) || raw
      // Cumulative: a number that comes again takes the place of the one before.
      for (const [key, value] of Object.entries<Wild | null | undefined>(payload?.usage ?? about?.usage ?? {})) {
        usage[key] = value ?? usage[key]
      }
      if (type === 'content_block_start') blocks.start(index, payload?.content_block)
      else if (type === 'content_block_stop') blocks.stop(index)
      else if (type === 'error') throw requestError(payload, { scrub })
      else if (type === 'message_stop') finish()
      else if (type === 'message_start') begin(wildText(about?.id))
    },
    end() {
      if (raw) finish()
    },
  }
  return reader
}
