// Files and runs as the browser keeps them, or in memory where it keeps nothing: decided when one of them is first used.
import { isSameloopError } from '../../src/error/error.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { runStore } from '../../src/journal/run-store.ts'
import { cow } from '../../src/overlay/cow.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import type { PresetParts } from '../virtual/environment.ts'
import { indexedDbFiles } from './idb/files.ts'
import { indexedDbStore } from './runs/store.ts'

/** Parts over one database; without it, the same in memory. */
export function keptParts(name: string): PresetParts {
  // A preset asks for its files first, and hands them on unless others were given.
  const places = new Map<Vfs, Either<Vfs>>()
  return {
    fs: ({ now }, { files }) => {
      const either = eitherOf(indexedDbFiles({ name, now, files }), {
        memory: () => memoryFiles({ now, files }),
        look: (kept) => kept.stat('/'),
      })
      const vfs = filesIn(either)
      places.set(vfs, either)
      return vfs
    },
    store: (files) => {
      const place = files && places.get(files)
      if (!files || !place) {
        const alone = { memory: () => memoryStore(), look: (kept: RunStore) => kept.list() }
        return storeIn(eitherOf<RunStore>(indexedDbStore({ name }), alone), undefined)
      }
      const kept = indexedDbStore({ files: place.first })
      let memory: RunStore | undefined
      const chosen = async (): Promise<RunStore> => {
        const its = await place.chosen()
        return its === place.first ? kept : (memory ??= memoryStore({ files: its }))
      }
      return storeIn({ chosen }, files)
    },
  }
}

interface Either<Part> {
  readonly first: Part
  /** What is used, as far as it is known; until then the first. */
  now(): Part
  readonly isKnown: () => boolean
  chosen(): Promise<Part>
}

/** `first`, or what `memory` makes where a look at it is denied. Other failures are its own: what it keeps is not hidden. */
function eitherOf<Part>(
  first: Part,
  { memory, look }: { readonly memory: () => Part; readonly look: (first: Part) => Promise<unknown> },
): Either<Part> {
  let known: Part | undefined
  let choosing: Promise<Part> | undefined
  const choose = async (): Promise<Part> => {
    const isDenied = await look(first).then(
      () => false,
      (error: unknown) => isSameloopError(error) && error.cause instanceof DOMException && isDenial(error.cause),
    )
    return (known = isDenied ? memory() : first)
  }
  return {
    first,
    now: () => known ?? first,
    isKnown: () => known !== undefined,
    chosen: () => (choosing ??= choose()),
  }
}

const isDenial = ({ name }: DOMException): boolean => name === 'SecurityError'

function filesIn(either: Either<Vfs>): Vfs {
  const use = <Value>(work: (files: Vfs) => Promise<Value>): Promise<Value> =>
    either.isKnown() ? work(either.now()) : either.chosen().then(work)
  return {
    get capabilities() {
      return either.now().capabilities
    },
    stat: (path, options) => use((files) => files.stat(path, options)),
    list: (path, options) => use((files) => files.list(path, options)),
    read: (path, options) => use((files) => files.read(path, options)),
    write: (path, data, options) => {
      // The caller may change its bytes before it is known where they go.
      const bytes = either.isKnown() ? data : data.slice()
      return use((files) => files.write(path, bytes, options))
    },
    mkdir: (path, options) => use((files) => files.mkdir(path, options)),
    rm: (path, options) => use((files) => files.rm(path, options)),
    rename: (from, to, options) => use((files) => files.rename(from, to, options)),
    batch: (work) => use((files) => (files.batch ? files.batch(work) : inOverlay(files, work))),
    dispose: () => use(async (files) => files.dispose?.()),
  }
}

async function inOverlay<Value>(files: Vfs, work: (files: Vfs) => Promise<Value>): Promise<Value> {
  const overlay = cow(files)
  const value = await work(overlay)
  await overlay.commit()
  return value
}

function storeIn({ chosen }: Pick<Either<RunStore>, 'chosen'>, files: Vfs | undefined): RunStore {
  return runStore({
    files,
    append: async (run, records, options) => (await chosen()).append(run, records, options),
    async *read(run, after) {
      yield* (await chosen()).read(run, after)
    },
    last: async (run) => (await chosen()).last(run),
    lease: async (run) => (await chosen()).lease(run),
    timer: async (run, at) => (await chosen()).timer(run, at),
    list: async () => (await chosen()).list(),
    delete: async (run) => (await chosen()).delete(run),
  })
}
