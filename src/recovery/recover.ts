// Going on with a run from its log alone: after a crash, a reload, or when people have decided.
import { amounts } from '../error/amount.ts'
import { SameloopError } from '../error/error.ts'
import type { Host } from '../host/host.ts'
import { webHost } from '../host/web-host.ts'
import { readLog } from '../journal/log.ts'
import type { GivenToResume } from '../continuation/resume.ts'
import { partsOf } from '../continuation/runner.ts'
import type { Decision } from '../message/decision.ts'
import type { Message } from '../message/part.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { PlanInput } from '../orchestrator/driver.ts'
import type { RunStore } from '../tool/run-store.ts'
import { rebuild } from './rebuild.ts'
import type { Rebuilt } from './rebuild.ts'

/** An agent, or whatever else resumes its snapshots. */
export interface Runner<Started> {
  resume(
    snapshot: Snapshot,
    decisions?: readonly Decision[],
    options?: GivenToResume & {
      readonly input?: string | readonly Message[] | undefined
      readonly plan?: PlanInput | undefined
    },
  ): Promise<Started>
}

export interface RecoverOptions extends Omit<GivenToResume, 'trust'> {
  readonly store: RunStore
  readonly run: string
  /** For the questions that are open. What was decided before a crash is known. */
  readonly decisions?: readonly Decision[] | undefined
  /** New input for a run that needs no decision. */
  readonly input?: string | readonly Message[] | undefined
  /** Of a plan with functions: a log cannot hold them. */
  readonly plan?: PlanInput | undefined
  /** How often a run that gets nowhere is tried again. Default 3. */
  readonly maxAttempts?: number | undefined
}

/**
 * Takes the run over and goes on where its log ends: whoever still worked on it cannot write any more. Results that are
 * in the log are not made again. A call that had begun runs again where its effect is `read` or `idempotent` (with the
 * same key) or `local` (where files and log are one store, its changes were not made); any other is asked about
 * (`unknown-outcome`: `retry`, `{ result }` for done, or `deny` to leave it open).
 * Rejects with `journal-unknown-run`, `journal-invalid`, `journal-version`, with `journal-exhausted` when it was tried
 * too often, with `config-invalid` for a `maxAttempts` that is no number from 0, and like `resume`.
 */
export async function recover<Started>(
  runner: Runner<Started>,
  { store, run, decisions = [], maxAttempts: most, ...options }: RecoverOptions,
): Promise<Started> {
  const { maxAttempts } = amounts({ maxAttempts: most }, { maxAttempts: 3 })
  const rebuilt = rebuild(await readLog(store, run))
  const { snapshot, status, isAborted, recoveries } = rebuilt
  if (status === 'running' && recoveries >= maxAttempts)
    throw await exhausted(store, rebuilt, { attempts: recoveries, host: partsOf(runner)?.setup.host ?? webHost })
  const given = { ...options, store }
  if (status !== 'running') return runner.resume(snapshot, decisions, given)
  // It ends as it should have, its open calls answered.
  if (isAborted) return runner.resume(snapshot, [], { ...given, signal: AbortSignal.abort() })
  const known = new Set(decisions.map(({ callId }) => callId))
  return runner.resume(snapshot, [...rebuilt.decisions.filter(({ callId }) => !known.has(callId)), ...decisions], given)
}

/** The log says how it ended, so that nobody tries for ever. */
async function exhausted(
  store: RunStore,
  { snapshot }: Rebuilt,
  { attempts, host }: { readonly attempts: number; readonly host: Host },
): Promise<SameloopError> {
  const { run, seq, driver } = snapshot
  const message = `The run was cut off ${attempts} times without getting on, and is not tried again`
  const error = new SameloopError('journal-exhausted', message, { data: { run, attempts } })
  const recovery = attempts + 1
  const journal = store.open(run, { driver, seq, recovery, snapshot: () => null, host })
  const at = host.now()
  journal.note('error', { type: 'error', code: error.code, message, seq: seq + 1, at, run })
  journal.note('run-end', { type: 'run-end', status: 'failed', stop: 'failed', seq: seq + 2, at, run })
  await journal.commit()
  return error
}
