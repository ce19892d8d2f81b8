// `agent()`: options checked once, then runs and resumes.
import { addGrants, grants } from '../approval/grants.ts'
import type { Grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import { claimSnapshot } from '../journal/claim.ts'
import type { Decision } from '../message/decision.ts'
import { inputMessages, newInput } from '../message/input.ts'
import type { RunInput } from '../message/input.ts'
import type { Message } from '../message/part.ts'
import { messageText } from '../message/text.ts'
import { repairTranscript } from '../message/transcript.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { startRun } from '../run/machine.ts'
import type { Driver } from '../run/machine.ts'
import type { Run, RunResult } from '../run/run.ts'
import { checkSnapshot, refuse, sealedText } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { emit, warn } from '../run/state.ts'
import { loop } from './loop.ts'
import type { AgentOptions, ResumeOptions, RunOptions } from './options.ts'
import { agentBody, changedTools, checkedBody, checkedDecisions, reopenedCalls } from './resume.ts'
import { chooseTools } from './request.ts'
import { agentSetup, agentState } from './setup.ts'
import type { AgentSetup, AgentState } from './state.ts'

export interface Agent {
  /**
   * Starts a run at once. `input` is a string or a whole conversation; what is wrong with its tool results is repaired
   * and reported. Throws `run-invalid-input`.
   */
  run(input: RunInput, options?: RunOptions): Run
  /**
   * Goes on from a snapshot, also in another runtime. Rejects before anything runs when it refuses: an invalid,
   * unsigned or used snapshot, a decision that fits nothing, a changed tool. A refusal does not use the snapshot up.
   */
  resume(snapshot: Snapshot, decisions?: readonly Decision[], options?: ResumeOptions): Promise<Run>
}

/** An agent. Throws `config-…` errors for options that cannot work. */
export function agent(options: AgentOptions): Agent {
  const memory: Memory = { ...agentSetup(options), sessions: new Map(), used: new Set() }
  return {
    run(input, given = {}) {
      const { messages, repairs } = repairTranscript(inputMessages(input))
      const state = agentState(memory, given, { messages, grants: sessionGrants(memory, given) })
      emit(state.run, { type: 'run-start', model: options.model.id })
      for (const repair of repairs) warn(state.run, 'history-repaired', repair)
      return start(state, undefined, given)
    },
    resume: (snapshot, decisions = [], given = {}) => resume(memory, snapshot, decisions, given),
  }
}

interface Memory extends AgentSetup {
  readonly sessions: Map<string, Grants>
  /** Snapshots this agent object has resumed, by run id and `seq`. */
  readonly used: Set<string>
}

/** The grants of a session; a run without one is its own. The oldest sessions are forgotten, which only asks again. */
function sessionGrants({ sessions }: Memory, { session, grants: brought }: RunOptions): Grants {
  const known = (session !== undefined && sessions.get(session)) || grants()
  if (brought) addGrants(known, brought)
  if (session === undefined) return known
  sessions.set(session, known)
  const [oldest = ''] = sessions.keys()
  if (sessions.size > 1000) sessions.delete(oldest)
  return known
}

function start(state: AgentState, open: readonly PreparedCall[] | undefined, given: RunOptions): Run {
  const { run, messages, addedFrom } = state
  const driver: Driver<RunResult> = {
    kind: 'agent',
    drive: () => loop(state, open),
    body: () => agentBody(state),
    result: (ending, snapshot) => ({
      ...ending,
      text: state.text || lastText(messages),
      output: state.output,
      messages,
      added: messages.slice(addedFrom),
      pending: run.pending,
      usage: run.usage,
      steps: run.step,
      get snapshot() {
        return snapshot()
      },
    }),
  }
  return startRun(run, driver, given)
}

/** The text of the last answer, for a run that said nothing since it was resumed. */
function lastText(messages: readonly Message[]): string {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? messageText(last) : ''
}

async function resume(
  memory: Memory,
  given: Snapshot,
  decisions: readonly Decision[],
  options: ResumeOptions,
): Promise<Run> {
  const { snapshots } = memory.options
  checkSnapshot(given, 'agent')
  const isImport = options.trust === 'import'
  const { signature } = given
  if (
    snapshots &&
    !isImport &&
    !(typeof signature === 'string' && (await snapshots.verify(sealedText(given), signature)))
  ) {
    throw new SameloopError('run-unsigned-snapshot', `Cannot resume: wanted a signed snapshot, or { trust: 'import' }`)
  }
  const body = checkedBody(given.body)
  // An import speaks for no session of ours.
  const session = options.session ?? (isImport ? undefined : given.session)
  const { messages, repairs } = repairTranscript(body.messages, { keepPending: true })
  const begin = {
    id: given.run,
    seq: given.seq,
    step: body.step,
    usage: given.usage,
    earlierMs: given.elapsedMs,
    messages,
    grants: sessionGrants(memory, { ...options, session }),
  }
  const state = agentState(memory, { ...options, session }, begin)
  const { run, table } = state
  const changed = changedTools(body, table)
  chooseTools(state)
  const open = reopenedCalls(state, changed, isImport)
  const input = options.input === undefined ? [] : newInput(options.input)
  if (!open && options.input === undefined && given.status === 'done') {
    refuse('the run is done; give new input')
  }
  run.ahead = checkedDecisions(isImport ? [] : decisions, given.pending, open ?? [])
  // What is imported is asked about again, so there is nothing to use up.
  if (!isImport) await useOnce(memory, given)
  // An import brings no rights with it.
  if (!isImport) addGrants(state.grants, given.grants)
  state.toolCalls = new Map(Object.entries(body.toolCalls))
  // A run that a limit stopped goes on: with a higher limit, or with new input.
  if (open) state.stopNext = body.stopNext
  if (!input.length) state.repeats = body.repeats
  state.repaired = body.repaired
  // New input enters after the results of the open step, as steering does.
  run.steering.push(...body.steering, ...input)
  emit(run, { type: 'run-start', model: memory.options.model.id, resumed: true })
  for (const repair of repairs) warn(run, 'history-repaired', repair)
  for (const tool of changed) warn(run, 'tool-changed', `Tool "${tool}" changed since the snapshot`, { tool })
  return start(state, open, options)
}

/** Single use: by compare-and-set where there is a store, else within this agent object. */
async function useOnce({ used, options }: Memory, { run, seq }: Snapshot): Promise<void> {
  const key = `${run}:${seq}`
  const store = options.env?.store
  const isNew = !used.has(key)
  used.add(key)
  const [oldest = ''] = used
  // Only so that a process that resumes for years does not grow for ever.
  if (used.size > 100_000) used.delete(oldest)
  try {
    if (isNew && (!store || (await claimSnapshot(store, run, seq)))) return
  } catch (thrown) {
    // The store failed, so nothing was claimed.
    used.delete(key)
    throw thrown
  }
  throw new SameloopError('run-snapshot-used', 'Cannot resume: the snapshot was resumed before', { data: { run, seq } })
}
