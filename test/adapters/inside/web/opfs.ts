// The files of OPFS and of a picked folder: what they are held to where the browser has them, and what is said where not.
import { folderFiles, opfsFiles } from '../../../../adapters/browser/index.ts'
import { vfsContract } from '../../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../../src/testing/contract/vfs-sequences.ts'
import { equal } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { readText, writeText } from '../../../../src/vfs/text.ts'
import type { Vfs } from '../../../../src/vfs/vfs.ts'
import type { Suite } from '../report.ts'
import { contractCase } from '../report.ts'
import { refusal } from './expect.ts'
import { freshName } from './place.ts'

const siteRoot = (): Promise<FileSystemDirectoryHandle> => navigator.storage.getDirectory()

/** Why there is no OPFS to write to here; `undefined` where there is. */
async function whyNone(): Promise<string | undefined> {
  try {
    const root = await siteRoot()
    const name = freshName()
    const handle = await root.getFileHandle(name, { create: true })
    await root.removeEntry(name)
    return handle.createWritable === undefined ? 'no createWritable() in this browser' : undefined
  } catch {
    return 'no OPFS in this browser'
  }
}

const without = (files: Vfs, ...names: readonly string[]): Vfs => ({
  ...files,
  dispose: async () => {
    const root = await siteRoot()
    for (const name of names) await root.removeEntry(name, { recursive: true }).catch(() => {})
  },
})

export const freshOpfs = async (): Promise<Vfs> => {
  const directory = freshName()
  return without(opfsFiles({ directory }), directory, `${directory}.batch`)
}

/** A folder as a picker gives it: the same kind of handle. */
const freshFolder = async (): Promise<Vfs> => {
  const name = freshName()
  return without(folderFiles(await (await siteRoot()).getDirectoryHandle(name, { create: true })), name)
}

/** The directory of fresh files, and other files over the same. */
async function withDirectory(work: (open: () => Vfs, directory: string) => Promise<void>): Promise<void> {
  const directory = freshName()
  const open = (): Vfs => opfsFiles({ directory })
  try {
    await work(open, directory)
  } finally {
    await without(open(), directory, `${directory}.batch`).dispose?.()
  }
}

const rawFile = async (directory: string, name: string): Promise<FileSystemFileHandle> =>
  (await (await siteRoot()).getDirectoryHandle(directory, { create: true })).getFileHandle(name, { create: true })

type SyncFile = FileSystemFileHandle & {
  readonly createSyncAccessHandle?: () => Promise<{ readonly close: () => void }>
}

/** Why no file can be held open for writing here. */
const noSync = (): string | undefined =>
  'createSyncAccessHandle' in FileSystemFileHandle.prototype ? undefined : 'no access handle in this place'

const cases = (): readonly ContractCase[] => [
  contractCase('two tabs that append to one file lose nothing', () =>
    withDirectory(async (open) => {
      const [one, two] = [open(), open()]
      await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          writeText(index % 2 ? one : two, '/log', `${index};`, { mode: 'append' }),
        ),
      )
      equal(new Set((await readText(one, '/log')).split(';').slice(0, -1)).size, 20)
    }),
  ),
  contractCase('a batch that is cut in the middle is taken back by whoever looks next', () =>
    withDirectory(async (open) => {
      await writeText(open(), '/1', 'old')
      const { createWritable } = FileSystemFileHandle.prototype
      const { removeEntry } = FileSystemDirectoryHandle.prototype
      FileSystemDirectoryHandle.prototype.removeEntry = () => Promise.reject(new DOMException('Cut', 'AbortError'))
      let writes = 0
      FileSystemFileHandle.prototype.createWritable = function (...given: Parameters<typeof createWritable>) {
        // The first one is that of the intent.
        if ((writes += 1) > 2) throw new DOMException('Cut', 'AbortError')
        return createWritable.apply(this, given)
      }
      try {
        const batch = open().batch!(async (files) => {
          for (const name of ['/1', '/2', '/3']) await writeText(files, name, name)
        })
        await refusal(batch, 'vfs-failed')
      } finally {
        FileSystemFileHandle.prototype.createWritable = createWritable
        FileSystemDirectoryHandle.prototype.removeEntry = removeEntry
      }
      const next = open()
      equal(
        (await next.list('/')).entries.map(({ name, size }) => `${name} ${size}`),
        ['1 3'],
      )
    }),
  ),
  contractCase('a write that fails leaves the old content, and no new file', () =>
    withDirectory(async (open) => {
      const files = open()
      await writeText(files, '/old', 'old')
      const { createWritable } = FileSystemFileHandle.prototype
      FileSystemFileHandle.prototype.createWritable = async function (...given: Parameters<typeof createWritable>) {
        const stream = await createWritable.apply(this, given)
        stream.close = () => Promise.reject(new DOMException('Full', 'QuotaExceededError'))
        return stream
      }
      try {
        await refusal(writeText(files, '/old', 'new'), 'vfs-no-space', 'no more space')
        await refusal(writeText(files, '/new', 'new'), 'vfs-no-space', 'no more space')
      } finally {
        FileSystemFileHandle.prototype.createWritable = createWritable
      }
      equal([await readText(files, '/old'), await files.stat('/new')], ['old', undefined])
    }),
  ),
  contractCase('a name that no path can have is refused, and is not listed where others made it', () =>
    withDirectory(async (open, directory) => {
      const files = open()
      await refusal(writeText(files, `/${'n'.repeat(300)}`, 'x'), 'vfs-invalid', '255')
      await rawFile(directory, 'n'.repeat(300))
      await rawFile(directory, 'theirs')
      equal(
        (await files.list('/')).entries.map(({ name }) => name),
        ['theirs'],
      )
    }),
  ),
  contractCase(
    'a file that somebody holds open is vfs-busy, until they let go',
    () =>
      withDirectory(async (open, directory) => {
        const files = open()
        await writeText(files, '/a', 'old')
        const held = await ((await rawFile(directory, 'a')) as SyncFile).createSyncAccessHandle!()
        try {
          await refusal(writeText(files, '/a', 'new'), 'vfs-busy', 'open')
          await refusal(writeText(files, '/a', 'new', { mode: 'append' }), 'vfs-busy', 'open')
        } finally {
          held.close()
        }
        await writeText(files, '/a', 'new')
        equal(await readText(files, '/a'), 'new')
      }),
    noSync(),
  ),
]

export async function opfsSuites(): Promise<readonly Suite[]> {
  const why = await whyNone()
  if (why === undefined) {
    const lacks = ['cas', 'watch'] as const
    return [
      { name: 'OPFS', cases: cases() },
      { name: 'opfsFiles', cases: [...vfsContract(freshOpfs, lacks), ...vfsSequences(freshOpfs, { seeds: 3 })] },
      { name: 'folderFiles', cases: vfsContract(freshFolder, lacks) },
    ]
  }
  const says = contractCase('where there is no OPFS to write to, a write says so and what else there is', () =>
    refusal(opfsFiles().write('/file', new Uint8Array(1)), 'vfs-denied', 'indexedDbFiles()'),
  )
  return [{ name: 'opfsFiles', cases: [says, contractCase('the contract', async () => {}, why)] }]
}
