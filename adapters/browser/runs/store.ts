// The run store in a database of the browser, beside the files or alone.
import { SameloopError, isSameloopError } from '../../../src/error/error.ts'
import { webHost } from '../../../src/host/web-host.ts'
import { runStore } from '../../../src/journal/run-store.ts'
import type { RunStore } from '../../../src/tool/run-store.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { database, faultOf } from '../idb/database.ts'
import { makeRoot } from '../idb/entry.ts'
import { behind } from '../idb/files.ts'
import { recordTable } from './record.ts'
import { runLocks } from './run-lock.ts'

export interface IndexedDbStoreOptions {
  /** Of the database. Default: that of `files`, or "sameloop". */
  readonly name?: string | undefined
  /**
   * `indexedDbFiles()`, in whose database the runs are kept too: what a tool with the effect `local` does to them
   * happens exactly once. Throws `config-invalid` for others, and where `name` is another one.
   */
  readonly files?: Vfs | undefined
}

export interface IndexedDbStore extends RunStore {
  /**
   * Whether another tab or Worker of the site works on this run: it was the last to lease it, still lives, and has not
   * written the run's end. `undefined` where the browser has no Web Locks. It is a hint; leases hold without it.
   */
  isHeldElsewhere(run: string): Promise<boolean | undefined>
}

/**
 * A persistent run store in IndexedDB. An append is one transaction, on the disk before it resolves. Rejects with
 * `journal-version` where a newer version of this library made the database, and with `journal-failed` where the browser
 * does not keep it. Wake-up times are kept for the page to ring at; a deleted run leaves its name and its epoch, so that
 * who wrote it before cannot write to a new one of that name.
 */
export function indexedDbStore({ name, files }: IndexedDbStoreOptions = {}): IndexedDbStore {
  const beside = files && behind(files)
  const kept =
    beside?.kept ?? database({ name: name ?? 'sameloop', seed: async (made) => makeRoot(made, webHost.now()) })
  if (name !== undefined && name !== kept.name)
    throw new SameloopError('config-invalid', `Wanted files in the database "${name}", got those in "${kept.name}"`)
  const locks = runLocks(kept.name)
  const table = recordTable((how, work) => told(() => kept.transaction(how, work)))
  const store = runStore({
    files,
    append: async (run, records, options) => {
      const changes = options.files ?? []
      try {
        await table.append(run, { records, options }, async (transaction) => beside?.change(transaction, changes))
      } catch (error) {
        if (isSameloopError(error, 'journal-conflict')) await locks?.release(run)
        throw error
      }
      if (records.some(({ type }) => type === 'run-end')) await locks?.release(run)
    },
    read: table.read,
    last: table.last,
    lease: async (run) => {
      await locks?.take(run)
      return table.lease(run)
    },
    timer: table.timer,
    list: table.list,
    delete: async (run) => {
      await table.delete(run)
      await locks?.release(run)
    },
  })
  return { ...store, isHeldElsewhere: async (run) => locks?.isHeldElsewhere(run) }
}

/** A failure of the database in the words of stores. */
async function told<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (isSameloopError(error)) throw error
    const { reason } = faultOf(error)
    const isNewer = error instanceof DOMException && error.name === 'VersionError'
    throw new SameloopError(isNewer ? 'journal-version' : 'journal-failed', `Cannot use the store of runs: ${reason}`, {
      cause: error,
    })
  }
}
