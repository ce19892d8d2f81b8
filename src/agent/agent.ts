// `agent()`: options checked once, then runs and resumes.
import { addGrants, grants } from '../approval/grants.ts'
import type { Grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import { claimSnapshot } from '../journal/claim.ts'
import type { Decision } from '../message/decision.ts'
import type { RunInput } from '../message/input.ts'
import type { Run } from '../run/run.ts'
import { checkSnapshot, sealedText } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { StandardSchema } from '../schema/schema.ts'
import type { Tool } from '../tool/tool.ts'
import { agentTool } from './as-tool.ts'
import type { AgentToolOptions } from './as-tool.ts'
import { newRun, reopenedRun, start } from './begin.ts'
import type { AgentOptions, ResumeOptions, RunOptions } from './options.ts'
import { checkedDecisions, openWithin } from './resume.ts'
import { agentSetup } from './state.ts'
import type { AgentSetup } from './state.ts'

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
  /**
   * The agent as a tool of another one. Its events come with a `path`, its questions are asked by the outer run, its
   * usage counts there, and the outer run's policy holds for it too.
   */
  asTool<const In extends StandardSchema<unknown, unknown> | undefined = undefined>(options: AgentToolOptions<In>): Tool
}

/** An agent. Throws `config-…` errors for options that cannot work. */
export function agent(options: AgentOptions): Agent {
  const memory: Memory = { setup: agentSetup(options) }
  return {
    run(input, given = {}) {
      const { session } = given
      return start(newRun(memory.setup, input, given, { session, grants: sessionGrants(memory, given) }), given)
    },
    resume: (snapshot, decisions = [], given = {}) => resume(memory, snapshot, decisions, given),
    asTool: (given) => agentTool(memory.setup, given),
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

async function resume(
  memory: Memory,
  given: Snapshot,
  decisions: readonly Decision[],
  options: ResumeOptions,
): Promise<Run> {
  const { options: own, table } = memory.setup
  checkSnapshot(given, 'agent')
  const isImport = options.trust === 'import'
  const { signature } = given
  const { snapshots: seal } = own
  if (seal && !isImport && !(typeof signature === 'string' && (await seal.verify(sealedText(given), signature)))) {
    throw new SameloopError('run-unsigned-snapshot', `Cannot resume: wanted a signed snapshot, or { trust: 'import' }`)
  }
  await table.guard?.connect()
  // An import speaks for no session of ours.
  const session = options.session ?? (isImport ? undefined : given.session)
  const of = { session, grants: sessionGrants(memory, { ...options, session }) }
  const begun = reopenedRun(memory.setup, given, options, of)
  const { state } = begun
  const { open = [] } = state
  const within = await openWithin(open)
  // An import asks anew, whatever was asked elsewhere.
  const pending = isImport ? [] : given.pending
  state.ahead = checkedDecisions(isImport ? [] : decisions, pending, { open, within, now: state.host.now() })
  state.expiries = new Map(pending.flatMap(({ callId, expiresAt }) => (expiresAt ? [[callId, expiresAt]] : [])))
  // What is imported is asked about again, so there is nothing to use up, and brings no rights with it.
  if (!isImport) {
    await useOnce(memory, given)
    addGrants(state.grants, given.grants)
  }
  return start(begun, options)
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
