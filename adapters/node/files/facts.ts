// What the disk says of a file, as `Vfs` tells it.
import type { BigIntStats } from 'node:fs'
import { vfsError } from '../../../src/vfs/error.ts'
import type { VfsStat } from '../../../src/vfs/vfs.ts'
import type { Question } from './place.ts'

/** Throws for what is neither a file nor a directory: a socket, a pipe, a device. */
export function typeOf(stat: BigIntStats, { path, action }: Question): VfsStat['type'] {
  if (stat.isFile()) return 'file'
  if (stat.isDirectory()) return 'dir'
  throw vfsError('EACCES', path, { action, reason: 'it is neither a file nor a directory' })
}

/** No two states of a file have the same, as far as the time of its last change is moved on with each. */
export const etagOf = ({ mtimeNs, size, ino }: BigIntStats): string =>
  [mtimeNs, size, ino].map((number) => number.toString(36)).join('-')

export function vfsStat(stat: BigIntStats, question: Question): VfsStat {
  const { path } = question
  const mtime = Number(stat.mtimeMs)
  if (typeOf(stat, question) === 'dir') return { path, type: 'dir', size: 0, mtime }
  return { path, type: 'file', size: Number(stat.size), mtime, etag: etagOf(stat) }
}

/** Whether both are the same file, in the same place of the disk. */
export const isSame = (one: BigIntStats, other: BigIntStats): boolean => one.ino === other.ino && one.dev === other.dev
