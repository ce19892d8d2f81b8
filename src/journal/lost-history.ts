// The messages of a run that nobody runs any more, put together again from what was kept and what its events say.
import type { RunEvent } from '../message/event.ts'
import type { Message, Part, ToolCallPart, ToolResultPart } from '../message/part.ts'
import { textPart } from '../message/text.ts'
import { missingResult, openCalls, resultPart } from '../message/transcript.ts'

export interface LostHistory {
  readonly messages: readonly Message[]
  /** The results that were made up for calls without one. */
  readonly lost: readonly ToolResultPart[]
}

interface Step {
  /** The text of each block. */
  readonly said: Map<string, string>
  readonly calls: ToolCallPart[]
  readonly results: Map<string, ToolResultPart>
  readonly started: Set<string>
}

/**
 * Goes on from `base`, the messages that are known, with the events of what came after them. Finished steps are kept, and
 * of the last one its calls: one that had started without a result gets `unknown-outcome`, the others `aborted`; both
 * begin with `why`, for example "The run was interrupted". A half answer is dropped. Reasoning and what a provider ran
 * itself are left out: without the provider's signatures nobody can send them back.
 */
export function lostHistory(base: readonly Message[], events: readonly RunEvent[], why: string): LostHistory {
  const messages = [...base]
  let step = newStep()
  for (const event of events) {
    if (event.path !== undefined) continue
    if (event.type === 'step-end') endStep(messages, step)
    if (event.type === 'step-end' || event.type === 'step-start') step = newStep()
    else note(step, event)
  }
  const lost = unanswered(messages, step).map((call) => lostResult(call, step, why))
  for (const result of lost) step.results.set(result.callId, result)
  if (step.calls.length > 0 || step.results.size > 0) endStep(messages, step)
  return { messages, lost }
}

const newStep = (): Step => ({ said: new Map(), calls: [], results: new Map(), started: new Set() })

function note({ said, calls, results, started }: Step, event: RunEvent): void {
  switch (event.type) {
    case 'text-delta':
      said.set(event.id, (said.get(event.id) ?? '') + event.delta)
      return
    case 'step-reset':
      said.clear()
      calls.length = 0
      return
    case 'tool-call': {
      const { callId, name, input, malformed } = event
      if (event.providerExecuted !== true) calls.push({ type: 'tool-call', callId, name, input, malformed })
      return
    }
    case 'tool-start':
      started.add(event.callId)
      return
    case 'tool-end':
      results.set(event.callId, resultPart(event, event.outcome))
  }
}

/** The calls that still want a result: of this step, or of a step that a decision had reopened. */
function unanswered(messages: readonly Message[], { calls, results }: Step): readonly ToolCallPart[] {
  const wanting = calls.length > 0 ? calls : reopened(messages)
  return wanting.filter(({ callId }) => !results.has(callId))
}

function reopened(messages: readonly Message[]): readonly ToolCallPart[] {
  const [asked, last] = messages.slice(-2)
  if (last?.role !== 'tool' || asked === undefined) return []
  const pending = new Set(last.content.flatMap((part) => (isPending(part) ? [part.callId] : [])))
  return openCalls(asked).filter(({ callId }) => pending.has(callId))
}

const isPending = (part: Part): part is ToolResultPart => part.type === 'tool-result' && part.reason === 'pending'

const lostResult = (call: ToolCallPart, { started }: Step, why: string): ToolResultPart =>
  started.has(call.callId)
    ? missingResult(
        call,
        'unknown-outcome',
        `${why} while tool "${call.name}" was running: whether it had its effect is unknown`,
      )
    : missingResult(call, 'aborted', `${why} before this call started; it did not run`)

function endStep(messages: Message[], { said, calls, results }: Step): void {
  const text = [...said.values()].filter((words) => words !== '').map(textPart)
  if (text.length > 0 || calls.length > 0) messages.push({ role: 'assistant', content: [...text, ...calls] })
  if (calls.length > 0) {
    messages.push({ role: 'tool', content: calls.flatMap(({ callId }) => results.get(callId) ?? []) })
    return
  }
  for (const [index, { role, content }] of messages.entries()) {
    if (role !== 'tool' || !content.some(isPending)) continue
    messages[index] = { role, content: content.map((part) => (isPending(part) && results.get(part.callId)) || part) }
  }
}
