// Who works on a run: a lock of the browser, which goes with the tab that held it, however that ended.

/** The part of `navigator.locks` that is used. */
type Locks = Pick<LockManager, 'request' | 'query'>

export interface RunLocks {
  /** Holds the run's lock from now on, and takes it from whoever had it. */
  take(run: string): Promise<void>
  release(run: string): void
  /** Whether somebody else holds it. */
  isHeldElsewhere(run: string): Promise<boolean>
}

/**
 * The locks of the runs in a database; `undefined` where the runtime has none. They say who lives and protect nothing:
 * that is what the lease's epoch is for.
 */
export function runLocks(database: string): RunLocks | undefined {
  const locks: Locks | undefined = globalThis.navigator?.locks
  if (!locks) return undefined
  const held = new Map<string, () => void>()
  const nameOf = (run: string): string => `sameloop ${database} ${run}`
  const release = (run: string): void => {
    held.get(run)?.()
    held.delete(run)
  }
  return {
    take: (run) =>
      held.has(run)
        ? Promise.resolve()
        : new Promise((taken) => {
            const hold = (): Promise<void> =>
              new Promise((letGo) => {
                held.set(run, letGo)
                taken()
              })
            // Rejects when somebody takes it, and in a page that is about to go.
            locks.request(nameOf(run), { steal: true }, hold).then(taken, () => {
              release(run)
              taken()
            })
          }),
    release,
    isHeldElsewhere: async (run) => {
      if (held.has(run)) return false
      const { held: all = [] } = await locks.query()
      return all.some(({ name }) => name === nameOf(run))
    },
  }
}
