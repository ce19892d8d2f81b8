// Reads a response of the Anthropic messages dialect.
import { SameloopError } from '../error/error.ts'
import type { FinishReason, ModelEvent } from '../message/model-event.ts'
import type { Json, ProviderData, SourcePart } from '../message/part.ts'
import type { PayloadReader } from '../model/event-stream.ts'
import type { ModelCall } from '../model/model.ts'
import { requestError } from '../model/request.ts'
import type { Hot } from '../stream/json-events.ts'
import { isJsonObject, type JsonObject, stringifyJson } from '../stream/json.ts'

export interface AnthropicReaderOptions {
  readonly provider: string
  readonly secret: string | undefined
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
  input: unknown
  readonly data: Record<string, Json>
}

const nothing: JsonObject = {}
const object = (value: unknown): JsonObject => (isJsonObject(value) ? value : nothing)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const string = (value: unknown): string => (typeof value === 'string' ? value : '')
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

/** The delta's one string. */
export function anthropicHot(payload: unknown): Hot | undefined {
  const delta = object(object(payload)['delta'])
  const key = ['text', 'partial_json', 'thinking'].find((name) => typeof delta[name] === 'string')
  return key ? [delta as Record<string, unknown>, key] : undefined
}

const reasons = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['stop_sequence', 'stop-sequence'],
  ['refusal', 'refusal'],
])

/** What a citation or a search result points to. */
function sourceOf(cited: JsonObject): SourcePart | undefined {
  const { url, title, document_title: document } = cited
  if (url) return { type: 'source', url: string(url), ...(title ? { title: string(title) } : undefined) }
  return document ? { type: 'source', document: string(document), title: string(document) } : undefined
}

