// From a finished response to its assistant message and prepared calls, before anything of it is stored.
import type { Fold, RawCall } from '../message/fold.ts'
import { foldedParts } from '../message/fold.ts'
import type { Json, Message, Part } from '../message/part.ts'
import { prepareText } from '../registry/prepare.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { emit, warn } from '../run/state.ts'
import { parseJson } from '../stream/json.ts'
import type { AgentState } from './state.ts'
import { blockId } from './turn.ts'

export interface Said {
  readonly message: Message
  readonly calls: readonly PreparedCall[]
}

export function saidMessage(state: AgentState, folded: Fold): Said {
  const { run } = state
  const calls: PreparedCall[] = []
  const seen = new Map<string, RawCall>()
  const content = foldedParts(folded, (raw) => {
    const { name, index, providerExecuted } = raw.start
    const callId = providerExecuted === true ? (raw.start.callId ?? run.host.id('call_')) : stepCallId(state, raw, seen)
    if (callId === undefined) return undefined
    state.callIds.add(callId)
    const prepared = providerExecuted === true ? undefined : prepareText(state.tools, { callId, name, text: raw.text, cut: folded.finish === 'length' })
    if (prepared !== undefined) calls.push(prepared)
    const input = prepared === undefined ? parsedInput(raw.text) : prepared.input
    const malformed = prepared?.malformed === true ? true : undefined
    const coercions = prepared === undefined || prepared.coercions.length === 0 ? undefined : prepared.coercions
    emit(run, { type: 'tool-call', step: run.step, callId, name, input, id: blockId(index), coercions, malformed, providerExecuted })
    if (prepared !== undefined && prepared.dropped.length > 0) {
      const keys = [...prepared.dropped]
      warn(run, 'keys-dropped', `The input of tool "${name}" lost keys it may not have: ${keys.join(', ')}`, { callId, keys })
    }
    const part: Part = { type: 'tool-call', callId, name, input, malformed, providerExecuted, providerData: raw.providerData }
    return part
  })
  for (const part of content) {
    if (part.type !== 'tool-result') continue
    const { callId, name, content: parts } = part
    const outcome = part.ok ? ({ ok: true, parts, final: false } as const) : ({ ok: false, reason: 'failed', parts } as const)
    emit(run, { type: 'tool-end', step: run.step, callId, name, outcome, durationMs: 0 })
  }
  return { message: { role: 'assistant', content }, calls }
}

/** The input of a call that the provider ran itself: shown as it is. */
function parsedInput(text: string): Json {
  const parsed = parseJson(text === '' ? '{}' : text)
  return (parsed.ok ? parsed.value : text) as Json
}

/** `undefined` for the same call said twice; a fresh id where the model gave none or used it before. */
function stepCallId({ run, callIds }: AgentState, raw: RawCall, seen: Map<string, RawCall>): string | undefined {
  const { callId: wanted = '', name } = raw.start
  const same = seen.get(wanted)
  if (same !== undefined && same.start.name === name && same.text === raw.text) {
    warn(run, 'duplicate-call', `The model made call "${wanted}" of tool "${name}" twice; it runs once`, { callId: wanted })
    return undefined
  }
  if (wanted !== '' && !callIds.has(wanted)) {
    seen.set(wanted, raw)
    return wanted
  }
  const callId = run.host.id('call_')
  warn(run, 'call-id-replaced', `The call id "${wanted}" of tool "${name}" is missing or used before; it is now "${callId}"`, { callId })
  return callId
}
