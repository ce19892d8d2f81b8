// Whose turn it is: nobody looks at files while somebody changes them.
import { serial } from '../../../src/stream/serial.ts'

export interface Turns {
  /** Several may look at once. */
  look<Result>(work: () => Promise<Result>): Promise<Result>
  change<Result>(work: () => Promise<Result>): Promise<Result>
}

/** Of one object: for files that other tabs do not share, or where the browser has no locks. Who looks is not waited for. */
function turnsHere(): Turns {
  const inTurn = serial()
  let last: Promise<unknown> = Promise.resolve()
  return {
    look: async (work) => {
      await last
      return work()
    },
    change: (work) => {
      const result = inTurn(work)
      last = result.catch(() => undefined)
      return result
    },
  }
}

/** Of all tabs and Workers that use this `name`, where the browser has Web Locks. */
export function turns(name: string | undefined): Turns {
  const locks: LockManager | undefined = globalThis.navigator?.locks
  if (name === undefined || !locks) return turnsHere()
  return {
    look: (work) => locks.request(name, { mode: 'shared' }, work),
    change: (work) => locks.request(name, work),
  }
}
