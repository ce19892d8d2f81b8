// Several changes of the files of an object at once, in one transaction.
import { basesOf, changesOf, writesOf } from '../../../src/overlay/commit.ts'
import type { Base } from '../../../src/overlay/commit.ts'
import type { FileChange } from '../../../src/overlay/change.ts'
import { overlayOf } from '../../../src/overlay/cow.ts'
import { newLayers } from '../../../src/overlay/layer.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'

/** What came of a batch, to be made as a whole where the files are still those that it began from. */
export interface Batched {
  readonly bases: readonly Base[]
  readonly writes: readonly FileChange[]
}

/** A `batch` that works on a copy, and then `commit`s what it came to. */
export function batchOver(
  files: Vfs,
  { now, commit }: { readonly now: () => number; readonly commit: (batched: Batched) => void },
): NonNullable<Vfs['batch']> {
  return async (work) => {
    const layers = newLayers(files, { now })
    const result = await work(overlayOf(layers))
    const changes = await changesOf(layers, {})
    commit({ bases: basesOf(layers, changes), writes: await writesOf(layers, changes) })
    return result
  }
}
