// A store of what an adapter implements.
import type { RunStorage, RunStore } from '../tool/run-store.ts'
import { journal } from './writer.ts'

/** The storage with what runs need of it beside: their logs. `storage` keeps its own methods and is not changed. */
export function runStore(storage: RunStorage): RunStore {
  return {
    files: storage.files,
    append: (run, records, options) => storage.append(run, records, options),
    read: (run, after) => storage.read(run, after),
    last: (run) => storage.last(run),
    lease: (run) => storage.lease(run),
    timer: (run, at) => storage.timer(run, at),
    list: () => storage.list(),
    delete: (run) => storage.delete(run),
    open: (run, opening) => journal(storage, run, opening),
  }
}
