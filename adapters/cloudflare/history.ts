// The messages of a run that nobody runs any more, put together again from what was kept and what its events say.
import type { RunEvent } from '../../src/message/event.ts'
import type {
  FailureReason,
  Message,
  Part,
  PublicOutcome,
  ToolCallPart,
  ToolResultPart,
} from '../../src/message/part.ts'
import { missingResult, openCalls } from '../../src/message/transcript.ts'

export interface History {
  readonly messages: readonly Message[]
  /** The results that were made up for calls without one. */
  readonly lost: readonly ToolResultPart[]
}

interface Step {
  readonly said: Map<string, Part & { readonly type: 'text' }>
  readonly calls: ToolCallPart[]
  readonly results: Map<string, ToolResultPart>
  readonly started: Set<string>
}

/**
 * Goes on from `base`, the messages when the run started or last suspended. Finished steps are kept, and of the last one
 * its calls: one that had started without a result gets `unknown-outcome`, the others `aborted`. A half answer is dropped.
 * Reasoning and what a provider ran itself are left out: without the provider's signatures nobody can send them back.
 */
export function lostHistory(base: readonly Message[], events: readonly RunEvent[], why: string): History {
  const messages = [...base]
  let step = newStep()
  for (const event of events) {
    if (event.path !== undefined) continue
    if (event.type === 'step-end') {
      endStep(messages, step)
      step = newStep()
    } else if (event.type === 'step-start') step = newStep()
    else note(step, event)
  }
  const lost = unanswered(messages, step).map((call) => lostResult(call, step, why))
  for (const result of lost) step.results.set(result.callId, result)
  if (step.calls.length > 0 || step.results.size > 0) endStep(messages, step)
  return { messages, lost }
}

const newStep = (): Step => ({ said: new Map(), calls: [], results: new Map(), started: new Set() })

function note(step: Step, event: RunEvent): void {
  switch (event.type) {
    case 'text-delta': {
      const text = (step.said.get(event.id)?.text ?? '') + event.delta
      step.said.set(event.id, { type: 'text', text })
      return
    }
    case 'step-reset':
      step.said.clear()
      step.calls.length = 0
      return
    case 'tool-call': {
      const { callId, name, input, malformed, providerExecuted } = event
      if (providerExecuted === true) return
      step.calls.push({ type: 'tool-call', callId, name, input, ...(malformed === undefined ? {} : { malformed }) })
      return
    }
    case 'tool-start':
      step.started.add(event.callId)
      return
    case 'tool-end':
      step.results.set(event.callId, resultPart(event.callId, event.name, event.outcome))
  }
}

function resultPart(callId: string, name: string, outcome: PublicOutcome): ToolResultPart {
  const part = { type: 'tool-result', callId, name, ok: outcome.ok, content: outcome.parts } as const
  return outcome.ok ? part : { ...part, reason: outcome.reason }
}

/** The calls that still want a result: of this step, or of a step that a decision had reopened. */
function unanswered(messages: readonly Message[], { calls, results }: Step): readonly ToolCallPart[] {
  const wanting = calls.length > 0 ? calls : reopened(messages)
  return wanting.filter(({ callId }) => !results.has(callId))
}

function reopened(messages: readonly Message[]): readonly ToolCallPart[] {
  const last = messages.at(-1)
  const asked = messages.at(-2)
  if (last?.role !== 'tool' || asked === undefined) return []
  const pending = new Set(last.content.flatMap((part) => (isPending(part) ? [part.callId] : [])))
  return openCalls(asked).filter(({ callId }) => pending.has(callId))
}

const isPending = (part: Part): part is ToolResultPart => part.type === 'tool-result' && part.reason === 'pending'

function lostResult(call: ToolCallPart, { started }: Step, why: string): ToolResultPart {
  const [reason, text]: readonly [FailureReason, string] = started.has(call.callId)
    ? ['unknown-outcome', `${why} while tool "${call.name}" was running: whether it had its effect is unknown`]
    : ['aborted', `${why} before this call started; it did not run`]
  return missingResult(call, reason, text)
}

function endStep(messages: Message[], { said, calls, results }: Step): void {
  const text = [...said.values()].filter((part) => part.text !== '')
  if (text.length > 0 || calls.length > 0) messages.push({ role: 'assistant', content: [...text, ...calls] })
  if (calls.length > 0) {
    messages.push({ role: 'tool', content: calls.flatMap(({ callId }) => results.get(callId) ?? []) })
    return
  }
  const last = messages.at(-1)
  if (results.size === 0 || last?.role !== 'tool') return
  const content = last.content.map((part) => (isPending(part) ? (results.get(part.callId) ?? part) : part))
  messages[messages.length - 1] = { role: 'tool', content }
}
