// Reads a response of the Anthropic messages dialect.
import { SameloopError } from '../error/error.ts'
import type { Json } from '../json/value.ts'
import type { Usage } from '../message/usage.ts'
import type { Emit, PayloadReader } from '../model/payload-reader.ts'
import { requestError } from '../model/request.ts'
import type { Hot } from '../stream/json-events.ts'
import { stringifyJson } from '../json/text.ts'
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

/** A call that is being said. */
interface CallBlock {
  readonly kind: 'call'
  readonly index: number
  /** Its arguments, where they came whole with the start. */
  input: Wild | undefined
}

const hotKeys = ['text', 'partial_json', 'thinking']

/** The delta's one string. */
export function anthropicHot(payload: Wild | undefined): Hot | undefined {
  const delta = payload?.delta
  const key = hotKeys.find((name) => wildText(delta?.[name]))
  return delta && key ? [delta, key] : undefined
}

const reasons: FinishReasons = {
  end_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  stop_sequence: 'stop-sequence',
  refusal: 'refusal',
}

/** What the provider runs itself: its calls, and their results, which come whole. */
function hosted({ provider, emit }: AnswerOptions): {
  call(index: number, said: Wild | undefined): void
  result(said: Wild | undefined): void
} {
  const names = new Map<string, string>()
  return {
    call(index, said) {
      const type = wildText(said?.type)
      const callId = wildText(said?.id)
      const name = wildText(said?.name)
      names.set(callId, name)
      const more = type !== 'tool_use' && {
        providerExecuted: true,
        providerData: { [provider]: { type, server_name: wildText(said?.server_name) || undefined } },
      }
      emit({ type: 'tool-input-start', index, callId: callId || undefined, name, ...more })
    },
    result(said) {
      const { type, tool_use_id: id, content, is_error: failed } = said ?? {}
      const callId = wildText(id)
      emit({
        type: 'tool-result',
        callId,
        name: names.get(callId) ?? '',
        ok: !failed && !wildText(content?.type).endsWith('_error'),
        value: (content ?? null) as Json,
        providerData: { [provider]: { type: wildText(type), is_error: failed as Json | undefined } },
      })
    },
  }
}

/** Tells what a citation or a search result points to. */
function citations(emit: Emit): (cited: Wild | undefined) => void {
  const tell = sources(emit)
  return (cited) => {
    const url = wildText(cited?.url)
    const document = wildText(cited?.document_title)
    const title = wildText(cited?.title) || document
    tell(url, { ...(!url && { document }), ...(title && { title }) })
  }
}

interface Blocks {
  start(index: Wild | undefined, said: Wild | undefined): void
  change(index: Wild | undefined, delta: Wild | undefined): void
  stop(index: unknown): void
  /** Ends what a limit left open; calls stay as they are. */
  end(): void
  isEmpty(): boolean
}

function contentBlocks(options: AnswerOptions): Blocks {
  const { emit, scrub, onWarning } = options
  const open = new Map<unknown, TextBlock | CallBlock>()
  const cite = citations(emit)
  const tools = hosted(options)
  let opened = 0
  let calls = 0

  const say = (block: TextBlock | CallBlock, delta: string): void => {
    if (!delta) return
    emit(block.kind === 'call' ? { type: 'tool-input-delta', index: block.index, delta } : textDelta(block, delta))
  }
  const addCitation = (block: TextBlock | CallBlock, citation: Wild | undefined): void => {
    if (block.kind !== 'call') ((block.data['citations'] ??= []) as Json[]).push({ ...citation } as Json)
    cite(citation)
  }
  const stop = (index: unknown): void => {
    const block = open.get(index)
    open.delete(index)
    if (block?.kind !== 'call') return block && endBlock(block, options)
    const { input } = block
    if (input && Object.keys(input)[0]) say(block, stringifyJson(input))
  }

  return {
    start(index, said) {
      const type = wildText(said?.type)
      if (type.endsWith('_result')) {
        tools.result(said)
        for (const found of [said?.content, ...wildList(said?.content)]) cite(found)
      } else if (type.endsWith('tool_use')) {
        opened++
        open.set(index, { kind: 'call', index: calls, input: said?.input })
        tools.call(calls++, said)
      } else if (type === 'text' || type.endsWith('thinking')) {
        const block = textBlock(type === 'text' ? type : 'reasoning', `${opened++}`, emit)
        open.set(index, block)
        for (const key of ['data', 'signature']) if (said?.[key]) block.data[key] = wildText(said[key])
        say(block, wildText(said?.[type]))
        for (const citation of wildList(said?.citations)) addCitation(block, citation)
      } else onWarning?.('part-ignored', `Content of type "${scrub(type)}" is unknown`)
    },
    change(index, delta) {
      const block = open.get(index)
      if (!block) return
      if (delta?.citation) addCitation(block, delta.citation)
      else if (delta?.signature && block.kind !== 'call') block.data['signature'] = wildText(delta.signature)
      else {
        if (delta?.partial_json && block.kind === 'call') block.input = undefined
        say(block, wildText(delta?.partial_json ?? delta?.text ?? delta?.thinking))
      }
    },
    stop,
    end() {
      for (const [index, { kind }] of open) if (kind !== 'call') stop(index)
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

export function anthropicReader(options: AnswerOptions): PayloadReader {
  const { emit, scrub } = options
  const blocks = contentBlocks(options)
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
    emit({ type: 'finish', ...finishReason(raw, reasons, options), usage: usageOf(usage) })
  }

  return {
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
}
