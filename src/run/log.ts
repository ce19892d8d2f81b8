// The run's log in a store, as a driver sees it. Without a store all of this costs nothing.
import { addGrants, grants } from '../approval/grants.ts'
import type { Json } from '../json/value.ts'
import type { Opening } from '../tool/run-store.ts'
import type { Snapshot } from './snapshot.ts'
import { elapsedMs, homeOf, pathOf } from './state.ts'
import type { Ending, RunState } from './state.ts'

/** Keeps what the run needs to go on, beside its events. `data` is plain JSON. */
export function record(run: RunState, type: `journal-${string}`, data: object): void {
  const home = homeOf(run)
  if (!home.journal) return
  const path = pathOf(run)
  home.journal.note(type, { ...data, path: path.length ? path : undefined, seq: home.seq })
}

/** Resolves when all so far is in the store; `undefined` where nothing has to be waited for. Rejects with `journal-…`. */
export const saved = (run: RunState): Promise<void> | undefined => homeOf(run).journal?.commit()

/** Begins the log, or goes on with it; of a run within, its part of the outermost one's. */
export function openLog(run: RunState, goesOn: Partial<Opening> = {}): void {
  const { driver, parent, options, store = options.env?.store } = run
  const snapshot = (): Json => snapshotOf(run, { status: 'aborted', stop: 'aborted' }) as unknown as Json
  if (!parent) {
    const opening = { driver: driver.kind, seq: run.seq, snapshot, host: run.host, ...goesOn }
    run.journal ??= store?.open(run.id, opening)
  } else if (homeOf(run).journal) record(run, 'journal-open', { driver: driver.kind, snapshot: snapshot() })
}

/** What is needed to go on from where the run is. */
export function snapshotOf(run: RunState, { status, stop, error }: Ending): Snapshot {
  const { driver, id, seq, session, pending, usage, journal } = run
  return {
    version: 1,
    driver: driver.kind,
    run: id,
    seq,
    session,
    status,
    stop,
    retryable: error?.retryable ?? false,
    pending,
    usage,
    elapsedMs: elapsedMs(run),
    grants: addGrants(grants(), run.grants),
    singleUse: journal ? 'store' : 'process',
    body: driver.body(run),
  }
}
