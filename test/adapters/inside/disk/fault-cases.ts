// Disks that are full, files that may not be touched: nothing is half done, and the words say why.
import * as disk from 'node:fs/promises'
import { join } from 'node:path'
import { node } from '../../../../adapters/node/preset.ts'
import { directoryFiles } from '../../../../adapters/node/files/directory-files.ts'
import { fileStore } from '../../../../adapters/node/store/file-store.ts'
import { equal, includes } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { contractCase } from '../report.ts'
import { halfWrites, noFiles, syncedDirectories } from './faulty.ts'
import { codeOf, decode, encode, scratch } from './scratch.ts'

/** Who nothing belongs to. */
const nobody = 65534

const canBeNobody = typeof process.seteuid === 'function' && !('Deno' in globalThis)

/** The rights of a user who is not root, whoever runs this. */
async function withoutPower(work: () => Promise<void>): Promise<void> {
  const isRoot = process.geteuid?.() === 0
  if (isRoot) process.seteuid?.(nobody)
  try {
    await work()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

export const faultCases: readonly ContractCase[] = [
  contractCase('leaves a file as it was when the disk is full', async () => {
    const root = await scratch()
    const files = directoryFiles(root)
    await files.write('/kept', encode('kept'))
    await halfWrites('ENOSPC', async () => {
      equal(await codeOf(files.write('/kept', encode('changed'))), 'vfs-no-space')
      equal(await codeOf(files.write('/kept', encode('more'), { mode: 'append' })), 'vfs-no-space')
      equal(await codeOf(files.write('/new', encode('new'))), 'vfs-no-space')
    })
    equal([decode(await files.read('/kept')), await disk.readdir(root)], ['kept', ['kept']])
  }),
  contractCase('brings the names of all that it makes, moves and removes to the disk', async () => {
    const root = await disk.realpath(await scratch())
    const top = join(root, 'made/too')
    const files = directoryFiles(top, { fsync: true })
    const below = (synced: readonly string[]) =>
      [...new Set(synced)].sort().map((path) => `/${path.slice(top.length + 1)}`)
    const during = (work: () => Promise<unknown>) => syncedDirectories(async () => void (await work()))
    equal([...new Set(await during(() => files.stat('/')))].sort(), [root, join(root, 'made')])
    equal(below(await during(() => files.write('/a/b/c', encode('x'), { parents: true }))), ['/', '/a', '/a/b'])
    equal(below(await during(() => files.mkdir('/d/e/f', { recursive: true }))), ['/', '/d', '/d/e'])
    equal(below(await during(() => files.mkdir('/g'))), ['/'])
    equal(below(await during(() => files.rename('/a/b/c', '/d/e/c'))), ['/a/b', '/d/e'])
    equal(below(await during(() => files.rm('/d/e/c'))), ['/d/e'])
    equal(below(await during(() => files.rm('/d', { recursive: true }))), ['/'])
    equal(await during(() => directoryFiles(top).write('/h/i', encode('x'), { parents: true })), [])
  }),
  contractCase('has how it was before a batch on the disk before it begins', async () => {
    const root = await disk.realpath(await scratch())
    const { fs } = node({ root })
    await fs.stat('/')
    const synced = await syncedDirectories(async () => {
      await fs.batch?.(async (inside) => void (await inside.write('/a', encode('x'))))
    })
    // How it was, what was done, and that it is final.
    const batch = join(root, '.sameloop/batch')
    equal(
      synced.filter((path) => path === batch || path === root),
      [batch, root, batch],
    )
  }),
  contractCase('leaves a log as it was when the disk is full, and goes on when there is room', async () => {
    const store = fileStore(await scratch())
    const { epoch } = await store.lease('a')
    const record = (seq: number) => [{ seq, type: 'x', data: '"text"' }]
    await store.append('a', record(1), { expectSeq: 0, epoch })
    await halfWrites('ENOSPC', async () => {
      const refusal: unknown = await store
        .append('a', record(2), { expectSeq: 1, epoch })
        .catch((thrown: unknown) => thrown)
      includes(String(refusal), 'Cannot write the log of run "a": no space left')
    })
    equal((await store.last('a'))?.seq, 1)
    await store.append('a', record(2), { expectSeq: 1, epoch })
    equal((await store.last('a'))?.seq, 2)
  }),
  contractCase('takes files back when the disk is full in the middle of what a call changed', async () => {
    const root = await scratch()
    const files = directoryFiles(root)
    const store = fileStore(join(root, '.sameloop'), { files })
    const { epoch } = await store.lease('a')
    await files.write('/kept', encode('kept'))
    const changes = [
      { type: 'delete', path: '/kept' },
      { type: 'add', path: '/new', data: encode('new') },
    ] as const
    const options = { expectSeq: 0, epoch, files: changes }
    const full = new Error('full')
    const write = files.write
    // What is deleted can be brought back, and what is new cannot be made.
    const failing = {
      ...files,
      write: (path: string, ...rest: [Uint8Array]) => (path === '/new' ? Promise.reject(full) : write(path, ...rest)),
    }
    const other = fileStore(join(root, '.sameloop'), { files: failing })
    equal(await codeOf(other.append('a', [{ seq: 1, type: 'x', data: '1' }], options)), 'journal-failed')
    equal([decode(await files.read('/kept')), (await files.list('/')).entries.length], ['kept', 1])
    equal(await store.last('a'), undefined)
  }),
  contractCase('says of what may succeed later that it may', async () => {
    const files = directoryFiles(await scratch())
    await files.write('/a', encode('a'))
    await noFiles('EMFILE', async () => {
      const refusal = (await files.read('/a').catch((thrown: unknown) => thrown)) as {
        code: string
        retryable: boolean
      }
      equal([refusal.code, refusal.retryable], ['vfs-busy', true])
      includes(String(refusal), 'too many files are open')
    })
  }),
  contractCase(
    'does nothing that the user of the program may not do',
    async () => {
      const root = await scratch()
      const files = directoryFiles(root)
      for (const path of ['/hidden', '/fixed', '/dir/inner']) await files.write(path, encode('x'), { parents: true })
      await disk.chmod(join(root, 'hidden'), 0o000)
      await disk.chmod(join(root, 'fixed'), 0o444)
      await disk.chmod(join(root, 'dir'), 0o555)
      await disk.chmod(root, 0o777)
      await withoutPower(async () => {
        equal(await codeOf(files.read('/hidden')), 'vfs-denied')
        equal(decode(await files.read('/fixed')), 'x')
        for (const mode of ['overwrite', 'append'] as const)
          equal(await codeOf(files.write('/fixed', encode('y'), { mode })), 'vfs-denied')
        equal(await codeOf(files.write('/dir/new', encode('y'))), 'vfs-denied')
        equal(await codeOf(files.rm('/dir/inner')), 'vfs-denied')
        equal(await codeOf(files.rename('/dir/inner', '/mine')), 'vfs-denied')
        await files.write('/allowed', encode('y'))
      })
      equal(decode(await files.read('/fixed')), 'x')
      equal((await disk.readdir(root)).sort(), ['allowed', 'dir', 'fixed', 'hidden'])
      await disk.chmod(join(root, 'dir'), 0o755)
    },
    canBeNobody ? undefined : 'this runtime cannot act as another user',
  ),
]
