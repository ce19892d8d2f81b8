// From a finished response to the content of its message and the calls that may run, before anything of it is stored.
import { sameJson } from '../message/equal.ts'
import { blockId } from '../message/fold.ts'
import type { Fold, RawCall } from '../message/fold.ts'
import type { Json } from '../json/value.ts'
import { failure } from '../message/outcome.ts'
import type { Failure } from '../message/outcome.ts'
import type { Outcome, Part, PublicOutcome } from '../message/part.ts'
import { prepareText } from '../registry/prepare.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { countCall } from '../run/call-limit.ts'
import { emit, warn } from '../run/state.ts'
import { parseJson } from '../json/text.ts'
import type { AgentState, Repeat } from './state.ts'

export interface Said {
  readonly content: readonly Part[]
  readonly calls: readonly PreparedCall[]
}

/** Empty text is left out, and a call that is said twice. */
export function said(state: AgentState, { parts, finish }: Fold): Said {
  const { step } = state
  const content: Part[] = []
  const calls: PreparedCall[] = []
  const seen = new Map<string, RawCall>()
  for (const part of parts) {
    if (part.type === 'call') {
      const callId = callIdOf(state, part, seen)
      if (!callId) continue
      state.callIds.add(callId)
      const { name, providerExecuted, providerData } = part
      const heard = heardCall(state, part, { callId, isCut: finish === 'length' })
      if (!providerExecuted) calls.push(heard as PreparedCall)
      const { input, malformed, dropped: keys = [] } = heard
      const id = blockId(part.index)
      const coercions = heard.coercions?.length ? heard.coercions : undefined
      emit(state, { type: 'tool-call', step, callId, name, input, id, coercions, malformed, providerExecuted })
      if (keys.length)
        warn(state, 'keys-dropped', `Dropped keys of the input of tool "${name}": ${keys.join(', ')}`, { callId, keys })
      content.push({ type: 'tool-call', callId, name, input, malformed, providerExecuted, providerData })
    } else if (part.type === 'tool-result') {
      const { callId, name, ok } = part
      const outcome: PublicOutcome = ok
        ? { ok, parts: part.content, final: false }
        : { ok, reason: 'failed', parts: part.content }
      emit(state, { type: 'tool-end', step, callId, name, outcome, durationMs: 0 })
      content.push(part)
    } else if (!('text' in part) || part.text !== '' || part.providerData !== undefined) content.push(part)
  }
  // Copies of their size: a list that was pushed to keeps room for more, and the transcript keeps the list.
  return { content: content.slice(), calls }
}

type Heard = Pick<PreparedCall, 'input'> & Partial<PreparedCall>

/** A call that the provider ran itself is shown as it is; any other is prepared. */
function heardCall(
  { tools }: AgentState,
  { name, text, providerExecuted }: RawCall,
  { callId, isCut }: { readonly callId: string; readonly isCut: boolean },
): Heard {
  if (!providerExecuted) return prepareText({ callId, name }, text, { tools, isCut })
  const parsed = parseJson(text || '{}')
  return { input: parsed.ok ? (parsed.value as Json) : text }
}

/** `undefined` for the same call said twice; a fresh id where the model gave none or used it before. */
function callIdOf(state: AgentState, raw: RawCall, seen: Map<string, RawCall>): string | undefined {
  const { callIds, host } = state
  const { callId: wanted = '', name, text, providerExecuted } = raw
  if (providerExecuted && wanted !== '') return wanted
  const same = seen.get(wanted)
  if (wanted !== '' && same?.name === name && same.text === text) {
    warn(state, 'duplicate-call', `Call "${wanted}" of tool "${name}" was made twice; it runs once`, { callId: wanted })
    return undefined
  }
  if (!same) seen.set(wanted, raw)
  let callId = wanted
  // Ids with a slash are those of calls within calls.
  while (callId === '' || callId.includes('/') || callIds.has(callId)) callId = host.id('call_')
  if (callId !== wanted) {
    const text = `Call id "${wanted}" of tool "${name}" is missing, used or has a slash; it is now "${callId}"`
    warn(state, 'call-id-replaced', text, { callId })
  }
  return callId
}

/** The calls of a step, those that are too many or too much the same marked as failed before anything runs. */
export function limitedCalls(state: AgentState, calls: readonly PreparedCall[]): readonly PreparedCall[] {
  return calls.map((call) => {
    const failed = repeated(state, call) ?? call.failed ?? surplus(state, call)
    return failed ? { ...call, failed } : call
  })
}

/** Counts a call, or says that it is one too many. */
export function surplus(state: AgentState, call: PreparedCall): Failure | undefined {
  const { toolCalls, limits, furtherLimits } = state
  const failed = countCall(toolCalls, [limits, ...furtherLimits], call)
  if (failed) state.stopNext = 'tool-calls'
  return failed
}

function repeated(state: AgentState, call: PreparedCall): Failure | undefined {
  const { repeatedCalls = 3 } = state.limits
  const count = findRepeat(state, call)?.count ?? 0
  if (count === 0 || count < repeatedCalls - 1 || call.entry?.tool.repeatable) return undefined
  if (count < repeatedCalls) {
    return failure('limit', 'Not run: the same call gave the same result before; use it, or try something else')
  }
  state.stopNext = 'repeated-calls'
  return failure('limit', 'Not run: the same call again')
}

const findRepeat = (state: AgentState, call: PreparedCall): Repeat | undefined =>
  state.repeats.find((one) => one.name === call.name && sameJson(one.input, call.input))

/** Notes what a step's calls gave, for the next step to compare. Equal calls within one step count once. */
export function noteRepeats(state: AgentState, calls: readonly PreparedCall[], outcomes: readonly Outcome[]): void {
  state.repeats = calls.map((call, index) => {
    const outcome = outcomes[index] as Outcome
    const earlier = findRepeat(state, call)
    const isWarned = earlier && !outcome.ok && outcome.reason === 'limit'
    const content = isWarned ? earlier.content : outcome.parts
    const isSame = earlier && sameJson(earlier.content, content)
    return { name: call.name, input: call.input, content, count: isSame ? earlier.count + 1 : 1 }
  })
}
