// Reads a response of the OpenAI chat completions dialect.
import { SameloopError } from '../error/error.ts'
import type { FinishReason, ModelEvent } from '../message/model-event.ts'
import type { Json } from '../message/part.ts'
import type { Usage } from '../message/usage.ts'
import type { PayloadReader } from '../model/event-stream.ts'
import type { ModelCall } from '../model/model.ts'
import { requestError } from '../model/request.ts'
import type { Hot } from '../stream/json-events.ts'
import { isJsonObject, type JsonObject } from '../stream/json.ts'
import { chatCalls } from './openai-chat-calls.ts'

export interface ChatReaderOptions {
  readonly provider: string
  readonly secret: string | undefined
  readonly onWarning: ModelCall['onWarning']
}

type Detail = Record<string, Json>

const nothing: JsonObject = {}
const object = (value: unknown): JsonObject => (isJsonObject(value) ? value : nothing)
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const count = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

// Only the first of several answers is read.
const choiceOf = (payload: unknown): JsonObject => object(list(object(payload)['choices']).find((choice) => !object(choice)['index']))
const deltaOf = (choice: JsonObject): JsonObject => object(choice['delta'] ?? choice['message'])

/** The delta's one string. */
export function chatHot(payload: unknown): Hot | undefined {
  const delta = deltaOf(choiceOf(payload))
  const call = object(list(delta['tool_calls'])[0])['function']
  const key = ['content', 'reasoning_content', 'reasoning'].find((name) => delta[name])
  const [holder, name] = call ? [object(call), 'arguments'] : [delta, key]
  return name && typeof holder[name] === 'string' ? [holder as Record<string, unknown>, name] : undefined
}

/** Cached tokens are part of `prompt_tokens`. The numbers of a stream are cumulative: the last ones hold. */
function usageOf(usage: JsonObject): Usage {
  return {
    input: count(usage['prompt_tokens']),
    output: count(usage['completion_tokens']),
    total: count(usage['total_tokens']),
    reasoning: count(object(usage['completion_tokens_details'])['reasoning_tokens']),
    cacheRead: count(object(usage['prompt_tokens_details'])['cached_tokens'] ?? usage['prompt_cache_hit_tokens']),
    costUsd: count(usage['cost']),
  }
}

/** Pieces of one detail are joined: it goes back whole. */
function addDetails(details: Detail[], pieces: readonly unknown[]): void {
  for (const piece of pieces as readonly Detail[]) {
    const last = details.at(-1)
    if (!last || last['type'] !== piece['type'] || last['index'] !== piece['index']) {
      details.push({ ...piece })
      continue
    }
    for (const key of Object.keys(piece)) {
      const [old, value] = [last[key], piece[key]]
      const isText = key === 'text' || key === 'summary' || key === 'data'
      if (isText && typeof old === 'string') last[key] = old + (value ?? '')
      else if (value && key !== '__proto__') last[key] = value
    }
  }
}

const reasons = new Map<unknown, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
])

export function chatReader({ provider, secret, onWarning }: ChatReaderOptions): PayloadReader {
  const calls = chatCalls(provider)
  const urls = new Set<unknown>()
  let block: 'text' | 'reasoning' | undefined
  let id = '0'
  let blocks = 0
  let raw: string | undefined
  let refused = false
  let usage: Usage = {}
  let field: string | undefined
  let details: Detail[] = []
  let citations: unknown

  const emit = (event: ModelEvent): void => {
    reader.events.push(event)
  }

  const endBlock = (): void => {
    if (block === 'text') emit({ type: 'text-end', id })
    if (block === 'reasoning') {
      const data = { ...(field && { field }), ...(details[0] && { reasoning_details: details }) }
      emit({ type: 'reasoning-end', id, providerData: { [provider]: data } })
      details = []
    }
    block = undefined
  }

  const say = (kind: 'text' | 'reasoning', delta: unknown): void => {
    if (typeof delta !== 'string') return
    if (block !== kind) {
      endBlock()
      block = kind
      id = String(blocks++)
      emit({ type: `${kind}-start`, id })
    }
    if (delta) emit({ type: `${kind}-delta`, id, delta })
  }

  const cite = (url: unknown, title?: unknown): void => {
    if (typeof url !== 'string' || urls.has(url)) return
    urls.add(url)
    emit({ type: 'source', source: { type: 'source', url, ...(typeof title === 'string' && { title }) } })
  }

  const takeDelta = (delta: JsonObject): void => {
    const key = delta['reasoning_content'] ? 'reasoning_content' : 'reasoning'
    if (delta[key]) {
      say('reasoning', delta[key])
      field = key
    }
    const pieces = list(delta['reasoning_details']).filter(isJsonObject)
    if (pieces[0]) {
      say('reasoning', '')
      addDetails(details, pieces)
    }
    if (delta['content']) say('text', delta['content'])
    if (delta['refusal']) {
      say('text', delta['refusal'])
      refused = true
    }
    for (const call of list(delta['tool_calls'])) {
      endBlock()
      calls.take(object(call), reader.events)
    }
    for (const note of list(delta['annotations'])) {
      const { url, title } = object(object(note)['url_citation'])
      cite(url, title)
    }
  }

  const finish = (): void => {
    endBlock()
    const called = calls.end(reader.events)
    for (const url of list(citations)) cite(url)
    let reason = reasons.get(raw)
    if (!reason) onWarning?.('unknown-finish-reason', raw ? `Finish reason "${raw}" is unknown` : 'No finish reason came')
    if (reason === 'stop' && refused) reason = 'refusal'
    else if (reason === 'stop' && called) reason = 'tool-calls'
    emit({ type: 'finish', reason: reason ?? 'unknown', rawReason: raw, usage })
    reader.finished = true
  }

  const reader: PayloadReader = {
    events: [],
    finished: false,
    payload(payload, name) {
      const chunk = object(payload)
      const choice = choiceOf(payload)
      const finished = choice['finish_reason']
      takeDelta(deltaOf(choice))
      if (chunk['error'] || name === 'error' || finished === 'error') throw requestError(payload, { secret })
      if (finished && typeof finished === 'string') raw = finished
      const counted = chunk['usage'] ?? object(chunk['x_groq'])['usage'] ?? choice['usage']
      if (isJsonObject(counted)) usage = usageOf(counted)
      citations = chunk['citations'] ?? citations
    },
    text(data) {
      // An agreed end, with a finish reason or without.
      if (data.trim() !== '[DONE]') return false
      finish()
      return true
    },
    end() {
      if (raw) return finish()
      throw new SameloopError('model-truncated', 'Model stream ended without a finish reason', { retryable: true })
    },
  }
  return reader
}