export function anthropicReader({ provider, secret, onWarning }: AnthropicReaderOptions): PayloadReader {
  const blocks = new Map<unknown, Block>()
  const names = new Map<unknown, string>()
  const cited = new Set<string | undefined>()
  const usage: Record<string, unknown> = {}
  let message: unknown
  let opened = 0
  let calls = 0
  let raw: string | undefined

  const emit = (event: ModelEvent): void => {
    reader.events.push(event)
  }
  const own = (data: Record<string, Json>): { providerData?: ProviderData } => (Object.keys(data)[0] ? { providerData: { [provider]: data } } : {})

  const cite = (from: unknown): void => {
    const source = sourceOf(object(from))
    const key = source?.url ?? source?.document
    if (!source || cited.has(key)) return
    cited.add(key)
    emit({ type: 'source', source })
  }

  const say = (block: Block, delta: unknown): void => {
    if (!delta || typeof delta !== 'string') return
    if (block.type === 'call') emit({ type: 'tool-input-delta', index: block.index, delta })
    else emit({ type: block.type === 'text' ? 'text-delta' : 'reasoning-delta', id: block.id, delta })
  }

  const startCall = (block: Block, said: JsonObject): void => {
    const { type, id, name, server_name: server } = said
    names.set(id, string(name))
    const hosted = type !== 'tool_use'
    const data: Record<string, Json> = hosted ? { type: type as string, ...(server ? { server_name: string(server) } : undefined) } : {}
    const start = { type: 'tool-input-start', index: block.index, callId: string(id) || undefined, name: string(name) } as const
    emit({ ...start, ...(hosted && { providerExecuted: true }), ...own(data) })
  }

  /** A tool that the provider ran: the result comes whole. */
  const takeResult = (said: JsonObject): void => {
    const { type, tool_use_id: callId, content, is_error: failed } = said
    const ok = !failed && !string(object(content)['type']).endsWith('_error')
    const data = own({ type: string(type), ...(failed !== undefined && { is_error: failed as Json }) })
    emit({ type: 'tool-result', callId: string(callId), name: names.get(callId) ?? '', ok, value: content as Json, ...data })
    for (const found of Array.isArray(content) ? content : [content]) cite(found)
  }

  const start = (index: unknown, said: JsonObject): void => {
    const type = string(said['type'])
    const block: Block = { type, id: String(opened++), index: calls, input: said['input'], data: {} }
    if (type.endsWith('tool_use')) {
      blocks.set(index, { ...block, type: 'call' })
      calls++
      startCall(block, said)
    } else if (type.endsWith('_result')) takeResult(said)
    else if (type === 'text' || type.endsWith('thinking')) {
      blocks.set(index, block)
      emit({ type: type === 'text' ? 'text-start' : 'reasoning-start', id: block.id })
      if (said['data']) block.data['data'] = string(said['data'])
      if (said['signature']) block.data['signature'] = string(said['signature'])
      say(block, said[type])
      for (const citation of list(said['citations'])) change(block, { type: 'citations_delta', citation })
    } else onWarning?.('part-ignored', `Content of type "${type}" is unknown`)
  }

  const change = (block: Block, delta: JsonObject): void => {
    const { type, signature, citation, partial_json: json } = delta
    if (type === 'signature_delta') block.data['signature'] = string(signature)
    else if (type === 'citations_delta') {
      block.data['citations'] = [...(list(block.data['citations']) as Json[]), citation as Json]
      cite(citation)
    } else {
      if (json) block.input = undefined
      say(block, json ?? delta['text'] ?? delta['thinking'])
    }
  }

  const stop = (index: unknown): void => {
    const block = blocks.get(index)
    blocks.delete(index)
    if (!block) return
    const { type, id, input, data } = block
    if (type !== 'call') emit({ type: type === 'text' ? 'text-end' : 'reasoning-end', id, ...own(data) })
    else if (Object.keys(object(input))[0]) say(block, stringifyJson(input))
  }

  const begin = (said: JsonObject): void => {
    const { id } = said
    // A proxy that tries again within one answer: what was said before is another message's.
    if (message !== undefined && id !== message && opened > 0) {
      throw new SameloopError('stream-invalid', 'Another message began within the answer', { retryable: true })
    }
    message = id
  }

  const finish = (): void => {
    for (const index of [...blocks.keys()]) if (blocks.get(index)?.type !== 'call') stop(index)
    const reason = reasons.get(raw)
    if (!reason) onWarning?.('unknown-finish-reason', raw ? `Finish reason "${raw}" is unknown` : 'No finish reason came')
    const [read, write] = [count(usage['cache_read_input_tokens']), count(usage['cache_creation_input_tokens'])]
    const [fresh, output] = [count(usage['input_tokens']), count(usage['output_tokens'])]
    const input = fresh === undefined ? undefined : fresh + (read ?? 0) + (write ?? 0)
    const reasoning = count(object(usage['output_tokens_details'])['thinking_tokens'])
    const counted = { input, output, reasoning, cacheRead: read, cacheWrite: write }
    emit({ type: 'finish', reason: reason ?? 'unknown', rawReason: raw, usage: counted })
    reader.finished = true
  }

  const reader: PayloadReader = {
    events: [],
    finished: false,
    payload(payload, name) {
      const said = object(payload)
      const type = said['type'] ?? name
      const { index, delta } = said
      if (type === 'content_block_delta') {
        const block = blocks.get(index)
        if (block) change(block, object(delta))
      } else if (type === 'content_block_start') start(index, object(said['content_block']))
      else if (type === 'content_block_stop') stop(index)
      else if (type === 'error') throw requestError(payload, { secret })
      else if (type === 'message_stop') finish()
      else if (type === 'message_start') begin(object(said['message']))
      raw = string(object(delta)['stop_reason']) || raw
      // Cumulative: a number that comes again takes the place of the one before.
      for (const [key, value] of Object.entries(object(said['usage'] ?? object(said['message'])['usage']))) {
        if (value !== null) usage[key] = value
      }
    },
    end() {
      if (raw) return finish()
      throw new SameloopError('model-truncated', 'Model stream ended before the message did', { retryable: true })
    },
  }
  return reader
}
