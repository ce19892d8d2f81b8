// Names on the disk: a file or directory is there after the end of the machine when the directory that holds it is.
import { builtin } from '../builtin.ts'
import { whereFound } from './host-error.ts'

/** Not every system lets a directory be opened for it. */
export async function syncDirectory(path: string): Promise<void> {
  const handle = await builtin('node:fs/promises')
    .open(path, 'r')
    .catch(() => undefined)
  await handle?.sync().catch(() => undefined)
  await handle?.close()
}

/** Makes a directory and those that are missing on the way to it; with `fsync`, the names of all are on the disk then. */
export async function makeDirectories(path: string, { fsync }: { readonly fsync: boolean }): Promise<void> {
  const holders = fsync ? await holdersOfMissing(path) : []
  await builtin('node:fs/promises').mkdir(path, { recursive: true })
  for (const holder of holders) await syncDirectory(holder)
}

/** The directories that will hold what is missing, the innermost first. */
async function holdersOfMissing(path: string): Promise<readonly string[]> {
  const { dirname } = builtin('node:path')
  const holders: string[] = []
  for (let at = path; !(await isThere(at)) && dirname(at) !== at; at = dirname(at)) holders.push(dirname(at))
  return holders
}

const isThere = async (path: string): Promise<boolean> =>
  (await whereFound(builtin('node:fs/promises').lstat(path))) !== undefined
