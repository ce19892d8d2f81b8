// Which rows are on disk, and who waits to hear of more.
import type { OnError } from '../refusal.ts'

export interface Durability {
  /** The last row that is on disk. Throws where the disk fails, until it does not. */
  readonly row: number
  /** Brings all that was written so far to disk, then tells who listens. */
  publish(): void
  /** Calls back once, at the next change; the returned function forgets it. */
  onChange(listener: () => void): () => void
}

/** `last` gives the last row that was written. A disk that fails is told to `onError` and to who listens. */
export function durability(
  storage: Pick<DurableObjectStorage, 'sync'>,
  last: () => number,
  onError: OnError | undefined,
): Durability {
  const listeners = new Set<() => void>()
  let row = last()
  let fault: { readonly thrown: unknown } | undefined
  let isSyncing = false
  let hasChanged = false

  const sync = async (): Promise<void> => {
    try {
      const upTo = last()
      await storage.sync()
      row = upTo
      fault = undefined
    } catch (thrown) {
      fault = { thrown }
      onError?.(thrown)
    }
    const told = [...listeners]
    listeners.clear()
    for (const listener of told) listener()
  }

  const syncAll = async (): Promise<void> => {
    isSyncing = true
    while (hasChanged) {
      hasChanged = false
      await sync()
    }
    isSyncing = false
  }

  return {
    get row() {
      if (fault !== undefined) throw fault.thrown
      return row
    },
    publish() {
      hasChanged = true
      if (!isSyncing) void syncAll()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
