// Keeps a transcript valid: every tool call is followed by exactly one result, in one tool message, in call order.
import { failure } from './outcome.ts'
import type { FailureReason, Message, Part, PublicOutcome, ToolCallPart, ToolResultPart } from './part.ts'

export interface Repaired {
  /** A new array, safe to append to. */
  readonly messages: Message[]
  /** What was wrong, in plain words; empty for a transcript that was valid. */
  readonly repairs: readonly string[]
}

/** How a call ended, as the model reads it. */
export function resultPart(call: Pick<ToolCallPart, 'callId' | 'name'>, outcome: PublicOutcome): ToolResultPart {
  const reason = outcome.ok ? undefined : outcome.reason
  return { type: 'tool-result', callId: call.callId, name: call.name, ok: outcome.ok, reason, content: outcome.parts }
}

/** A result that says why there is no value. */
export function missingResult(call: ToolCallPart, reason: FailureReason, text: string): ToolResultPart {
  return resultPart(call, failure(reason, text))
}

/** The calls of a message that we, not the provider, must answer. */
export function openCalls(message: Message): readonly ToolCallPart[] {
  if (message.role !== 'assistant') return []
  return message.content.filter((part) => part.type === 'tool-call' && !part.providerExecuted) as ToolCallPart[]
}

const strayResults = 'Dropped tool results without a call'

/**
 * With `keepPending` the last step may still wait; anywhere else nobody will answer, and such a result counts as missing.
 *
 * Repairs what a crash, a cut history or another library left behind: answers unanswered calls, drops results without a
 * call and second results, merges tool messages of one step. Content that was right is kept as it is, by reference.
 */
export function repairTranscript(
  history: readonly Message[],
  { keepPending = false }: { readonly keepPending?: boolean } = {},
): Repaired {
  const messages: Message[] = []
  const repairs: string[] = []
  let calls: readonly ToolCallPart[] = []
  let results: Part[] = []
  const answerCalls = (isOpen: boolean): void => {
    if (!calls.length) return
    let surplus = results.length
    const content = calls.map((call) => {
      const isAnswer = (part: Part): part is ToolResultPart =>
        part.type === 'tool-result' && part.callId === call.callId && (isOpen || part.reason !== 'pending')
      const found = results.find(isAnswer)
      if (found) surplus--
      else repairs.push(`Answered call "${call.callId}" of tool "${call.name}"`)
      return found ?? missingResult(call, 'aborted', 'The result is missing; the tool may have run')
    })
    messages.push({ role: 'tool', content })
    if (surplus) repairs.push(strayResults)
  }
  for (const message of history) {
    if (message.role === 'tool') {
      if (calls.length) results.push(...message.content)
      else repairs.push(strayResults)
      continue
    }
    answerCalls(false)
    const ids = new Set<string>()
    const content = message.content.filter(
      (part) => part.type !== 'tool-call' || (!ids.has(part.callId) && ids.add(part.callId)),
    )
    const isWhole = content.length === message.content.length
    if (!isWhole) repairs.push('Dropped calls whose id another call of their step has')
    const kept = isWhole ? message : { ...message, content }
    messages.push(kept)
    calls = openCalls(kept)
    results = []
  }
  answerCalls(keepPending)
  return { messages, repairs }
}
