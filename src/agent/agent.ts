// `agent()`: options checked once, then runs and resumes.
import { grants } from '../approval/grants.ts'
import type { Grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import type { Decision } from '../message/decision.ts'
import { inputMessages } from '../message/input.ts'
import type { RunInput } from '../message/input.ts'
import type { Message } from '../message/part.ts'
import { repairTranscript } from '../message/transcript.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { claimSnapshot } from '../journal/claim.ts'
import { startRun } from '../run/machine.ts'
import type { Driver } from '../run/machine.ts'
import type { Run, RunResult } from '../run/run.ts'
import { checkSnapshot, sealedText } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { emit, warn } from '../run/state.ts'
import { toSchema } from '../schema/standard.ts'
import { lastText, loop } from './loop.ts'
import type { AgentOptions, ResumeOptions, RunOptions } from './options.ts'
import { agentBody, bodyOf, changedTools, checkedDecisions, reopenedCalls } from './resume.ts'
import { callScope } from './scope.ts'
import { agentSetup, agentState } from './state.ts'
import type { AgentSetup, AgentState } from './state.ts'

export interface Agent {
  /**
   * Starts a run at once. `input` is a string or a whole conversation; what is wrong with its tool results is repaired
   * and reported. Throws `run-invalid-input`.
   */
  run(input: RunInput, options?: RunOptions): Run
  /**
   * Goes on from a snapshot, also in another runtime. Rejects before anything runs when it refuses: an invalid, unsigned
   * or used snapshot, a decision that fits nothing, a changed tool. A refusal does not use the snapshot up.
   */
  resume(snapshot: Snapshot, decisions?: readonly Decision[], options?: ResumeOptions): Promise<Run>
}

/** An agent. Throws `config-…` errors for options that cannot work. */
export function agent(options: AgentOptions): Agent {
  const setup: AgentSetup = {
    ...agentSetup(options),
    output: options.output && toSchema(options.output, 'input'),
  }
  const sessions = new Map<string, Grants>()
  const used = new Set<string>()
  return {
    run(input, runOptions = {}) {
      const { messages, repairs } = repairTranscript(inputMessages(input))
      const state = agentState(setup, runOptions, { messages, grants: sessionGrants(sessions, runOptions.session), run: {} }, callScope)
      noteCallIds(state)
      emit(state.run, { type: 'run-start', model: options.model.id })
      for (const repair of repairs) warn(state.run, 'history-repaired', repair)
      return start(state, undefined, runOptions)
    },
    resume: (snapshot, decisions = [], resumeOptions = {}) => resume({ setup, sessions, used }, snapshot, decisions, resumeOptions),
  }
}

interface Memory {
  readonly setup: AgentSetup
  readonly sessions: Map<string, Grants>
  /** Snapshots this agent object has resumed, by run id and `seq`. */
  readonly used: Set<string>
}

const maxSessions = 1000

/** The grants of a session; a run without one is its own session. The oldest sessions are forgotten, which only asks again. */
function sessionGrants(sessions: Map<string, Grants>, session: string | undefined): Grants {
  if (session === undefined) return grants()
  const known = sessions.get(session) ?? grants()
  sessions.delete(session)
  sessions.set(session, known)
  const [oldest] = sessions.keys()
  if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest)
  return known
}

function start(state: AgentState, open: readonly PreparedCall[] | undefined, options: RunOptions): Run {
  const { signal, detached } = options
  const { snapshots, env } = state.setup.options
  const singleUse = env?.store === undefined ? 'process' : 'store'
  return startRun(state.run, driver(state, open), { signal, detached, seal: snapshots, singleUse })
}

function driver(state: AgentState, open: readonly PreparedCall[] | undefined): Driver<RunResult> {
  const { run, messages } = state
  return {
    kind: 'agent',
    drive: () => loop(state, open),
    body: () => agentBody(state),
    result: ({ status, stop, error }, snapshot) => ({
      status,
      stop,
      text: state.text === '' ? lastText(messages) : state.text,
      ...(state.output === undefined ? {} : { output: state.output }),
      messages,
      added: messages.slice(state.addedFrom),
      pending: run.pending,
      usage: run.usage,
      steps: run.step,
      get snapshot() {
        return snapshot()
      },
      error,
    }),
    text: (result) => result.text,
  }
}

