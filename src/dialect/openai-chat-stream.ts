// Reads a response of the OpenAI chat completions dialect.
import type { Json } from '../json/value.ts'
import type { Usage } from '../message/usage.ts'
import type { PayloadReader } from '../model/payload-reader.ts'
import { requestError } from '../model/request.ts'
import type { Hot } from '../stream/json-events.ts'
import { isObject } from '../json/value.ts'
import type { Wild } from '../json/wild.ts'
import { wildList, wildNumber, wildText } from '../json/wild.ts'
import {
  type AnswerOptions,
  endBlock,
  finishReason,
  type FinishReasons,
  sources,
  type TextBlock,
  textBlock,
  textDelta,
} from './answer.ts'
import { chatCalls } from './openai-chat-calls.ts'

type Detail = Record<string, Json>

// Only the first of several answers is read.
const isFirst = (choice: Wild | undefined): boolean => !choice?.index
const choiceOf = (payload: Wild | undefined): Wild | undefined => wildList(payload?.choices).find(isFirst)
const deltaOf = (choice: Wild | undefined): Wild | undefined => choice?.delta ?? choice?.message

const hotKeys = ['arguments', 'content', 'reasoning_content', 'reasoning']

/** The delta's one string. */
export function chatHot(payload: Wild | undefined): Hot | undefined {
  const delta = deltaOf(choiceOf(payload))
  const said = delta?.tool_calls?.[0]?.function ?? delta
  const key = hotKeys.find((name) => wildText(said?.[name]))
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
  say(kind: TextBlock['kind'], delta: string): TextBlock
  think(delta: Wild | undefined): void
  end(): void
}

/** Text and reasoning, one block after the other. */
function chatBlocks(options: AnswerOptions): Blocks {
  const { emit } = options
  let open: TextBlock | undefined
  let count = 0
  const end = (): void => {
    if (open) endBlock(open, options)
    open = undefined
  }
  const say = (kind: TextBlock['kind'], delta: string): TextBlock => {
    if (open?.kind !== kind) {
      end()
      open = textBlock(kind, `${count++}`, emit)
    }
    if (delta) emit(textDelta(open, delta))
    return open
  }
  return {
    say,
    end,
    think(delta) {
      const field = delta?.reasoning_content ? 'reasoning_content' : 'reasoning'
      const thought = wildText(delta?.[field])
      const pieces = wildList(delta?.reasoning_details)
      if (!thought && !pieces[0]) return
      const { data } = say('reasoning', thought)
      if (thought) data['field'] = field
      if (pieces[0]) addDetails((data['reasoning_details'] ??= []) as Detail[], pieces)
    },
  }
}

const reasons: FinishReasons = {
  stop: 'stop',
  length: 'length',
  model_length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
}

export function chatReader(options: AnswerOptions): PayloadReader {
  const { provider, emit, scrub } = options
  const blocks = chatBlocks(options)
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
    for (const note of wildList(delta?.annotations)) {
      const { url, title } = note?.url_citation ?? {}
      cite(wildText(url), title && { title: wildText(title) })
    }
  }

  const finish = (): void => {
    blocks.end()
    const called = calls.end()
    for (const url of wildList(citations)) cite(wildText(url))
    const ending = finishReason(raw, reasons, options)
    if (ending.reason === 'stop' && refused) ending.reason = 'refusal'
    else if (ending.reason === 'stop' && called) ending.reason = 'tool-calls'
    emit({ type: 'finish', ...ending, usage })
  }

  return {
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
}
