// From a finished response to its assistant message and prepared calls, before anything of it is stored.
import type { Fold, RawCall } from '../message/fold.ts'
import { foldedParts } from '../message/fold.ts'
import type { Json, Message, Part, ToolCallPart, ToolResultPart } from '../message/part.ts'
import { prepareText } from '../registry/prepare.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { emit, warn } from '../run/state.ts'
import { parseJson } from '../stream/json.ts'
import { blockId } from './turn.ts'
import type { AgentState } from './state.ts'

export interface Said {
  readonly message: Message
  readonly calls: readonly PreparedCall[]
}

interface Seen {
  readonly name: string
  readonly text: string
  readonly callId: string
}

export function saidMessage(state: AgentState, folded: Fold): Said {
  const calls: PreparedCall[] = []
  const seen = new Map<string, Seen>()
  const content = foldedParts(folded, (raw) => {
    if (raw.providerExecuted) return providerCall(state, raw)
    const callId = stepCallId(state, raw, seen)
    if (callId === undefined) return undefined
    const cut = folded.finish === 'length'
    const call = prepareText(state.tools, { callId, name: raw.name, text: raw.text, cut })
    calls.push(call)
    announce(state, call, raw)
    return callPart(call, raw)
  })
  for (const part of content) if (part.type === 'tool-result') announceProviderResult(state, part)
  return { message: { role: 'assistant', content }, calls }
}

function callPart(call: PreparedCall, raw: RawCall): ToolCallPart {
  const { callId, name, input, malformed } = call
  const { providerData } = raw
  return {
    type: 'tool-call',
    callId,
    name,
    input,
    ...(malformed ? { malformed } : {}),
    ...(providerData === undefined ? {} : { providerData }),
  }
}

/** `undefined` for the same call said twice; a fresh id where the model gave none or used it before. */
function stepCallId(state: AgentState, raw: RawCall, seen: Map<string, Seen>): string | undefined {
  const { run, callIds } = state
  const { callId: wanted = '', name, text } = raw
  const same = wanted === '' ? undefined : seen.get(wanted)
  if (same !== undefined && same.name === name && same.text === text) {
    warn(run, 'duplicate-call', `The model made call "${wanted}" of tool "${name}" twice; it runs once`, { callId: same.callId })
    return undefined
  }
  const isFree = wanted !== '' && !callIds.has(wanted)
  const callId = isFree ? wanted : run.host.id('call_')
  if (!isFree) {
    const why = wanted === '' ? `A call of tool "${name}" came without an id` : `The model used the call id "${wanted}" again`
    warn(run, 'call-id-replaced', `${why}; it is now "${callId}"`, { callId })
  }
  callIds.add(callId)
  if (wanted !== '' && same === undefined) seen.set(wanted, { name, text, callId })
  return callId
}

function announce({ run }: AgentState, call: PreparedCall, raw: RawCall): void {
  const { callId, name, input, coercions, dropped, malformed } = call
  emit(run, {
    type: 'tool-call',
    step: run.step,
    callId,
    name,
    input,
    id: blockId(raw.index),
    ...(coercions.length > 0 ? { coercions } : {}),
    ...(malformed ? { malformed } : {}),
  })
  if (dropped.length > 0) warn(run, 'keys-dropped', `The input of tool "${name}" lost keys it may not have: ${dropped.join(', ')}`, { callId, keys: [...dropped] })
}

/** A call that the provider runs itself: it is shown and travels back, and never runs here. */
function providerCall(state: AgentState, raw: RawCall): Part {
  const { run } = state
  const { callId = run.host.id('call_'), name, text, providerData } = raw
  const parsed = parseJson(text === '' ? '{}' : text)
  const input = (parsed.ok ? parsed.value : text) as Json
  state.callIds.add(callId)
  emit(run, { type: 'tool-call', step: run.step, callId, name, input, id: blockId(raw.index), providerExecuted: true })
  return { type: 'tool-call', callId, name, input, providerExecuted: true, ...(providerData === undefined ? {} : { providerData }) }
}

function announceProviderResult({ run }: AgentState, part: ToolResultPart): void {
  const { callId, name, ok, content } = part
  const outcome = ok ? ({ ok, parts: content, final: false } as const) : ({ ok, reason: 'failed', parts: content } as const)
  emit(run, { type: 'tool-end', step: run.step, callId, name, outcome, durationMs: 0 })
}
