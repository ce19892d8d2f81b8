// What a run that was cut off had done after the messages that were saved, put back into them.
import { lostHistory } from '../../src/journal/lost-history.ts'
import type { RunEvent } from '../../src/message/event.ts'
import type { Message } from '../../src/message/part.ts'
import { messageText } from '../../src/message/text.ts'
import type { ChatRecord, SavedChat } from './session.ts'

/**
 * The messages of a saved conversation. Where a run was at work, what its events tell beyond them is added: finished
 * steps, and the calls of the last one, each with its result or with what is known of it.
 */
export function recoveredMessages({ running, messages, records }: SavedChat): readonly Message[] {
  if (!running) return messages
  const events = lastStart(records)
  const known = lastKnown(messages, events)
  const news = events.filter(
    (event) => !(event.type === 'tool-call' || event.type === 'text-delta') || event.step > known,
  )
  return lostHistory(messages, news, 'The run was interrupted').messages
}

/** The events since a run last started or was resumed. */
function lastStart(records: readonly ChatRecord[]): readonly RunEvent[] {
  const events = records.flatMap((record) => (record.type === 'event' ? [record.event] : []))
  return events.slice(Math.max(0, events.map(({ type }) => type).lastIndexOf('run-start')))
}

/** The last of these steps that the messages hold: they are saved at the end of each step where the agent has our hooks. */
function lastKnown(messages: readonly Message[], events: readonly RunEvent[]): number {
  const parts = messages.flatMap(({ content }) => content)
  const calls = new Set(parts.map((part) => (part.type === 'tool-call' ? part.callId : undefined)))
  const answers = new Set(messages.flatMap((message) => (message.role === 'assistant' ? messageText(message) : [])))
  let known = 0
  let said = ''
  for (const event of events) {
    if (event.path !== undefined) continue
    if (event.type === 'tool-call' && calls.has(event.callId)) known = event.step
    // A step without a call, after which somebody steered, is known by its words.
    if (event.type === 'step-end' && said !== '' && answers.has(said)) known = event.step
    if (event.type === 'text-delta') said += event.delta
    if (event.type === 'step-start' || event.type === 'step-reset' || event.type === 'tool-call') said = ''
  }
  return known
}
