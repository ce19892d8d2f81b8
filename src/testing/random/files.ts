// Random changes of files, the same for every file system that is given the same seed.
import { isSameloopError } from '../../error/error.ts'
import { joinPath } from '../../vfs/path.ts'
import type { Vfs } from '../../vfs/vfs.ts'
import { walk } from '../../vfs/walk.ts'
import type { Random } from './prng.ts'

/** One operation, and what it should be called in a report. */
export interface FileOperation {
  readonly words: string
  /** What it gives, as far as every file system must give the same. */
  run(files: Vfs): Promise<unknown>
}

const names = ['a', 'b', 'c', 'é', 'B', ' x.txt', 'a.b', '-', '日本']

const pathOf = (random: Random): string =>
  Array.from({ length: random.weighted({ 1: 4, 2: 5, 3: 2 }) === '1' ? 1 : random.int(2, 3) }, () =>
    random.pick(names),
  ).reduce(joinPath, '/')

const bytesOf = (random: Random): Uint8Array =>
  Uint8Array.from({ length: random.weighted({ none: 1, few: 6, many: 1 }) === 'many' ? 3000 : random.int(0, 9) }, () =>
    random.int(0, 255),
  )

/** Draws the next operation. */
export function fileOperation(random: Random): FileOperation {
  const path = pathOf(random)
  const to = pathOf(random)
  const data = bytesOf(random)
  const parents = random.chance(0.5)
  const recursive = random.chance(0.5)
  const force = random.chance(0.3)
  const mode = random.pick(['overwrite', 'overwrite', 'create', 'append'] as const)
  const offset = random.int(0, 12)
  const length = random.int(0, 12)
  const kind = random.weighted({ write: 8, mkdir: 3, rm: 3, rename: 4, read: 2, list: 2, stat: 1 })
  const operations: Readonly<Record<typeof kind, FileOperation>> = {
    write: {
      words: `write ${path} (${data.length} bytes, ${mode}${parents ? ', parents' : ''})`,
      run: async (files) => (await files.write(path, data, { mode, parents })).size,
    },
    mkdir: { words: `mkdir ${path}${recursive ? ' recursive' : ''}`, run: (files) => files.mkdir(path, { recursive }) },
    rm: {
      words: `rm ${path}${recursive ? ' recursive' : ''}${force ? ' force' : ''}`,
      run: (files) => files.rm(path, { recursive, force }),
    },
    rename: { words: `rename ${path} to ${to}`, run: (files) => files.rename(path, to) },
    read: {
      words: `read ${path} from ${offset}, ${length} bytes`,
      run: async (files) => [...(await files.read(path, { offset, length }))],
    },
    list: {
      words: `list ${path}`,
      run: async (files) => (await files.list(path)).entries.map(({ name, type }) => [name, type]),
    },
    stat: {
      words: `stat ${path}`,
      run: async (files) => {
        const stat = await files.stat(path)
        return stat && [stat.type, stat.type === 'file' ? stat.size : 0]
      },
    },
  }
  return operations[kind]
}

/** What an operation gave, or the code it was refused with. */
export async function answerOf({ run }: FileOperation, files: Vfs): Promise<unknown> {
  try {
    return (await run(files)) ?? null
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return error.code
  }
}

/** All that is there, in one order, with the bytes of files. */
export async function treeOf(files: Vfs): Promise<readonly (readonly [string, string])[]> {
  const tree: [string, string][] = []
  for await (const { path, type } of walk(files, '/', { maxEntries: Infinity }))
    tree.push([path, type === 'dir' ? '/' : (await files.read(path)).join()])
  return tree.sort(([left], [right]) => (left < right ? -1 : 1))
}
