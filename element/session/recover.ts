// What a run that was cut off had finished in its last step, put back into the messages.
import type { RunEvent } from '../../src/message/event.ts'
import type { Message, Part, PublicOutcome, ToolCallPart, ToolResultPart } from '../../src/message/part.ts'
import type { ChatRecord, SavedChat } from './session.ts'

/**
 * The messages of a saved conversation. Where a run was at work, the calls of its unfinished step are added with the
 * results they had; a call without a result is left open, and the next run answers that its outcome is unknown.
 */
export function recoveredMessages(saved: SavedChat): readonly Message[] {
  if (!saved.running) return saved.messages
  const events = lastRun(saved.records)
  const outcomes = new Map<string, PublicOutcome>()
  for (const event of events) if (event.type === 'tool-end') outcomes.set(event.callId, event.outcome)
  const messages = saved.messages.map((message) => withOutcomes(message, outcomes))
  const known = new Set(
    messages.flatMap(({ content }) => content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : []))),
  )
  const calls = events.flatMap((event): ToolCallPart[] => {
    if (event.type !== 'tool-call' || known.has(event.callId) || event.providerExecuted === true) return []
    const { callId, name, input, malformed } = event
    return [{ type: 'tool-call', callId, name, input, ...(malformed === undefined ? {} : { malformed }) }]
  })
  if (calls.length === 0) return messages
  const results = calls.flatMap(({ callId, name }) => {
    const outcome = outcomes.get(callId)
    return outcome === undefined ? [] : [resultPart(callId, name, outcome)]
  })
  return [
    ...messages,
    { role: 'assistant', content: calls },
    ...(results.length === 0 ? [] : [{ role: 'tool' as const, content: results }]),
  ]
}

function lastRun(records: readonly ChatRecord[]): readonly RunEvent[] {
  const events = records.flatMap((record) => (record.type === 'event' ? [record.event] : []))
  const last = events.at(-1)?.run
  return events.filter(({ run, path }) => run === last && path === undefined)
}

function withOutcomes(message: Message, outcomes: ReadonlyMap<string, PublicOutcome>): Message {
  if (message.role !== 'tool') return message
  const content = message.content.map((part): Part => {
    if (part.type !== 'tool-result' || part.reason !== 'pending') return part
    const outcome = outcomes.get(part.callId)
    return outcome === undefined ? part : resultPart(part.callId, part.name, outcome)
  })
  return { ...message, content }
}

function resultPart(callId: string, name: string, outcome: PublicOutcome): ToolResultPart {
  const { parts: content } = outcome
  if (outcome.ok) return { type: 'tool-result', callId, name, ok: true, content }
  return { type: 'tool-result', callId, name, ok: false, reason: outcome.reason, content }
}
