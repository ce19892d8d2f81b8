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
import { startRun } from '../run/machine.ts'
import type { Driver } from '../run/machine.ts'
import type { Run, RunResult } from '../run/run.ts'
import { checkSnapshot, refuse, sealedText } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { emit, warn } from '../run/state.ts'
import { loop } from './loop.ts'
import type { AgentOptions, ResumeOptions, RunOptions } from './options.ts'
import { agentBody, changedTools, checkedBody, checkedDecisions, reopenedCalls } from './resume.ts'
import { agentSetup, agentState } from './state.ts'
import type { AgentSetup, AgentState } from './state.ts'
import { chooseTools } from './turn.ts'

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
  const memory: Memory = { setup: agentSetup(options) }
  return {
    run(input, given = {}) {
      const { messages, repairs } = repairTranscript(inputMessages(input))
      const { session } = given
      const state = agentState(memory.setup, given, { session, messages, grants: sessionGrants(memory, given) })
      return start(state, given, repairs)
    },
    resume: (snapshot, decisions = [], given = {}) => resume(memory, snapshot, decisions, given),
  }
}

/** Made when first needed. */
interface Memory {
  readonly setup: AgentSetup
  sessions?: Map<string, Grants>
  /** Snapshots this agent object has resumed, by run id and `seq`. */
  used?: Set<string>
}

/** The grants of a session; a run without one is its own. The oldest sessions are forgotten, which only asks again. */
function sessionGrants(memory: Memory, { session, grants: brought = {} as Grants }: RunOptions): Grants {
  const known = addGrants((session !== undefined && memory.sessions?.get(session)) || grants(), brought)
  if (session === undefined) return known
  const sessions = (memory.sessions ??= new Map())
  forgetOldest(sessions.set(session, known), 1000)
  return known
}

const driver: Driver<AgentState, RunResult> = {
  kind: 'agent',
  drive: loop,
  body: agentBody,
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

/** With `changed`, the tools that are not as they were, it is a resume. */
function start(state: AgentState, given: RunOptions, repairs: readonly string[], changed?: readonly string[]): Run {
  emit(state, { type: 'run-start', model: state.options.model.id, resumed: changed && true })
  for (const repair of repairs) warn(state, 'history-repaired', repair)
  for (const tool of changed ?? []) {
    warn(state, 'tool-changed', `Tool "${tool}" changed since the snapshot`, { tool })
  }
  return startRun(state, driver, given)
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
  const { snapshots } = memory.setup.options
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
  await memory.setup.table.guard?.connect()
  // An import speaks for no session of ours.
  const session = options.session ?? (isImport ? undefined : given.session)
  const { messages, repairs } = repairTranscript(body.messages, { keepPending: true })
  const begin = {
    id: given.run,
    session,
    seq: given.seq,
    step: body.step,
    usage: given.usage,
    earlierMs: given.elapsedMs,
    messages,
    grants: sessionGrants(memory, { ...options, session }),
  }
  const state = agentState(memory.setup, options, begin)
  const changed = changedTools(body, state.table)
  chooseTools(state)
  const open = reopenedCalls(state, changed, isImport)
  state.open = open
  const input = options.input === undefined ? [] : newInput(options.input)
  if (!open && options.input === undefined && given.status === 'done') {
    refuse('the run is done; give new input')
  }
  state.ahead = checkedDecisions(isImport ? [] : decisions, given.pending, open ?? [])
  // What is imported is asked about again, so there is nothing to use up, and brings no rights with it.
  if (!isImport) {
    await useOnce(memory, given)
    addGrants(state.grants, given.grants)
  }
  state.toolCalls = new Map(Object.entries(body.toolCalls))
  // A run that a limit stopped goes on: with a higher limit, or with new input.
  if (open) state.stopNext = body.stopNext
  if (!input.length) state.repeats = body.repeats
  state.repaired = body.repaired
  // New input enters after the results of the open step, as steering does.
  state.steering = [...body.steering, ...input]
  return start(state, options, repairs, changed)
}

/** Single use: by compare-and-set where there is a store, else within this agent object. */
async function useOnce(memory: Memory, { run, seq }: Snapshot): Promise<void> {
  const key = `${run}:${seq}`
  const { store } = memory.setup.options.env ?? {}
  const used = (memory.used ??= new Set())
  if (!(store ? await claimSnapshot(store, run, seq) : !used.has(key))) {
    throw new SameloopError('run-snapshot-used', 'Cannot resume: the snapshot was resumed before', {
      data: { run, seq },
    })
  }
  // Only so that a process that resumes for years does not grow for ever.
  forgetOldest(used.add(key), 100_000)
}

function forgetOldest<Key>(known: Map<Key, unknown> | Set<Key>, limit: number): void {
  const [oldest] = known.keys()
  if (known.size > limit) known.delete(oldest as Key)
}
