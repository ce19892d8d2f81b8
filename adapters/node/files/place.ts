// Where a path lies on the disk: below the root, whatever links and odd names are on the way.
import type { BigIntStats } from 'node:fs'
import { vfsError } from '../../../src/vfs/error.ts'
import { isInside, parentPath, pathName } from '../../../src/vfs/path.ts'
import { builtin } from '../builtin.ts'
import { makeDirectories } from './durable.ts'
import { hostError, whereFound } from './host-error.ts'

/** What is at a path, and what holds it. */
export interface Place {
  /** The path on the disk; no link is on the way to it. */
  readonly real: string
  /** `undefined` where nothing is. */
  readonly stat: BigIntStats | undefined
  /** What stands where its directory must be. */
  readonly parent: 'dir' | 'file' | 'missing'
}

export interface Question {
  readonly path: string
  /** As errors say it. */
  readonly action: string
}

export interface Jail {
  /** The root on the disk, links followed; made where it is missing. */
  readonly root: () => Promise<string>
}

/** Where run logs are kept, below the root: neither seen nor touched. */
export const logFolder = '.sameloop'

/** Of files that are not whole yet, in the directory where they will be. */
export const draftPrefix = '.sameloop-draft-'

/** Names that are not for callers, whatever the disk makes of capital letters. */
export function isReserved(path: string): boolean {
  const names = path.slice(1).toLowerCase().normalize('NFKC').split('/')
  return names[0] === logFolder || names.some((name) => name.startsWith(draftPrefix))
}

/** A jail at a directory of this machine. With `fsync`, one that had to be made is on the disk. */
export function jailAt(folder: string, { fsync = false }: { readonly fsync?: boolean } = {}): Jail {
  let root: Promise<string> | undefined
  const find = async (): Promise<string> => {
    const { realpath } = builtin('node:fs/promises')
    try {
      const found = await whereFound(realpath(folder))
      if (found !== undefined) return found
      await makeDirectories(folder, { fsync })
      return await realpath(folder)
    } catch (thrown) {
      throw hostError(thrown, '/', 'open')
    }
  }
  return {
    root: () => {
      root ??= find()
      root.catch(() => (root = undefined))
      return root
    },
  }
}

/** What is at a path, its last link followed. */
export async function follow(jail: Jail, { path, action }: Question): Promise<Place> {
  const root = await jail.root()
  checkName(path, action)
  const real = await realPath(root, { path, action })
  if (real === undefined) return missing(jail, { path, action })
  const stat = await whereFound(builtin('node:fs/promises').lstat(real, { bigint: true }))
  return { real, stat, parent: 'dir' }
}

/** What is at a path itself, where it is a link the link. */
export async function holdOf(jail: Jail, { path, action }: Question): Promise<Place> {
  if (path === '/') return follow(jail, { path, action })
  checkName(path, action)
  const { lstat } = builtin('node:fs/promises')
  const dir = await follow(jail, { path: parentPath(path), action })
  const real = below(dir.real, pathName(path))
  // A link may have led to the root, where the name is another one.
  if (isReserved(innerPath(await jail.root(), real))) throw reserved(path, action)
  const stat = dir.stat?.isDirectory() ? await whereFound(lstat(real, { bigint: true })) : undefined
  return { real, stat, parent: kindOf(dir) }
}

async function missing(jail: Jail, { path, action }: Question): Promise<Place> {
  if (path === '/') throw vfsError('ENOENT', path, { action })
  const { stat, ...place } = await holdOf(jail, { path, action })
  // Something is there, and yet it leads to nothing.
  if (stat?.isSymbolicLink()) throw refused(path, action, 'it is a symbolic link that leads nowhere')
  return { ...place, stat: undefined }
}

function kindOf({ stat, parent }: Place): Place['parent'] {
  if (stat === undefined) return parent === 'file' ? 'file' : 'missing'
  return stat.isDirectory() ? 'dir' : 'file'
}

/** The path on the disk behind all links; `undefined` where nothing is. */
async function realPath(root: string, { path, action }: Question): Promise<string | undefined> {
  const { realpath } = builtin('node:fs/promises')
  const { sep } = builtin('node:path')
  const wanted = path === '/' ? root : path.split('/').reduce(below, root)
  const real = await whereFound(realpath(wanted))
  if (real === undefined || real === wanted) return real
  const top = root.endsWith(sep) ? root : root + sep
  if (real !== root && !real.startsWith(top)) throw refused(path, action, 'a symbolic link leads out of the root')
  if (isReserved(innerPath(root, real))) throw reserved(path, action)
  return real
}

/** A place on the disk, as the path that leads there without links. */
function innerPath(root: string, real: string): string {
  const { sep } = builtin('node:path')
  return `/${real
    .slice(root.endsWith(sep) ? root.length : root.length + 1)
    .split(sep)
    .join('/')}`
}

/** A name within a directory of the disk. */
function below(dir: string, name: string): string {
  const { sep } = builtin('node:path')
  if (name === '') return dir
  return dir.endsWith(sep) ? dir + name : dir + sep + name
}

/** Windows reads more into names than others do. */
const ofWindows = /[\\:*?"<>|\u0001-\u001f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i

function checkName(path: string, action: string): void {
  if (isReserved(path)) throw reserved(path, action)
  if (builtin('node:path').sep === '\\' && path.split('/').some((name) => ofWindows.test(name)))
    throw vfsError('EINVAL', path, { action, reason: 'this disk cannot have such a name' })
}

const refused = (path: string, action: string, reason: string): Error => vfsError('EACCES', path, { action, reason })

const reserved = (path: string, action: string): Error =>
  refused(
    path,
    action,
    isInside(`/${logFolder}`, path.toLowerCase()) ? 'run logs are kept there' : 'the name is reserved',
  )
