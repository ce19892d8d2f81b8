// Batches for files that have none: how everything was is written down first, so that what fails or is cut off is taken
// back.
import { serial } from '../stream/serial.ts'
import { vfsError, withPath } from '../vfs/error.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { intercept } from '../wrapper/intercept.ts'
import { applyChange } from '../overlay/change.ts'
import type { FileChange } from '../overlay/change.ts'
import { changesOf, checkBases, writesOf } from '../overlay/commit.ts'
import { overlayOf } from '../overlay/cow.ts'
import { maxUndoBytes, putBack, undoBytes, undoOf } from '../overlay/undo.ts'
import { encodeIntent, readIntent } from './intent.ts'
import { newLayers } from '../overlay/layer.ts'
import type { CowOptions } from '../overlay/layer.ts'

export interface BatchedOptions extends CowOptions {
  /** Where it is kept how files were before a batch, in a file `batch`; no place that tools see. */
  readonly intents: Vfs
}

const place = '/batch'

/**
 * `files` with a `batch`: all of its changes are there, or none, also after a crash in the middle, as soon as somebody
 * looks at the files again. A batch that rejects has changed nothing, whatever it was that these files do not take. Holds
 * for one process at a time. An operation beside a batch waits for its end; a batch whose files somebody else changed
 * meanwhile rejects with `vfs-conflict`, one that replaces or removes more than 256 MiB with `vfs-too-large`.
 */
export function batched(files: Vfs, { intents, ...options }: BatchedOptions): Vfs {
  const inTurn = serial()
  let last: Promise<unknown> = Promise.resolve()
  /** Operations that a batch waits for, as what they change must not be taken back with it. */
  const beside = new Set<Promise<unknown>>()
  /** `work` after what is unfinished and what came before it. */
  const next = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = inTurn(async () => {
      await Promise.allSettled(beside)
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
        for (let seen: typeof last | undefined; seen !== last;) {
          seen = last
          await seen
          // It may be that the last batch could not be taken back.
          if (await intents.stat(place)) await next(async () => undefined)
        }
        const work = go()
        beside.add(work)
        return work.finally(() => beside.delete(work))
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
        if (writes.length > 0) await change(files, intents, writes)
      })
      return result
    },
  }
}

async function change(files: Vfs, intents: Vfs, writes: readonly FileChange[]): Promise<void> {
  await checkSize(files, writes)
  const intent = encodeIntent(await undoOf(files, writes))
  await intents.write(place, intent, { parents: true }).catch((thrown: unknown) => {
    // Where it is kept is nobody's concern.
    throw withPath(thrown, writes[0]!.path)
  })
  try {
    for (const write of writes) await applyChange(files, write)
    // What makes it final.
    await intents.rm(place, { force: true })
  } catch (thrown) {
    // Where that fails as well, who looks next does it.
    await finish(files, intents).catch(() => undefined)
    throw thrown
  }
}

/** How everything was is held in memory for a moment. */
async function checkSize(files: Vfs, writes: readonly FileChange[]): Promise<void> {
  const bytes = await undoBytes(files, writes)
  if (bytes <= maxUndoBytes) return
  const reason = `a batch may replace at most ${maxUndoBytes} bytes, got ${bytes}`
  throw vfsError('EFBIG', writes[0]!.path, { action: 'change', reason })
}

/** Makes everything as it was written down, if something was: of a batch that was cut off, or failed. */
async function finish(files: Vfs, intents: Vfs): Promise<void> {
  if ((await intents.stat(place)) === undefined) return
  const undo = readIntent(await intents.read(place))
  if (!undo) throw vfsError('EIO', place, { action: 'finish', reason: 'what was begun there cannot be read' })
  await putBack(files, undo)
  await intents.rm(place, { force: true })
}
