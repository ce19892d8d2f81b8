// Going on from a snapshot, whatever drives the run: seal, decisions, single use, rights. Refused before anything runs.
import { addGrants, grants } from '../approval/grants.ts'
import type { Grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import type { Json } from '../json/value.ts'
import type { Decision } from '../message/decision.ts'
import { openLog } from '../run/log.ts'
import { checkSnapshot, sealedText } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { Belonging, RunState } from '../run/state.ts'
import type { RunStore } from '../tool/run-store.ts'
import { recoveryOf } from './recovery.ts'
import { checkedDecisions, openWithin } from './reopen.ts'
import type { RunnerSetup } from './setup.ts'

/** What one agent, orchestrator or engine remembers of its runs. Made when first needed. */
export interface Memory {
  sessions?: Map<string, Grants>
  /** Snapshots it has resumed, by run id and `seq`. */
  used?: Set<string>
}

/** What a run and a resume of any kind may be given. */
export interface Given {
  /** Where the run's log is kept. Default: the environment's store. `null`: nowhere. */
  readonly store?: RunStore | null | undefined
  readonly signal?: AbortSignal | undefined
  /** Approvals for the session hold in every run of this object with the same session. */
  readonly session?: string | undefined
  /** What was approved or denied for the session before, in another process: `snapshot.grants` of its last result. */
  readonly grants?: Grants | undefined
  readonly deps?: unknown
  /** A reader that leaves does not abort the run. */
  readonly detached?: boolean | undefined
}

export interface GivenToRun extends Given {
  /** Of the run. Default: a new one. With a store, an id that it knows already fails the run with `journal-conflict`. */
  readonly id?: string | undefined
}

export interface GivenToResume extends Given {
  /** Takes a snapshot that was not signed by this agent: every pending call is asked about again. */
  readonly trust?: 'import' | undefined
}

/** The grants of a session; a run without one is its own. The oldest sessions are forgotten, which only asks again. */
export function belonging(memory: Memory, { session, grants: brought = {} as Grants }: Given): Belonging {
  const known = addGrants((session !== undefined && memory.sessions?.get(session)) || grants(), brought)
  if (session !== undefined) forgetOldest((memory.sessions ??= new Map()).set(session, known), 1000)
  return { session, grants: known }
}

/** Who resumes, and how its runs are opened again. */
export interface Resumable<Begun> {
  readonly kind: string
  readonly memory: Memory
  readonly setup: RunnerSetup
  /** Throws where the snapshot cannot go on; nothing has run then. */
  reopen(snapshot: Snapshot, of: Belonging): Begun
}

/** A run that is ready to start. Rejects with what `agent.resume` names, before anything runs. */
export async function resumed<Begun extends { readonly state: RunState; readonly input?: Json | undefined }>(
  { kind, memory, setup, reopen }: Resumable<Begun>,
  given: Snapshot,
  { decisions, ...options }: GivenToResume & { readonly decisions: readonly Decision[] },
): Promise<Begun> {
  checkSnapshot(given, kind)
  const isImport = options.trust === 'import'
  const recovery = recoveryOf(given)
  const { signature } = given
  const { snapshots: seal } = setup.options
  const isVouchedFor = !seal || isImport || recovery !== undefined
  if (!isVouchedFor && !(typeof signature === 'string' && (await seal.verify(sealedText(given), signature)))) {
    throw new SameloopError('run-unsigned-snapshot', `Cannot resume: wanted a signed snapshot, or { trust: 'import' }`)
  }
  await setup.table.guard?.connect()
  // An import speaks for no session of ours.
  const session = options.session ?? (isImport ? undefined : given.session)
  const { store = setup.options.env?.store } = options
  // A stranger's snapshot must not take over a run of ours that has its name.
  const isTaken = isImport && (await store?.last(given.run)) !== undefined
  const from = isTaken ? { ...given, run: setup.host.id('run_') } : given
  const begun = reopen(from, belonging(memory, { ...options, session }))
  const { state, input } = begun
  const { open = [] } = state
  const within = await openWithin(open)
  // An import asks anew, whatever was asked elsewhere.
  const pending = isImport ? [] : given.pending
  state.ahead = checkedDecisions(isImport ? [] : decisions, pending, { open, within, now: state.host.now() })
  state.asked = new Map(pending.map((request) => [request.callId, request]))
  // What is imported brings no rights with it.
  if (!isImport) addGrants(state.grants, given.grants)
  openLog(state, { input, isImport, recovery: recovery?.attempt })
  if (state.journal) await state.journal.opened
  else if (!isImport) useOnce(memory, given)
  return begun
}

/** Where there is no store, single use is within this object. What is imported is asked about again: nothing is used up. */
function useOnce(memory: Memory, { run, seq }: Snapshot): void {
  const key = `${run}:${seq}`
  const used = (memory.used ??= new Set())
  if (used.has(key)) {
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
