// Making, removing and moving on the disk. Links are removed and moved themselves, not what they lead to.
import type { BigIntStats } from 'node:fs'
import { vfsError } from '../../../src/vfs/error.ts'
import { checkMakeDir, checkMove, checkRemove, checkTarget } from '../../../src/vfs/rule.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { builtin } from '../builtin.ts'
import { makeDirectories, syncDirectory } from './durable.ts'
import { isSame } from './facts.ts'
import { draftPrefix, follow, holdOf } from './place.ts'
import type { Jail, Place, Question } from './place.ts'

interface Durable {
  /** Whether what changed is on the disk when it is done. */
  readonly fsync: boolean
}

/** Waits until the names that changed are on the disk. */
async function settled(paths: readonly string[], { fsync }: Durable): Promise<void> {
  const { dirname } = builtin('node:path')
  if (fsync) for (const folder of new Set(paths.map((path) => dirname(path)))) await syncDirectory(folder)
}

type Found = { readonly type: 'file' | 'dir' } | undefined

const foundOf = (stat: BigIntStats | undefined): Found => stat && { type: stat.isDirectory() ? 'dir' : 'file' }

function checkParent({ parent }: Place, { path, action }: Question): void {
  if (parent === 'file') throw vfsError('ENOTDIR', path, { action })
}

export async function makeDirectory(
  jail: Jail,
  question: Question,
  options: NonNullable<Parameters<Vfs['mkdir']>[1]> & Durable,
): Promise<void> {
  const place = await follow(jail, question)
  checkParent(place, question)
  const found = { taken: foundOf(place.stat), hasParent: place.parent === 'dir' }
  if (!checkMakeDir(question.path, found, options)) return
  if (options.recursive) return makeDirectories(place.real, options)
  await builtin('node:fs/promises').mkdir(place.real)
  await settled([place.real], options)
}

/** Drafts that nobody finished count as nothing. */
async function isEmpty({ real, stat }: Place): Promise<boolean> {
  if (!stat?.isDirectory()) return true
  const names = await builtin('node:fs/promises').readdir(real)
  return names.every((name) => name.startsWith(draftPrefix))
}

export async function remove(
  jail: Jail,
  question: Question,
  options: NonNullable<Parameters<Vfs['rm']>[1]> & Durable,
): Promise<void> {
  const { path } = question
  const place = await holdOf(jail, question)
  const { stat } = place
  if (!checkRemove(path, stat && { isEmpty: await isEmpty(place) }, options)) return
  await take(place, options)
  await settled([place.real], options)
}

async function take({ real, stat }: Place, options: { readonly recursive?: boolean | undefined }): Promise<void> {
  const { readdir, rm, rmdir, unlink } = builtin('node:fs/promises')
  const { sep } = builtin('node:path')
  if (!stat?.isDirectory()) return unlink(real)
  if (options.recursive) return rm(real, { recursive: true, force: true })
  for (const name of await readdir(real)) if (name.startsWith(draftPrefix)) await unlink(real + sep + name)
  await rmdir(real)
}

export async function move(
  jail: Jail,
  { from, to }: { readonly from: string; readonly to: string },
  options: Durable,
): Promise<void> {
  const { rename, unlink } = builtin('node:fs/promises')
  const source = await holdOf(jail, { path: from, action: 'rename' })
  const type = foundOf(source.stat)
  if (!checkMove(from, to, type) || !type || !source.stat) return
  const question = { path: to, action: 'rename to' }
  const target = await holdOf(jail, question)
  checkParent(target, question)
  const isSelf = target.stat !== undefined && isSame(source.stat, target.stat)
  const taken = isSelf ? undefined : foundOf(target.stat)
  checkTarget(to, type, {
    taken: taken && { ...taken, isEmpty: await isEmpty(target) },
    hasParent: target.parent === 'dir',
  })
  // Of two names of one file a rename would leave both; where they differ only in case they are one name.
  if (isSelf && from.toLowerCase() !== to.toLowerCase()) await unlink(source.real)
  else await rename(source.real, target.real)
  await settled([source.real, target.real], options)
}
