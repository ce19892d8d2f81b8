// Where a run of an agent begins: at new input, or at a snapshot. Neither knows who started it.
import { recoveryOf } from '../continuation/recovery.ts'
import { changedTools } from '../continuation/reopen.ts'
import type { Json } from '../json/value.ts'
import { inputMessages, newInput } from '../message/input.ts'
import type { RunInput } from '../message/input.ts'
import type { Message } from '../message/part.ts'
import { messageText } from '../message/text.ts'
import { repairTranscript } from '../message/transcript.ts'
import { openLog } from '../run/log.ts'
import { startRun } from '../run/machine.ts'
import type { Driver } from '../run/driver.ts'
import type { Run, RunResult } from '../run/run.ts'
import { refuse } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { emit, warn } from '../run/state.ts'
import type { Belonging } from '../run/state.ts'
import { agentBody, checkedBody, openCallsOf } from './body.ts'
import { surplus } from './calls.ts'
import { loop, recordSaid, spentLimit } from './loop.ts'
import type { ResumeOptions, RunOptions } from './options.ts'
import { agentState } from './state.ts'
import type { AgentSetup, AgentState } from './state.ts'
import { chooseTools, tellersOf } from './turn.ts'

/** A run that is ready to start. */
export interface Begun {
  readonly state: AgentState
  /** What was wrong with the history. */
  readonly repairs: readonly string[]
  /** The tools that are not as they were; absent for new input. */
  readonly changed?: readonly string[] | undefined
  /** What is new since the snapshot. */
  readonly input?: Json | undefined
}

export function newRun(setup: AgentSetup, input: RunInput, given: RunOptions, of: Belonging): Begun {
  const { messages, repairs } = repairTranscript(inputMessages(input))
  return { state: agentState(setup, given, { ...of, driver, messages }), repairs }
}

/** Throws `run-invalid-snapshot` and `run-tool-changed`; nothing has run then. */
export function reopenedRun(setup: AgentSetup, from: Snapshot, given: ResumeOptions, of: Belonging): Begun {
  const body = checkedBody(from.body)
  const { messages, repairs } = repairTranscript(body.messages, { keepPending: true })
  const { run: id, seq, usage, elapsedMs: earlierMs } = from
  const state = agentState(setup, given, { ...of, driver, id, seq, step: body.step, usage, earlierMs, messages })
  const changed = changedTools(body, state.table)
  chooseTools(state)
  const { tools } = state
  const recovery = recoveryOf(from)
  const { pending } = from
  const reopening = { tools, changed, imported: given.trust === 'import', recovery, pending }
  const open = openCallsOf(messages, body, reopening) ?? (recovery?.isAnswered ? [] : undefined)
  state.open = open
  const input = given.input === undefined ? [] : newInput(given.input)
  if (!open && given.input === undefined && from.status === 'done') refuse('the run is done; give new input')
  state.toolCalls = new Map(Object.entries(body.toolCalls))
  // A run that a limit stopped goes on: with a higher limit, or with new input.
  if (open) state.stopNext = body.stopNext
  // A sub-agent that is not reached this time goes on the next time.
  if (open) state.children = body.children
  if (open) state.edits = body.edits
  if (!input.length) state.repeats = body.repeats
  state.repaired = body.repaired
  // New input enters after the results of the open step, as steering does.
  state.steering = [...body.steering, ...input]
  return { state, repairs, changed, input: input.length ? (input as unknown as Json) : undefined }
}

/** A run that begins with what a snapshot says was there before it. */
export const readyRun = (setup: AgentSetup, { body, run: id }: Snapshot, given: ResumeOptions, of: Belonging): Begun =>
  newRun(setup, checkedBody(body).messages, { ...given, id }, of)

export function start({ state, repairs, changed }: Begun, given: RunOptions): Run {
  if (!state.journal) openLog(state)
  emit(state, { type: 'run-start', model: state.options.model.id, resumed: changed && true })
  for (const repair of repairs) warn(state, 'history-repaired', repair)
  for (const tool of changed ?? []) {
    warn(state, 'tool-changed', `Tool "${tool}" changed since the snapshot`, { tool })
  }
  return startRun(state, driver, given)
}

const driver: Driver<AgentState, RunResult> = {
  kind: 'agent',
  drive: loop,
  close: recordSaid,
  body: agentBody,
  admit: surplus,
  spent: spentLimit,
  tellers: tellersOf,
  result: ({ messages, addedFrom, text, output, pending, usage, step }, { status, stop, error }, snapshot) => ({
    status,
    stop,
    error,
    text: text || lastText(messages),
    output,
    messages,
    added: messages.slice(addedFrom),
    pending,
    usage,
    steps: step,
    get snapshot() {
      return snapshot()
    },
  }),
}

/** The text of the last answer, for a run that said nothing since it was resumed. */
function lastText(messages: readonly Message[]): string {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? messageText(last) : ''
}
