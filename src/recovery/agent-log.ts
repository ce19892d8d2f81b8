// How the log of an agent's run is read: what was said is in records, what tools gave in events.
import type { AgentBody } from '../agent/body.ts'
import { noteRepeats } from '../agent/calls.ts'
import type { AgentState } from '../agent/state.ts'
import { textPart } from '../message/text.ts'
import { failure } from '../message/outcome.ts'
import type { Message, Outcome, ToolCallPart, ToolResultPart } from '../message/part.ts'
import { missingResult, openCalls } from '../message/transcript.ts'
import type { LogRecord } from '../journal/log.ts'
import type { Kind } from './kind.ts'
import type { Folded } from './folded.ts'

type Mutable = { -readonly [key in keyof AgentBody]: AgentBody[key] } & { messages: Message[]; steering: Message[] }

const bodyOf = (run: Folded): Mutable => run.body as unknown as Mutable

export const agentLog: Kind = {
  begin(run) {
    const { messages } = bodyOf(run)
    bodyOf(run).steering ??= []
    const last = messages.at(-1)
    if (last?.role !== 'tool' || !last.content.some(isPending)) return
    // The step is still open: its results so far are known, and its message is made when it ends.
    messages.pop()
    for (const part of last.content)
      if (part.type === 'tool-result' && !isPending(part)) run.results.set(part.callId, part)
  },
  input(run, input) {
    const body = bodyOf(run)
    body.steering = [...body.steering, ...(input as unknown as readonly Message[])]
    if (!isOpen(body.messages)) body.repeats = []
  },
  note(run, { type, data }) {
    if (type === 'journal-said') said(run, data)
    else if (type === 'journal-steer') bodyOf(run).steering.push(...(data['messages'] as readonly Message[]))
    else if (type === 'step-end' && isOpen(bodyOf(run).messages)) answered(run)
  },
  end(run) {
    const { messages } = bodyOf(run)
    const calls = openCalls(messages.at(-1) ?? { role: 'user', content: [] })
    if (!calls.length) return { isAnswered: false }
    const isAnswered = calls.every(({ callId }) => run.results.has(callId))
    messages.push(toolMessage(run, calls))
    return { isAnswered }
  },
}

const isPending = (part: Message['content'][number]): boolean =>
  part.type === 'tool-result' && part.reason === 'pending'

const isOpen = (messages: readonly Message[]): boolean => {
  const last = messages.at(-1)
  return last !== undefined && openCalls(last).length > 0
}

function said(run: Folded, data: LogRecord['data']): void {
  const { messages, ...fields } = data as unknown as Mutable
  const body = bodyOf(run)
  if (messages.length && isOpen(body.messages)) answered(run)
  const { step, toolCalls, repaired, stopNext, steering } = fields
  Object.assign(body, { step, toolCalls, repaired, stopNext, steering })
  // At the end of a run there may be nothing new.
  if (!messages.length) return
  body.messages.push(...messages)
  for (const known of [run.results, run.started, run.pending, run.decided, run.children]) known.clear()
  run.recoveries = 0
}

function answered(run: Folded): void {
  const { messages } = bodyOf(run)
  const calls = openCalls(messages.at(-1) as Message)
  const message = toolMessage(run, calls)
  messages.push(message)
  const outcomes = message.content.map((part) => outcomeOf(part as ToolResultPart))
  noteRepeats(run.body as unknown as AgentState, calls as never, outcomes)
}

const outcomeOf = ({ ok, reason, content }: ToolResultPart): Outcome =>
  ok
    ? { ok, value: undefined, parts: content, final: false }
    : { ...failure(reason ?? 'failed', ''), parts: content.length ? content : [textPart('')] }

const toolMessage = ({ results }: Folded, calls: readonly ToolCallPart[]): Message => ({
  role: 'tool',
  content: calls.map((call) => results.get(call.callId) ?? missingResult(call, 'pending', 'Waiting for a person')),
})
