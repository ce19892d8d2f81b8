// From a finished response to the content of its assistant message and prepared calls, before anything of it is stored.
import { blockId } from '../message/fold.ts'
import type { Fold, RawCall } from '../message/fold.ts'
import type { Json } from '../json/value.ts'
import type { Part, PublicOutcome } from '../message/part.ts'
import { prepareText } from '../registry/prepare.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { emit, warn } from '../run/state.ts'
import { parseJson } from '../json/text.ts'
import type { AgentState } from './state.ts'

export interface Said {
  readonly content: readonly Part[]
  readonly calls: readonly PreparedCall[]
}

/** Empty text is left out, and a call that is said twice. */
export function said(state: AgentState, folded: Fold): Said {
  const { run } = state
  const content: Part[] = []
  const calls: PreparedCall[] = []
  const seen = new Map<string, RawCall>()
  for (const part of folded.parts) {
    if (part.type === 'call') {
      const callId = callIdOf(state, part, seen)
      if (!callId) continue
      state.callIds.add(callId)
      const { name, providerExecuted } = part
      const heard = heardCall(state, part, callId)
      if (!providerExecuted) calls.push(heard as PreparedCall)
      const { input, coercions, malformed, dropped: keys = [] } = heard
      const id = blockId(part.index)
      const shown = coercions?.length ? coercions : undefined
      emit(run, {
        type: 'tool-call',
        step: run.step,
        callId,
        name,
        input,
        id,
        coercions: shown,
        malformed,
        providerExecuted,
      })
      if (keys.length)
        warn(run, 'keys-dropped', `Dropped keys of the input of tool "${name}": ${keys.join(', ')}`, { callId, keys })
      content.push({
        type: 'tool-call',
        callId,
        name,
        input,
        malformed,
        providerExecuted,
        providerData: part.providerData,
      })
    } else if (part.type === 'tool-result') {
      const { callId, name, ok, content: parts } = part
      const outcome: PublicOutcome = ok ? { ok, parts, final: false } : { ok, reason: 'failed', parts }
      emit(run, { type: 'tool-end', step: run.step, callId, name, outcome, durationMs: 0 })
      content.push(part)
    } else if (!('text' in part) || part.text !== '' || part.providerData !== undefined) content.push(part)
  }
  return { content, calls }
}

type Heard = Pick<PreparedCall, 'input'> & Partial<PreparedCall>

/** A call that the provider ran itself is shown as it is; any other is prepared. */
function heardCall({ tools, folded }: AgentState, { name, text, providerExecuted }: RawCall, callId: string): Heard {
  if (!providerExecuted) return prepareText({ callId, name }, text, { tools, isCut: folded?.finish === 'length' })
  const parsed = parseJson(text || '{}')
  return { input: parsed.ok ? (parsed.value as Json) : text }
}

/** `undefined` for the same call said twice; a fresh id where the model gave none or used it before. */
function callIdOf({ run, callIds }: AgentState, raw: RawCall, seen: Map<string, RawCall>): string | undefined {
  const { callId: wanted = '', name, text, providerExecuted } = raw
  if (providerExecuted && wanted !== '') return wanted
  const same = seen.get(wanted)
  if (wanted !== '' && same?.name === name && same.text === text) {
    warn(run, 'duplicate-call', `Call "${wanted}" of tool "${name}" was made twice; it runs once`, { callId: wanted })
    return undefined
  }
  if (!same) seen.set(wanted, raw)
  let callId = wanted
  while (callId === '' || callIds.has(callId)) callId = run.host.id('call_')
  if (callId !== wanted) {
    warn(run, 'call-id-replaced', `Call id "${wanted}" of tool "${name}" is missing or used; it is now "${callId}"`, {
      callId,
    })
  }
  return callId
}
