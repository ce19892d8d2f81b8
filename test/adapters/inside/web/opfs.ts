// The files of OPFS and of a picked folder: what they are held to where the browser has them, and what is said where not.
import { folderFiles, opfsFiles } from '../../../../adapters/browser/index.ts'
import { vfsContract } from '../../../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../../../src/testing/contract/vfs-sequences.ts'
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

export async function opfsSuites(): Promise<readonly Suite[]> {
  const why = await whyNone()
  if (why === undefined) {
    const lacks = ['cas', 'watch'] as const
    return [
      { name: 'opfsFiles', cases: [...vfsContract(freshOpfs, lacks), ...vfsSequences(freshOpfs, { seeds: 4 })] },
      { name: 'folderFiles', cases: [...vfsContract(freshFolder, lacks), ...vfsSequences(freshFolder, { seeds: 4 })] },
    ]
  }
  const says = contractCase('where there is no OPFS to write to, a write says so and what else there is', () =>
    refusal(opfsFiles().write('/file', new Uint8Array(1)), 'vfs-denied', 'indexedDbFiles()'),
  )
  return [{ name: 'opfsFiles', cases: [says, contractCase('the contract', async () => {}, why)] }]
}
