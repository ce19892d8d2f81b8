// Reads a response of the OpenAI chat completions dialect.
import type { FinishReason, ModelEvent } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import type { Usage } from '../message/usage.ts'
import type { PayloadReader } from '../model/event-stream.ts'
import type { ModelCall } from '../model/model.ts'
import { requestError, type Scrub } from '../model/request.ts'
import type { Hot } from '../stream/json-events.ts'
import { isObject } from '../json/value.ts'
import type { Wild } from '../json/wild.ts'
import { wildList, wildNumber, wildText } from '../json/wild.ts'
import { chatCalls } from './openai-chat-calls.ts'

export interface ChatReaderOptions {
  readonly provider: string
  readonly scrub: Scrub
  readonly onWarning: ModelCall['onWarning']
}

type Detail = Record<string, Json>

// Only the first of several answers is read.
const isFirst = (choice: Wild | undefined): boolean => !choice?.index
const choiceOf = (payload: Wild | undefined): Wild | undefined => wildList(payload?.choices).find(isFirst)
const deltaOf = (choice: Wild | undefined): Wild | undefined => choice?.delta ?? choice?.message

/** The delta's one string. */
export function chatHot(payload: Wild | undefined): Hot | undefined {
  const delta = deltaOf(choiceOf(payload))
  const said = delta?.tool_calls?.[0]?.function ?? delta
  const key = ['arguments', 'content', 'reasoning_content', 'reasoning'].find((name) => wildText(said?.[name]))
  return said && key ? [said, key] : undefined
}

/** Cached tokens are part of `prompt_tokens`. The numbers of a stream are cumulative: the last ones hold. */
function usageOf(usage: Wild): Usage {
  return {
    input: wildNumber(usage.prompt_tokens),
    output: wildNumber(usage.completion_tokens),
    total: wildNumber(usage.total_tokens),
    reasoning: wildNumber(usage.completion_tokens_details?.reasoning_tokens),
    cacheRead: wildNumber(usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens),
    costUsd: wildNumber(usage.cost),
  }
}

/** Pieces of one detail are joined: it goes back whole. */
function addDetails(details: Detail[], pieces: readonly unknown[]): void {
  for (const piece of pieces.filter(isObject) as Detail[]) {
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

interface Blocks {
  say(kind: 'text' | 'reasoning', delta: string): void
  think(delta: Wild | undefined): void
  end(): void
}

/** Text and reasoning, one block after the other. */
function chatBlocks(provider: string, emit: (event: ModelEvent) => void): Blocks {
  let open: 'text' | 'reasoning' | undefined
  let id = ''
  let count = 0
  let field: string | undefined
  let details: Detail[] = []
  const end = (): void => {
    if (open === 'text') emit({ type: 'text-end', id })
    if (open === 'reasoning') {
      const data = { ...(field && { field }), ...(details[0] && { reasoning_details: details }) }
      emit({ type: 'reasoning-end', id, providerData: { [provider]: data } })
      details = []
    }
    open = undefined
  }
  const say = (kind: 'text' | 'reasoning', delta: string): void => {
    if (open !== kind) {
      end()
      open = kind
      id = `${count++}`
      emit({ type: `${kind}-start`, id })
    }
    if (delta) emit({ type: `${kind}-delta`, id, delta })
  }
  return {
    say,
    end,
    think(delta) {
      const key = delta?.reasoning_content ? 'reasoning_content' : 'reasoning'
      const thought = wildText(delta?.[key])
      const pieces = wildList(delta?.reasoning_details)
      if (thought) field = key
      if (thought || pieces[0]) say('reasoning', thought)
      addDetails(details, pieces)
    },
  }
}

/** Tells each source once. */
function sources(emit: (event: ModelEvent) => void): (from: Wild | undefined, title?: Wild) => void {
  const urls = new Set<string>()
  return (from, title) => {
    const url = wildText(from)
    if (!url || urls.has(url)) return
    urls.add(url)
    emit({ type: 'source', source: { type: 'source', url, ...(title && { title: wildText(title) }) } })
  }
}

const reasons = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['model_length', 'length'],
  ['tool_calls', 'tool-calls'],
  ['function_call', 'tool-calls'],
  ['content_filter', 'content-filter'],
])

export function chatReader({ provider, scrub, onWarning }: ChatReaderOptions): PayloadReader {
  const emit = (event: ModelEvent): void => void reader.events.push(event)
  const blocks = chatBlocks(provider, emit)
  const calls = chatCalls(provider, emit)
  const cite = sources(emit)
  let raw = ''
  let refused = false
  let usage: Usage = {}
  let citations: Wild | undefined

  const takeDelta = (delta: Wild | undefined): void => {
    blocks.think(delta)
    const refusal = wildText(delta?.refusal)
    const content = wildText(delta?.content) || refusal
    if (content) blocks.say('text', content)
    if (refusal) refused = true
    for (const call of wildList(delta?.tool_calls)) {
      blocks.end()
      calls.take(call)
    }
    for (const note of wildList(delta?.annotations)) cite(note?.url_citation?.url, note?.url_citation?.title)
  }

  const finish = (): void => {
    blocks.end()
    const called = calls.end()
    for (const url of wildList(citations)) cite(url)
    let reason = reasons.get(raw)
    const rawReason = scrub(raw) || undefined
    if (!reason) onWarning?.('unknown-finish-reason', `Finish reason "${rawReason ?? ''}" is unknown`)
    if (reason === 'stop' && refused) reason = 'refusal'
    else if (reason === 'stop' && called) reason = 'tool-calls'
    emit({ type: 'finish', reason: reason ?? 'unknown', rawReason, usage })
    reader.finished = true
  }

  const reader: PayloadReader = {
    events: [],
    finished: false,
    payload(payload, name) {
      const choice = choiceOf(payload)
      const finished = wildText(choice?.finish_reason)
      takeDelta(deltaOf(choice))
      if (payload?.error || name === 'error' || finished === 'error') throw requestError(payload, { scrub })
      raw = finished || raw
      const counted = payload?.usage ?? payload?.x_groq?.usage ?? choice?.usage
      if (counted) usage = usageOf(counted)
      citations = payload?.citations ?? citations
    },
    text(data) {
      // An agreed end, with a finish reason or without.
      if (data.trim() !== '[DONE]') return false
      finish()
      return true
    },
    end() {
      if (raw) finish()
    },
  }
  return reader
}
