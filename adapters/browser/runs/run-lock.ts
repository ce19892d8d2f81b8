// Who works on a run: a lock of the browser, which goes with the tab that held it, however that ended.

/** The part of `navigator.locks` that is used. */
type Locks = Pick<LockManager, 'request' | 'query'>

export interface RunLocks {
  /** Holds the run's lock from now on, and takes it from whoever had it. */
  take(run: string): Promise<void>
  release(run: string): Promise<void>
  /** Whether somebody else holds it. */
  isHeldElsewhere(run: string): Promise<boolean>
}

interface Held {
  readonly letGo: () => void
  /** Resolves when it is held no more. */
  readonly gone: Promise<void>
}

/**
 * The locks of the runs in a database; `undefined` where the runtime has none. They say who lives and protect nothing:
 * that is what the lease's epoch is for.
 */
export function runLocks(database: string): RunLocks | undefined {
  const locks: Locks | undefined = globalThis.navigator?.locks
  if (!locks) return undefined
  const held = new Map<string, Held>()
  const nameOf = (run: string): string => `sameloop ${database} ${run}`
  const release = async (run: string): Promise<void> => {
    const mine = held.get(run)
    held.delete(run)
    mine?.letGo()
    await mine?.gone
  }
  const take = (run: string): Promise<void> =>
    new Promise((taken) => {
      const hold = (): Promise<void> =>
        new Promise((letGo) => {
          held.set(run, { letGo, gone })
          taken()
        })
      // It also ends when somebody takes the lock, and cannot begin in a page that is about to go.
      const gone: Promise<void> = locks.request(nameOf(run), { steal: true }, hold).then(
        () => {},
        () => {
          if (held.get(run)?.gone === gone) held.delete(run)
          taken()
        },
      )
    })
  return {
    take: async (run) => {
      if (!held.has(run)) await take(run)
    },
    release,
    isHeldElsewhere: async (run) => {
      if (held.has(run)) return false
      const { held: all = [] } = await locks.query()
      return all.some(({ name }) => name === nameOf(run))
    },
  }
}
