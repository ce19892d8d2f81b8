// The run's log in a store, as a driver sees it. Without a store all of this costs nothing.
import { homeOf, pathOf } from './state.ts'
import type { RunState } from './state.ts'

/** Keeps what the run needs to go on, beside its events. `data` is plain JSON; it must not change afterwards. */
export function record(run: RunState, type: `journal-${string}`, data: object): void {
  const home = homeOf(run)
  home.journal?.note(type, { ...data, path: pathOf(run), seq: home.seq })
}

/** Resolves when all so far is in the store; `undefined` where nothing has to be waited for. Rejects with `journal-…`. */
export const saved = (run: RunState): Promise<void> | undefined => homeOf(run).journal?.commit()
