// The parts of a preset that keeps everything in a directory of the machine.
import { batched } from '../../src/history/batched.ts'
import { isSameloopError } from '../../src/error/error.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { intercept } from '../../src/wrapper/intercept.ts'
import type { PresetOptions, PresetParts } from '../virtual/environment.ts'
import { builtin, folderAt } from './builtin.ts'
import { directoryFiles } from './files/directory-files.ts'
import { logFolder } from './files/place.ts'
import { fileStore } from './store/file-store.ts'
import { takeBackInAll } from './store/run-folder.ts'

/** Options of a preset whose runtime has a disk. */
export interface DiskPresetOptions extends PresetOptions {
  /**
   * A directory to keep everything in, which is made where it is missing: the files of tools are those in it, and the logs
   * of runs are below `.sameloop` in it, where no tool sees or touches them. What is written is on the disk when its promise
   * resolves. With it, `files` are only those that are missing at the start. Default: none, and everything is in memory.
   */
  readonly root?: string | undefined
}

/**
 * Files and run store in one directory, which change together: what a tool with the effect `local` does happens exactly
 * once, whenever the process ends.
 */
export function diskParts(root: string): PresetParts {
  const logs = builtin('node:path').join(folderAt(root), logFolder)
  return {
    fs: (_host, { files = {} }) => {
      const onDisk = batched(directoryFiles(root, { fsync: true }), {
        intents: directoryFiles(`${logs}/batch`, { fsync: true }),
      })
      return whenReady(onDisk, async () => {
        await takeBackInAll(logs, onDisk)
        await plant(onDisk, files)
      })
    },
    store: (files) => fileStore(logs, { files }),
  }
}

/** `files`, looked at by nobody before `prepare` has come to its end. */
function whenReady(files: Vfs, prepare: () => Promise<void>): Vfs {
  let ready: Promise<void> | undefined
  const isReady = (): Promise<void> => {
    ready ??= prepare()
    ready.catch(() => (ready = undefined))
    return ready
  }
  return intercept(files, {
    around: async (_call, next) => {
      await isReady()
      return next()
    },
  })
}

async function plant(files: Vfs, given: NonNullable<PresetOptions['files']>): Promise<void> {
  for (const [path, content] of Object.entries(given)) {
    const data = typeof content === 'string' ? new TextEncoder().encode(content) : content
    await files.write(path, data, { mode: 'create', parents: true }).catch((thrown: unknown) => {
      if (!isSameloopError(thrown, 'vfs-exists')) throw thrown
    })
  }
}
