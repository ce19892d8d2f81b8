// Small files of a store: there whole, or not at all.
import { builtin } from '../builtin.ts'
import { whereFound } from '../files/host-error.ts'
import { syncDirectory } from '../files/durable.ts'

export interface WholeFile {
  readonly path: string
  readonly data: Uint8Array
  readonly fsync: boolean
}

export async function writeWhole({ path, data, fsync }: WholeFile): Promise<void> {
  const { open, rename, unlink } = builtin('node:fs/promises')
  const draft = `${path}.${crypto.randomUUID()}.draft`
  try {
    const handle = await open(draft, 'wx')
    try {
      await handle.writeFile(data)
      if (fsync) await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, path)
  } catch (thrown) {
    await unlink(draft).catch(() => undefined)
    throw thrown
  }
  if (fsync) await syncDirectory(builtin('node:path').dirname(path))
}

/** `undefined` where there is none. */
export const readWhole = (path: string): Promise<Uint8Array | undefined> =>
  whereFound(builtin('node:fs/promises').readFile(path))

/** The names in a directory; none where there is no directory. */
export const namesIn = async (path: string): Promise<readonly string[]> =>
  (await whereFound(builtin('node:fs/promises').readdir(path))) ?? []
