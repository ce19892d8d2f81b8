// Making, removing and moving on the disk. Links are removed and moved themselves, not what they lead to.
import type { BigIntStats } from 'node:fs'
import { vfsError } from '../../../src/vfs/error.ts'
import { checkMakeDir, checkMove, checkRemove, checkTarget } from '../../../src/vfs/rule.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { builtin } from '../builtin.ts'
import { isSame } from './facts.ts'
import { draftPrefix, follow, holdOf } from './place.ts'
import type { Jail, Place, Question } from './place.ts'

type Found = { readonly type: 'file' | 'dir' } | undefined

const foundOf = (stat: BigIntStats | undefined): Found => stat && { type: stat.isDirectory() ? 'dir' : 'file' }

function checkParent({ parent }: Place, { path, action }: Question): void {
  if (parent === 'file') throw vfsError('ENOTDIR', path, { action })
}

export async function makeDirectory(
  jail: Jail,
  question: Question,
  options: Parameters<Vfs['mkdir']>[1] = {},
): Promise<void> {
  const { recursive = false } = options
  const place = await follow(jail, question)
  checkParent(place, question)
  const found = { taken: foundOf(place.stat), hasParent: place.parent === 'dir' }
  if (checkMakeDir(question.path, found, options)) await builtin('node:fs/promises').mkdir(place.real, { recursive })
}

/** Drafts that nobody finished count as nothing. */
async function isEmpty({ real, stat }: Place): Promise<boolean> {
  if (!stat?.isDirectory()) return true
  const names = await builtin('node:fs/promises').readdir(real)
  return names.every((name) => name.startsWith(draftPrefix))
}

export async function remove(jail: Jail, question: Question, options: Parameters<Vfs['rm']>[1] = {}): Promise<void> {
  const { readdir, rm, rmdir, unlink } = builtin('node:fs/promises')
  const { sep } = builtin('node:path')
  const { path } = question
  const place = await holdOf(jail, question)
  const { real, stat } = place
  if (!checkRemove(path, stat && { isEmpty: await isEmpty(place) }, options)) return
  if (!stat?.isDirectory()) return unlink(real)
  if (options.recursive) return rm(real, { recursive: true, force: true })
  for (const name of await readdir(real)) if (name.startsWith(draftPrefix)) await unlink(real + sep + name)
  await rmdir(real)
}

export async function move(jail: Jail, from: string, to: string): Promise<void> {
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
  if (isSelf && from.toLowerCase() !== to.toLowerCase()) return unlink(source.real)
  await rename(source.real, target.real)
}