async function resume(memory: Memory, given: Snapshot, decisions: readonly Decision[], options: ResumeOptions): Promise<Run> {
  const { setup, sessions } = memory
  checkSnapshot(given, 'agent')
  const isImport = options.trust === 'import'
  const seal = setup.options.snapshots
  if (seal !== undefined && !isImport) await checkSignature(given, seal)
  const body = bodyOf(given)
  const messages = [...body.messages]
  const session = options.session ?? given.session
  const state = agentState(
    setup,
    { ...options, session },
    {
      messages,
      // An import brings no rights with it.
      grants: mergedGrants(sessionGrants(sessions, session), isImport ? grants() : given.grants),
      run: { id: given.run, seq: given.seq, step: body.step, usage: given.usage, earlierMs: given.elapsedMs },
    },
    callScope,
  )
  const open = reopenedCalls(body, state.table)
  if (open === undefined && options.input === undefined && given.status === 'done') {
    throw new SameloopError('run-invalid-snapshot', 'Cannot resume: the run is done; give new input, or start a run with its messages')
  }
  const byCall = isImport ? new Map<string, Decision>() : checkedDecisions(decisions, given.pending, open ?? [])
  const input = options.input === undefined ? [] : inputMessages(options.input)
  await useOnce(memory, given)
  restore(state, body, { open: open ?? [], byCall, input })
  emit(state.run, { type: 'run-start', model: setup.options.model.id, resumed: true })
  for (const name of changedTools(body, state.table)) warn(state.run, 'tool-changed', `Tool "${name}" changed since the snapshot`, { tool: name })
  return start(state, open, options)
}

function restore(
  state: AgentState,
  body: ReturnType<typeof bodyOf>,
  given: { readonly open: readonly PreparedCall[]; readonly byCall: ReadonlyMap<string, Decision>; readonly input: readonly Message[] },
): void {
  for (const [name, count] of Object.entries(body.toolCalls)) state.toolCalls.set(name, count)
  for (const [callId, decision] of given.byCall) state.run.ahead.set(callId, decision)
  state.repeats = body.repeats
  state.stopNext = body.stopNext ?? undefined
  state.repaired = body.repaired
  noteCallIds(state)
  // New input enters after the results of the open step, as steering does.
  state.run.steering.push(...given.input)
}

const snapshotKey = ({ run, seq }: Snapshot): string => `${run}:${seq}`

async function checkSignature(snapshot: Snapshot, seal: NonNullable<AgentOptions['snapshots']>): Promise<void> {
  const { signature } = snapshot
  if (typeof signature === 'string' && (await seal.verify(sealedText(snapshot), signature))) return
  throw new SameloopError('run-unsigned-snapshot', `Cannot resume: the snapshot is ${signature === undefined ? 'not signed' : 'wrongly signed'}; pass { trust: 'import' } to be asked again about its calls`)
}

/** Single use: by compare-and-set where there is a store, else within this agent object. */
async function useOnce({ setup, used }: Memory, snapshot: Snapshot): Promise<void> {
  const { run, seq } = snapshot
  const spent = new SameloopError('run-snapshot-used', `Cannot resume: the snapshot of run "${run}" at ${seq} was resumed before`, { data: { run, seq } })
  if (used.has(snapshotKey(snapshot))) throw spent
  used.add(snapshotKey(snapshot))
  const store = setup.options.env?.store
  if (store !== undefined && !(await claimSnapshot(store, run, seq))) throw spent
}

function mergedGrants(session: Grants, more: Grants): Grants {
  for (const key of more.allowed) if (!session.allowed.includes(key)) session.allowed.push(key)
  for (const tool of more.denied) if (!session.denied.includes(tool)) session.denied.push(tool)
  return session
}

function noteCallIds({ callIds, messages }: AgentState): void {
  for (const message of messages) for (const part of message.content) if (part.type === 'tool-call') callIds.add(part.callId)
}
