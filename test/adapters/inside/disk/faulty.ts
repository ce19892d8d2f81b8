// A disk that fails for a moment, in the way that a code of the system says.
import type * as Disk from 'node:fs/promises'

type Open = typeof Disk.open

/** Swaps how files are opened, for whoever asks this runtime for its modules, while the work lasts. */
async function opening(open: (real: Open) => Open, work: () => Promise<void>): Promise<void> {
  const disk = process.getBuiltinModule('node:fs/promises') as { open: Open }
  const real = disk.open
  disk.open = open(real.bind(disk))
  try {
    await work()
  } finally {
    disk.open = real
  }
}

const fault = (code: string): Error => Object.assign(new Error(`${code}: words of the system`), { code })

/** No file can be opened. */
export const noFiles = (code: string, work: () => Promise<void>): Promise<void> =>
  opening(() => () => Promise.reject(fault(code)), work)

/** Half of each write is made, and then there is no more. */
export const halfWrites = (code: string, work: () => Promise<void>): Promise<void> =>
  opening(
    (real) =>
      async (...args) => {
        const handle = await real(...args)
        const write = handle.write.bind(handle) as (...given: readonly unknown[]) => Promise<unknown>
        handle.write = (async (data: Uint8Array, offset = 0, length = data.length - offset, position?: number) => {
          await write(data, offset, length >> 1, position ?? null)
          throw fault(code)
        }) as never
        return handle
      },
    work,
  )

/** The directories that were brought to the disk while the work lasted, in that order. */
export async function syncedDirectories(work: () => Promise<void>): Promise<readonly string[]> {
  const synced: string[] = []
  await opening(
    (real) =>
      async (...args) => {
        const handle = await real(...args)
        const sync = handle.sync.bind(handle)
        const isDirectory = (await handle.stat()).isDirectory()
        handle.sync = async () => {
          if (isDirectory) synced.push(String(args[0]))
          await sync()
        }
        return handle
      },
    work,
  )
  return synced
}
