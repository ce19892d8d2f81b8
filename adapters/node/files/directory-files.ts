// A directory of this machine as a file system: for Node, Bun and Deno.
import { amounts } from '../../../src/error/amount.ts'
import { normalizePath } from '../../../src/vfs/path.ts'
import { checkBytes } from '../../../src/vfs/rule.ts'
import type { Vfs, VfsCapabilities, VfsOperation } from '../../../src/vfs/vfs.ts'
import { folderAt } from '../builtin.ts'
import { vfsStat } from './facts.ts'
import { onDisk } from './host-error.ts'
import { follow, isReserved, jailAt } from './place.ts'
import type { Question } from './place.ts'
import { listDirectory, readFile } from './read.ts'
import { makeDirectory, move, remove } from './tree.ts'
import { inTurn } from './turns.ts'
import { writeFile, writeQuestion } from './write.ts'

export interface DirectoryFilesOptions {
  /** Of a file that is written, and of what is read at once: larger ones are read in parts. Default 256 MiB. */
  readonly maxFileBytes?: number | undefined
  /**
   * Whether what is written, made, removed or renamed is on the disk when its promise resolves, with the names of all
   * directories that were made for it, so that it also survives the end of the machine. Default false: it survives that
   * of the program.
   */
  readonly fsync?: boolean | undefined
}

const facts: VfsCapabilities = {
  name: 'directory',
  persistent: true,
  readOnly: false,
  atomicRename: true,
  cas: true,
  append: 'native',
  watch: false,
}

/**
 * The directory `root` as "/"; it is made where it is missing. No path leads out of it: links that do, or that lead
 * nowhere, are not listed and are `vfs-denied`; those that stay inside are followed, and removed and moved themselves.
 * Sockets, pipes and devices are `vfs-denied`. `.sameloop` at the root is neither seen nor touched, nor are names that
 * begin with `.sameloop-draft-`: what a process left of them is removed a day later.
 *
 * A write makes a new file beside the old one, with its permissions, and puts it in its place; an `append` adds to the
 * file itself. `ifMatch` is atomic among all who write through this program. Another program of this machine that puts
 * links into the directory at the same moment is not defended against. In Deno `--allow-read` and `--allow-write` of the
 * directory are enough. Throws `config-invalid` for a `root` that is no path, and a `maxFileBytes` that is no
 * number from 0.
 */
export function directoryFiles(root: string, options: DirectoryFilesOptions = {}): Vfs {
  const { fsync = false } = options
  const { maxFileBytes } = amounts(options, { maxFileBytes: 2 ** 28 })
  const jail = jailAt(folderAt(root), { fsync })
  const start = (path: string, operation: VfsOperation | undefined): string => {
    operation?.signal?.throwIfAborted()
    return normalizePath(path)
  }
  /** Looks at a path. */
  const look = <Result>(question: Question, work: () => Promise<Result>): Promise<Result> =>
    onDisk(question.path, question.action, work)
  /** Changes what is at some paths. */
  const change = async <Result>(
    question: Question,
    work: () => Promise<Result>,
    to = question.path,
  ): Promise<Result> => {
    // The same for all who have this directory, by whatever name.
    const top = await jail.root()
    const turns = [question.path, to].map((path) => `${top}\0${path.toLowerCase()}`)
    return inTurn(turns, () => look(question, work))
  }
  return {
    capabilities: { ...facts, maxFileBytes },
    stat: async (path, operation) => {
      const question = { path: start(path, operation), action: 'read' }
      if (isReserved(question.path)) return undefined
      return look(question, async () => {
        const { stat } = await follow(jail, question)
        return stat && vfsStat(stat, question)
      })
    },
    list: async (path, operation = {}) => {
      const question = { path: start(path, operation), action: 'list' }
      return look(question, () => listDirectory(jail, question, operation))
    },
    read: async (path, operation) => {
      const question = { path: start(path, operation), action: 'read' }
      return look(question, () => readFile(jail, question, { ...operation, maxFileBytes }))
    },
    write: async (path, data, operation = {}) => {
      const question = writeQuestion(start(path, operation), operation)
      checkBytes(path, data)
      const copy = new Uint8Array(data)
      const writing = { ...question, data: copy, options: operation, maxFileBytes, fsync }
      return change(question, () => writeFile(jail, writing))
    },
    mkdir: async (path, operation) => {
      const question = { path: start(path, operation), action: 'create' }
      return change(question, () => makeDirectory(jail, question, { ...operation, fsync }))
    },
    rm: async (path, operation) => {
      const question = { path: start(path, operation), action: 'remove' }
      return change(question, () => remove(jail, question, { ...operation, fsync }))
    },
    rename: async (from, to, operation) => {
      const question = { path: start(from, operation), action: 'rename' }
      const target = normalizePath(to)
      return change(question, () => move(jail, { from: question.path, to: target }, { fsync }), target)
    },
  }
}
