// A database of the browser: opened when it is first used, given up when another tab needs it, opened again after that.
import { webHost } from '../../../src/host/web-host.ts'
import { isSameloopError } from '../../../src/error/error.ts'
import type { Errno } from '../../../src/vfs/error.ts'
import { migrate, tables, tableVersion } from './table.ts'
import type { Table } from './table.ts'

export interface DatabaseOptions {
  readonly name: string
  /** Fills the tables when they are made for the first time, in the same transaction. */
  readonly seed?: ((transaction: IDBTransaction) => Promise<void>) | undefined
}

export interface Transacting {
  readonly tables: readonly Table[]
  readonly mode: 'readonly' | 'readwrite'
  /** `strict`: on the disk, not only with the operating system, before it resolves. Default: as the browser has it. */
  readonly durability?: 'strict' | undefined
}

export interface Database {
  readonly name: string
  /**
   * Runs `work` in one transaction: all that it changes is there, or nothing. It may wait for requests of the
   * transaction and for nothing else. Rejects with what `work` throws, or with a `DOMException` that `faultOf` explains.
   */
  transaction<Value>(how: Transacting, work: (transaction: IDBTransaction) => Promise<Value>): Promise<Value>
  /** What is under way ends; what comes later rejects. */
  close(): void
}

/** How long tabs with an older version may take to let go. */
const blockedMs = 10_000

export function database(options: DatabaseOptions): Database {
  let opening: Promise<IDBDatabase> | undefined
  let isClosed = false
  const forget = (): void => {
    opening = undefined
  }
  const connection = (): Promise<IDBDatabase> => {
    if (isClosed)
      return Promise.reject(new DOMException('The files or the store were disposed of', 'InvalidStateError'))
    if (opening === undefined) {
      const mine = open(options, forget)
      opening = mine
      mine.catch(() => opening === mine && forget())
    }
    return opening
  }
  return {
    name: options.name,
    transaction: async (how, work) => {
      try {
        return await inTransaction(await connection(), how, work)
      } catch (error) {
        // The browser or another tab closed it between two uses: nothing was begun.
        if (error !== closing) throw error
        forget()
        return await inTransaction(await connection(), how, work)
      }
    },
    close: () => {
      isClosed = true
      void opening?.then(
        (connected) => connected.close(),
        () => {},
      )
    },
  }
}

/** Thrown before a transaction begins, and so safe to try again. */
const closing = new Error('The connection is closing')

function begin(connected: IDBDatabase, { tables: names, mode, durability }: Transacting): IDBTransaction {
  try {
    return connected.transaction([...names], mode, durability && { durability })
  } catch (error) {
    throw error instanceof DOMException && error.name === 'InvalidStateError' ? closing : error
  }
}

async function inTransaction<Value>(
  connected: IDBDatabase,
  how: Transacting,
  work: (transaction: IDBTransaction) => Promise<Value>,
): Promise<Value> {
  const transaction = begin(connected, how)
  const ended = endOf(transaction)
  try {
    const value = await work(transaction)
    if (how.mode === 'readwrite') await ended
    return value
  } catch (error) {
    abort(transaction)
    // A write that failed takes the rest with it; what failed first is why.
    throw isSameloopError(error) ? error : (transaction.error ?? error)
  }
}

function endOf(transaction: IDBTransaction): Promise<void> {
  const ended = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new DOMException('It was ended', 'AbortError'))
  })
  ended.catch(() => {})
  return ended
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch {
    // It has ended already.
  }
}

/** The value of a request, within its transaction. */
export function valueOf<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error ?? new DOMException('The request failed', 'UnknownError'))
  })
}

/** `onGone` is told when the connection cannot be used any more. */
function open({ name, seed }: DatabaseOptions, onGone: () => void): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const factory: IDBFactory | undefined = globalThis.indexedDB
    if (!factory) throw new DOMException('There is no IndexedDB', 'SecurityError')
    const request = factory.open(name, tableVersion)
    let stopWaiting = (): void => {}
    let isLate = false
    request.onblocked = () => {
      stopWaiting = webHost.timer(blockedMs, () => {
        isLate = true
        reject(new DOMException('Another tab does not let go', 'TimeoutError'))
      })
    }
    request.onupgradeneeded = ({ oldVersion }) => {
      migrate(request.result, oldVersion)
      const { transaction } = request
      if (oldVersion > 0 || !seed || !transaction) return
      seed(transaction).catch((error: unknown) => {
        reject(error)
        abort(transaction)
      })
    }
    request.onerror = () => {
      stopWaiting()
      // How private windows of old refused.
      const isRefused = request.error?.name === 'InvalidStateError'
      reject(isRefused ? new DOMException('No database may be kept', 'SecurityError') : request.error)
    }
    request.onsuccess = () => {
      stopWaiting()
      const connected = request.result
      const isOurs = tables.every((table) => connected.objectStoreNames.contains(table))
      if (isLate || !isOurs) {
        connected.close()
        return reject(new DOMException('It has not the tables of this library', 'NotFoundError'))
      }
      // Another tab wants a newer version, or to delete it: whoever does not let go keeps it waiting for ever.
      connected.onversionchange = () => {
        onGone()
        connected.close()
      }
      connected.onclose = onGone
      resolve(connected)
    }
  })
}

export interface Fault {
  readonly errno: Errno
  readonly reason: string
}

const faults: Readonly<Record<string, Fault>> = {
  QuotaExceededError: { errno: 'ENOSPC', reason: 'the browser gives this site no more space' },
  VersionError: {
    errno: 'EIO',
    reason: `its database was made by a newer version of this library, wanted version ${tableVersion} of its tables; reload the page`,
  },
  TimeoutError: { errno: 'EBUSY', reason: 'another tab holds an older version of its database; close or reload it' },
  NotFoundError: { errno: 'EIO', reason: 'the database of this name has not the tables of this library' },
  SecurityError: { errno: 'EACCES', reason: 'the browser keeps no database for this page' },
  InvalidStateError: { errno: 'EIO', reason: 'its database was closed' },
  AbortError: { errno: 'EIO', reason: 'the browser ended the transaction, nothing was changed' },
}

/** What a failure of the database means to who uses it. */
export function faultOf(error: unknown): Fault {
  const name = error instanceof Error || error instanceof DOMException ? error.name : ''
  const known = Object.hasOwn(faults, name) ? faults[name] : undefined
  return known ?? { errno: 'EIO', reason: 'the database of the browser failed' }
}
