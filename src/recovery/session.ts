// A conversation that survives a reload: one run, whose log is its memory.
import type { Agent } from '../agent/agent.ts'
import type { RunOptions } from '../agent/options.ts'
import type { ErrorCode } from '../error/codes.ts'
import { SameloopError, isSameloopError } from '../error/error.ts'
import { readLog } from '../journal/log.ts'
import type { ApprovalRequest, Decision } from '../message/decision.ts'
import type { RunStatus } from '../message/event.ts'
import { newInput } from '../message/input.ts'
import type { RunInput } from '../message/input.ts'
import type { Message } from '../message/part.ts'
import type { Run } from '../run/run.ts'
import type { RunStore } from '../tool/run-store.ts'
import { rebuild } from './rebuild.ts'
import { recover } from './recover.ts'

export interface SessionOptions {
  readonly agent: Agent
  readonly store: RunStore
  /** The conversation's name in the store. */
  readonly id: string
}

/** What each run of a conversation may be given. */
export type SendOptions = Omit<RunOptions, 'id' | 'store' | 'session'>

export interface Session {
  readonly id: string
  /** The conversation as far as it is known, without what a run that works has said. */
  readonly messages: readonly Message[]
  /** Questions that wait for `decide`. */
  readonly pending: readonly ApprovalRequest[]
  /** How its last run ended; `new` before the first. `cut-off`: it did not, and `resume` goes on with it. */
  readonly status: RunStatus | 'new' | 'working' | 'cut-off'
  /** Says something. Where a run works, it hears it after the current step; that run is returned. */
  send(input: RunInput, options?: SendOptions): Promise<Run>
  /** Answers open questions, of a run that works or of one that was put away: then it goes on. */
  decide(decisions: Decision | readonly Decision[], options?: SendOptions): Promise<Run>
  /** Goes on with what was cut off, stopped or aborted. */
  resume(options?: SendOptions): Promise<Run>
}

interface State {
  messages: readonly Message[]
  pending: readonly ApprovalRequest[]
  status: Session['status']
  run?: Run | undefined
  /** Going on takes a moment, in which nobody else may. */
  starting?: Promise<Run> | undefined
}

/**
 * Opens the conversation `id`, which may be new. Rejects with `journal-invalid` and `journal-version` for a log that
 * cannot be read. Two programs that work on one conversation take it from each other: the one that was first ends with
 * `journal-conflict`, and no tool with an unsafe effect runs twice.
 */
export async function session({ agent, store, id }: SessionOptions): Promise<Session> {
  const state: State = { ...(await load(store, id)) }
  const start = (begin: () => Run | Promise<Run>): Promise<Run> => {
    state.starting ??= Promise.resolve()
      .then(begin)
      .then((run) => watch(state, run))
      .finally(() => (state.starting = undefined))
    return state.starting
  }
  const goOn = (more: { input?: RunInput; decisions?: readonly Decision[] }, options: SendOptions = {}): Promise<Run> =>
    recover<Run>(agent, { ...options, ...more, session: id, store, run: id })
  /** Tells the run that works, or one that begins just now; where there is none, or it hears nothing any more, begins one. */
  const act = async (hears: (run: Run) => boolean, begin: () => Promise<Run> | Run): Promise<Run> => {
    while (state.starting) await state.starting.catch(() => undefined)
    const { run } = state
    if (!run) return start(begin)
    if (hears(run)) return run
    await run.result
    return act(hears, begin)
  }
  return {
    id,
    get messages() {
      return state.messages
    },
    get pending() {
      return state.pending
    },
    get status() {
      return state.run ? 'working' : state.status
    },
    async send(input, options = {}) {
      const hears = (run: Run): boolean => {
        const said = newInput(input)
        return !ends(() => said.forEach((message) => run.steer(message)), 'run-invalid-input')
      }
      return act(hears, () =>
        state.status === 'new' ? agent.run(input, { ...options, id, session: id, store }) : goOn({ input }, options),
      )
    },
    async decide(given, options) {
      const decisions = Array.isArray(given) ? (given as readonly Decision[]) : [given as Decision]
      const hears = (run: Run): boolean =>
        !ends(() => decisions.forEach((decision) => run.decide(decision)), 'run-suspended')
      return act(hears, () => goOn({ decisions }, options))
    },
    async resume(options) {
      if (state.status === 'new' && !state.run && !state.starting)
        throw new SameloopError('journal-unknown-run', `There is nothing to resume in session "${id}"`)
      return act(
        () => true,
        () => goOn({}, options),
      )
    },
  }
}

/** Whether this is how a run that ends just now refuses what it is told. */
function ends(tell: () => void, code: ErrorCode): boolean {
  try {
    tell()
    return false
  } catch (thrown) {
    if (isSameloopError(thrown, code)) return true
    throw thrown
  }
}

async function load(store: RunStore, id: string): Promise<Pick<State, 'messages' | 'pending' | 'status'>> {
  try {
    const { snapshot, status } = rebuild(await readLog(store, id))
    if (snapshot.driver !== 'agent')
      throw new SameloopError(
        'journal-invalid',
        `Cannot open session "${id}": wanted the log of an agent, got a ${snapshot.driver}'s`,
      )
    const { messages } = snapshot.body as unknown as { readonly messages: readonly Message[] }
    return { messages, pending: snapshot.pending, status: status === 'running' ? 'cut-off' : status }
  } catch (thrown) {
    if (isSameloopError(thrown, 'journal-unknown-run')) return { messages: [], pending: [], status: 'new' }
    throw thrown
  }
}

function watch(state: State, run: Run): Run {
  state.run = run
  void run.result.then(({ messages, pending, status }) =>
    Object.assign(state, { messages, pending, status, run: undefined }),
  )
  return run
}
