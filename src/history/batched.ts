// Batches for files that have none: what is to be done is written down first, so that after a crash it is finished.
import { serial } from '../stream/serial.ts'
import { vfsError } from '../vfs/error.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { intercept } from '../wrapper/intercept.ts'
import { applyChange } from '../overlay/change.ts'
import { changesOf, checkBases, writesOf } from '../overlay/commit.ts'
import { overlayOf } from '../overlay/cow.ts'
import { encodeIntent, readIntent } from './intent.ts'
import { newLayers } from '../overlay/layer.ts'
import type { CowOptions } from '../overlay/layer.ts'

export interface BatchedOptions extends CowOptions {
  /** Where what is to be done is kept, in a file `batch`; no place that tools see. */
  readonly intents: Vfs
}

const place = '/batch'

/**
 * `files` with a `batch`: all of its changes are there, or none, also after a crash in the middle, as soon as somebody
 * looks at the files again. Holds for one process at a time. An operation beside a batch waits for its end; a batch
 * whose files somebody else changed meanwhile rejects with `vfs-conflict`.
 */
export function batched(files: Vfs, { intents, ...options }: BatchedOptions): Vfs {
  const inTurn = serial()
  let last: Promise<unknown> = Promise.resolve()
  /** `work` after what is unfinished and what came before it. */
  const next = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = inTurn(async () => {
      await finish(files, intents)
      return work()
    })
    last = result.catch(() => undefined)
    return result
  }
  void next(async () => undefined).catch(() => undefined)
  return {
    ...intercept(files, {
      around: async (_call, go) => {
        await last
        // It may be that the last batch could not be finished.
        if (await intents.stat(place)) await next(async () => undefined)
        return go()
      },
      change: (change) => change,
    }),
    batch: async (work) => {
      const layers = newLayers(files, options)
      const result = await work(overlayOf(layers))
      await next(async () => {
        const changes = await changesOf(layers, {})
        await checkBases(layers, changes, {})
        const writes = await writesOf(layers, changes)
        if (writes.length === 0) return
        await intents.write(place, encodeIntent(writes), { parents: true })
        await finish(files, intents)
      })
      return result
    },
  }
}

/** Does what was written down, if something was. */
async function finish(files: Vfs, intents: Vfs): Promise<void> {
  if ((await intents.stat(place)) === undefined) return
  const writes = readIntent(await intents.read(place))
  if (!writes) throw vfsError('EIO', place, { action: 'finish', reason: 'what was begun there cannot be read' })
  for (const write of writes) await applyChange(files, write)
  await intents.rm(place, { force: true })
}
