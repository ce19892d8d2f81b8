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
    // A part of a run that ends in the middle of a step compares what it has.
    else if (type === 'run-end' && isOpen(bodyOf(run).messages)) compare(run)
  },
  goOn(run, hadEnded) {
    const { messages } = bodyOf(run)
    const calls = isOpen(messages) ? openOf(run) : []
    const open = calls.filter(({ callId }) => !run.results.has(callId))
    run.calls.clear()
    for (const call of open) run.calls.set(call.callId, call)
    // A part that ended with all its results left no step open.
    if (hadEnded && calls.length && !open.length) messages.push(toolMessage(run, calls))
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
  for (const known of [run.results, run.started, run.pending, run.decided, run.edits, run.children, run.calls])
    known.clear()
  for (const call of openOf(run)) run.calls.set(call.callId, call)
  run.recoveries = 0
}

function answered(run: Folded): void {
  bodyOf(run).messages.push(toolMessage(run, openOf(run)))
  compare(run)
}

const openOf = (run: Folded): readonly ToolCallPart[] => {
  const { messages } = bodyOf(run)
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as Message
    if (message.role === 'assistant') return openCalls(message)
  }
  return []
}

/** Notes the calls that this part of the run answered, as the run itself does, to tell repetition. */
function compare(run: Folded): void {
  const calls = [...run.calls.values()]
  if (!calls.length) return
  const { content } = toolMessage(run, calls as unknown as readonly ToolCallPart[])
  const outcomes = content.map((part) => outcomeOf(part as ToolResultPart))
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
