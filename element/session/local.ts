// A conversation with an agent in this page.
import { SameloopError, isSameloopError } from '../../src/error/error.ts'
import type { Agent } from '../../src/agent/agent.ts'
import type { Host } from '../../src/host/host.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Decision } from '../../src/message/decision.ts'
import type { Message } from '../../src/message/part.ts'
import type { Hooks } from '../../src/observer/hooks.ts'
import type { Run } from '../../src/run/run.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'
import { recoveredMessages } from './recover.ts'
import { joinedRecords, recordLog } from './record-log.ts'
import type { RecordLog } from './record-log.ts'
import type { ChatSession, SavedChat } from './session.ts'

export interface LocalOptions {
  /**
   * Asked for at each run and resume, always with the same hooks; the agent should have them, or what a run did is kept only
   * at its end. The same agent again keeps what was approved for the session.
   */
  readonly agent: Agent | ((hooks: Hooks) => Agent | Promise<Agent>)
  readonly saved?: SavedChat | undefined
  /** Told whenever something finished: a step, a tool, a run. */
  readonly onSave?: ((saved: SavedChat) => void) | undefined
  readonly host?: Host | undefined
}

interface Local {
  readonly options: LocalOptions
  readonly host: Host
  readonly id: string
  readonly log: RecordLog
  messages: readonly Message[]
  snapshot: Snapshot | undefined
  run: Run | undefined
  resuming: Promise<void> | undefined
  /** The agent is on its way. */
  isStarting: boolean
  /** It was stopped before it had come, or before decisions were taken. */
  isStopped: boolean
  /** What was said meanwhile. */
  readonly unsaid: string[]
  /** The messages before the current run. */
  before: readonly Message[]
  /** Decisions that came while their run was on its way to suspend again. */
  readonly early: Decision[]
}

/** A conversation with an agent in this page. The agent may wait for approvals or suspend: both are answered by `decide`. */
export function localSession(options: LocalOptions): ChatSession {
  const { saved, host = webHost } = options
  const local: Local = {
    options,
    host,
    id: saved?.id ?? host.id('session_'),
    log: recordLog(saved?.records),
    messages: saved === undefined ? [] : recoveredMessages(saved),
    snapshot: saved?.snapshot,
    run: undefined,
    resuming: undefined,
    isStarting: false,
    isStopped: false,
    unsaid: [],
    before: [],
    early: [],
  }
  const hooks: Hooks = {
    onStep: (_, added) => {
      local.messages = [...local.before, ...added]
      save(local)
    },
  }
  const agent = async (): Promise<Agent> => (typeof options.agent === 'function' ? options.agent(hooks) : options.agent)
  if (saved?.running === true) local.log.add({ type: 'interrupted', id: host.id('note_') })
  return {
    id: local.id,
    records: local.log.records,
    steers: true,
    subscribe: local.log.subscribe,
    send: (text) => send(local, agent, text),
    decide: (decision) => decide(local, agent, decision),
    stop: () => stop(local),
    continue: () => start(local, agent, local.messages),
    close: () => {
      local.isStopped = true
      local.run?.abort('The conversation was closed')
    },
  }
}

type Ask = () => Promise<Agent>

async function send(local: Local, agent: Ask, text: string): Promise<void> {
  local.log.add({ type: 'user', id: local.host.id('user_'), text })
  while (local.resuming !== undefined) await local.resuming.catch(() => undefined)
  if (local.run !== undefined) local.run.steer(text)
  else if (local.isStarting) local.unsaid.push(text)
  else await start(local, agent, [...local.messages, userMessage(text)])
}

const userMessage = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })

async function start(local: Local, agent: Ask, messages: readonly Message[]): Promise<void> {
  local.messages = messages
  local.snapshot = undefined
  local.isStarting = true
  local.isStopped = false
  try {
    const run = (await agent()).run(messages, { session: local.id })
    local.isStarting = false
    for (const text of local.unsaid.splice(0)) run.steer(text)
    if (local.isStopped) run.abort(stopReason)
    await follow(local, agent, run)
  } catch (thrown) {
    fail(local, thrown)
  }
}

/** Reads a run to its end. */
async function follow(local: Local, agent: Ask, run: Run): Promise<void> {
  local.run = run
  local.before = local.messages
  for await (const event of run) {
    local.log.add({ type: 'event', event })
    if (event.type === 'run-start' || event.type === 'tool-end') save(local)
  }
  const { status, messages, snapshot } = await run.result
  local.run = undefined
  local.messages = messages
  local.snapshot = status === 'suspended' ? snapshot : undefined
  save(local)
  if (local.snapshot !== undefined && local.early.length > 0) await resume(local, agent, local.early.splice(0))
}

async function decide(local: Local, agent: Ask, decision: Decision): Promise<void> {
  // A snapshot is resumed once: what is answered meanwhile goes to the run that comes of it.
  while (local.resuming !== undefined) await local.resuming.catch(() => undefined)
  const { run, snapshot } = local
  if (run === undefined) {
    if (snapshot === undefined) throw new SameloopError('run-unknown-call', 'Nothing waits for this answer any more')
    await resume(local, agent, [decision])
    return
  }
  try {
    run.decide(decision)
  } catch (thrown) {
    // A call of a run that is about to suspend, or to ask again: the answer is kept until it has.
    const isEarly = isSameloopError(thrown, 'run-unknown-call') || isSameloopError(thrown, 'run-suspended')
    if (!isEarly) throw thrown
    local.early.push(decision)
  }
}

/** Resolves when the decisions are taken; the run itself goes on in the background. */
function resume(local: Local, agent: Ask, decisions: readonly Decision[]): Promise<void> {
  local.isStopped = false
  const resuming = takeDecisions(local, agent, decisions).finally(() => (local.resuming = undefined))
  local.resuming = resuming
  return resuming
}

/** Somebody may stop it while the agent is on its way, or while the snapshot is read. */
async function takeDecisions(local: Local, agent: Ask, decisions: readonly Decision[]): Promise<void> {
  const { snapshot } = local
  if (snapshot === undefined) return
  try {
    const made = await agent()
    if (local.isStopped) {
      drop(local)
      return
    }
    const run = await made.resume(snapshot, decisions, { session: local.id })
    if (local.isStopped) run.abort(stopReason)
    follow(local, agent, run).catch((thrown: unknown) => fail(local, thrown))
  } catch (thrown) {
    if (!local.isStopped) throw thrown
    drop(local)
  }
}

const stopReason = 'Stopped by the user'

function stop(local: Local): void {
  local.isStopped = true
  local.run?.abort(stopReason)
  if (local.run === undefined && local.resuming === undefined) drop(local)
}

/** Lets go of what was asked. */
function drop(local: Local): void {
  if (local.snapshot === undefined) return
  local.snapshot = undefined
  local.log.add({ type: 'dropped', id: local.host.id('note_') })
  save(local)
}

function fail(local: Local, thrown: unknown): void {
  local.run = undefined
  local.isStarting = false
  const known = isSameloopError(thrown)
  local.log.add({
    type: 'failure',
    id: local.host.id('note_'),
    code: known ? thrown.code : 'run-internal',
    message: known ? thrown.message : 'The run could not be started',
  })
}

function save(local: Local): void {
  const { id, messages, snapshot, run, log, options } = local
  options.onSave?.({
    version: 1,
    id,
    records: joinedRecords(log.records),
    messages,
    snapshot,
    running: run !== undefined,
  })
}
