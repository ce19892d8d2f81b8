// What a directory of a machine must do beside the contract: links, odd files, limits, what others do to it.
import { execFileSync } from 'node:child_process'
import * as disk from 'node:fs/promises'
import { join } from 'node:path'
import { directoryFiles } from '../../../../adapters/node/files/directory-files.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { check, equal, includes } from '../../../../src/testing/assertion.ts'
import type { Vfs } from '../../../../src/vfs/vfs.ts'
import { contractCase } from '../report.ts'
import { codeOf, decode, encode, scratch } from './scratch.ts'

interface Place {
  /** Beside `root`, with a secret in it. */
  readonly outside: string
  readonly root: string
  readonly files: Vfs
}

async function place(): Promise<Place> {
  const outside = await scratch()
  const root = join(outside, 'root')
  await disk.mkdir(root)
  await disk.writeFile(join(outside, 'secret'), 'secret')
  return { outside, root, files: directoryFiles(root) }
}

const names = async (files: Vfs, path = '/'): Promise<readonly string[]> =>
  (await files.list(path)).entries.map(({ name }) => name)

const links: readonly ContractCase[] = [
  contractCase('neither reads nor writes nor lists through a link that leads out', async () => {
    const { outside, root, files } = await place()
    await disk.symlink(join(outside, 'secret'), join(root, 'file'))
    await disk.symlink(outside, join(root, 'dir'))
    await disk.symlink('../secret', join(root, 'relative'))
    await disk.symlink(join(outside, 'new'), join(root, 'nowhere'))
    await disk.symlink('loop', join(root, 'loop'))
    const refused = ['/file', '/dir/secret', '/relative', '/nowhere', '/loop', '/dir/../relative']
    for (const path of refused) {
      equal([path, await codeOf(files.read(path))], [path, 'vfs-denied'])
      equal([path, await codeOf(files.stat(path))], [path, 'vfs-denied'])
      for (const mode of ['overwrite', 'create', 'append'] as const)
        equal([path, await codeOf(files.write(path, encode('x'), { mode }))], [path, 'vfs-denied'])
    }
    equal(await codeOf(files.mkdir('/dir/made', { recursive: true })), 'vfs-denied')
    equal(await codeOf(files.rm('/dir/secret')), 'vfs-denied')
    equal(await codeOf(files.rename('/dir/secret', '/stolen')), 'vfs-denied')
    equal(await names(files), [])
    equal(
      [await disk.readFile(join(outside, 'secret'), 'utf8'), (await disk.readdir(outside)).sort()],
      ['secret', ['root', 'secret']],
    )
  }),
  contractCase('removes and moves a link itself, whatever it leads to', async () => {
    const { outside, root, files } = await place()
    await disk.symlink(join(outside, 'secret'), join(root, 'one'))
    await disk.symlink(outside, join(root, 'two'))
    await files.rename('/one', '/moved')
    await files.rm('/moved')
    await files.rm('/two', { recursive: true })
    equal([await disk.readdir(root), await disk.readFile(join(outside, 'secret'), 'utf8')], [[], 'secret'])
  }),
  contractCase('follows a link that stays inside', async () => {
    const { root, files } = await place()
    await files.write('/deep/file', encode('1'), { parents: true })
    await disk.symlink('deep', join(root, 'dir'))
    await disk.symlink(join(root, 'deep', 'file'), join(root, 'file'))
    equal(
      (await files.list('/')).entries.map(({ name, type }) => `${name} ${type}`),
      ['deep dir', 'dir dir', 'file file'],
    )
    await files.write('/file', encode('2'))
    equal([decode(await files.read('/dir/file')), (await disk.lstat(join(root, 'file'))).isSymbolicLink()], ['2', true])
  }),
]

const odd: readonly ContractCase[] = [
  contractCase('keeps run logs from who comes to them by a link to the root', async () => {
    const { root, files } = await place()
    await disk.symlink('.', join(root, 'top'))
    for (const logs of ['/top/.sameloop', '/top/.SameLoop'])
      equal(await codeOf(files.mkdir(logs, { recursive: true })), 'vfs-denied')
    await disk.mkdir(join(root, '.sameloop'))
    await disk.writeFile(join(root, '.sameloop', 'log'), 'log')
    const logs = '/top/.sameloop'
    equal(await codeOf(files.rename(logs, '/mine')), 'vfs-denied')
    equal(await codeOf(files.rm(logs, { recursive: true })), 'vfs-denied')
    await files.write('/file', encode('x'))
    equal(await codeOf(files.rename('/file', logs)), 'vfs-denied')
    equal(await disk.readFile(join(root, '.sameloop', 'log'), 'utf8'), 'log')
  }),
  contractCase('keeps run logs and drafts from everybody', async () => {
    const { root, files } = await place()
    await disk.mkdir(join(root, '.sameloop'))
    await disk.writeFile(join(root, '.sameloop', 'log'), 'log')
    await disk.writeFile(join(root, '.sameloop-draft-1'), 'half')
    await disk.symlink('.sameloop', join(root, 'alias'))
    equal(await names(files), [])
    for (const path of [
      '/.sameloop/log',
      '/.SameLoop/log',
      '/x/../.sameloop/log',
      '/alias/log',
      '/.sameloop-draft-1',
    ]) {
      equal([path, await codeOf(files.read(path))], [path, 'vfs-denied'])
      equal([path, await codeOf(files.write(path, encode('x')))], [path, 'vfs-denied'])
      equal([path, await codeOf(files.rm(path, { force: true }))], [path, 'vfs-denied'])
    }
    equal(await files.stat('/.sameloop'), undefined)
    equal(await codeOf(files.rename('/.sameloop', '/mine')), 'vfs-denied')
    equal(await disk.readFile(join(root, '.sameloop', 'log'), 'utf8'), 'log')
    await files.write('/sub/.sameloop/mine', encode('x'), { parents: true })
    equal(await names(files, '/sub'), ['.sameloop'])
  }),
  contractCase('does not touch a pipe, which would wait for ever', async () => {
    const { root, files } = await place()
    execFileSync('mkfifo', [join(root, 'pipe')])
    equal(
      [await names(files), await codeOf(files.read('/pipe')), await codeOf(files.write('/pipe', encode('x')))],
      [[], 'vfs-denied', 'vfs-denied'],
    )
  }),
  contractCase('removes a directory in which nothing but a draft was left behind', async () => {
    const { root, files } = await place()
    await files.mkdir('/dir')
    await disk.writeFile(join(root, 'dir', '.sameloop-draft-1'), 'half')
    await files.rm('/dir')
    equal(await disk.readdir(root), [])
  }),
  contractCase('removes drafts that nobody can still be writing', async () => {
    const { root, files } = await place()
    for (const name of ['.sameloop-draft-old', '.sameloop-draft-new']) await disk.writeFile(join(root, name), 'half')
    await disk.utimes(join(root, '.sameloop-draft-old'), 1, 1)
    equal([await names(files), await disk.readdir(root)], [[], ['.sameloop-draft-new']])
  }),
  contractCase('says in words that a name is too long for the disk, and leaves nothing', async () => {
    const { root, files } = await place()
    for (const name of ['x'.repeat(300), 'é'.repeat(200)])
      equal(await codeOf(files.write(`/${name}`, encode('x'))), 'vfs-invalid')
    equal(await disk.readdir(root), [])
  }),
  contractCase('tells names apart that differ only in case, or shows them as one, as the disk does', async () => {
    const { root, files } = await place()
    await files.write('/Name', encode('1'))
    await files.write('/name', encode('2'))
    const isOne = (await disk.readdir(root)).length === 1
    equal(await names(files), isOne ? ['Name'] : ['Name', 'name'])
    equal(decode(await files.read('/Name')), isOne ? '2' : '1')
    await files.rename('/name', '/NAME')
    equal(await names(files), isOne ? ['NAME'] : ['NAME', 'Name'])
  }),
  contractCase('keeps the permissions of a file that it writes anew', async () => {
    const { root, files } = await place()
    await files.write('/run.sh', encode('1'))
    await disk.chmod(join(root, 'run.sh'), 0o750)
    await files.write('/run.sh', encode('2'))
    equal((await disk.stat(join(root, 'run.sh'))).mode & 0o777, 0o750)
  }),
  contractCase('gives every one of many quick writes an etag of its own', async () => {
    const { files } = await place()
    const tags = new Set<string | undefined>()
    for (let index = 0; index < 50; index++) tags.add((await files.write('/same', encode('x'))).etag)
    equal(tags.size, 50)
  }),
  contractCase('lets two objects over one directory create a file once', async () => {
    const { root } = await place()
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        codeOf(
          directoryFiles(index % 2 ? root : join(root, '.')).write('/one', encode(`${index}`), { mode: 'create' }),
        ),
      ),
    )
    equal(made.filter((code) => code === undefined).length, 1)
    equal(await disk.readdir(root), ['one'])
  }),
]

const limits: readonly ContractCase[] = [
  contractCase('reads parts of a file of 5 GB, and refuses the whole in words', async () => {
    const { root, files } = await place()
    const handle = await disk.open(join(root, 'large'), 'w')
    const size = 5 * 2 ** 30
    await handle.truncate(size)
    await handle.write(encode('end'), 0, 3, size - 3)
    await handle.close()
    equal((await files.stat('/large'))?.size, size)
    const refusal: unknown = await files.read('/large').catch((thrown: unknown) => thrown)
    includes(String(refusal), 'read at most 268435456 at once, with offset and length')
    equal(await codeOf(files.read('/large')), 'vfs-too-large')
    equal(decode(await files.read('/large', { offset: size - 3 })), 'end')
    equal((await files.read('/large', { offset: 2 ** 32, length: 4 })).length, 4)
    equal(await codeOf(files.write('/large', encode('x'), { mode: 'append' })), 'vfs-too-large')
    await disk.unlink(join(root, 'large'))
  }),
  contractCase('writes nothing that is larger than it may be', async () => {
    const { root } = await place()
    const files = directoryFiles(root, { maxFileBytes: 4 })
    equal(await codeOf(files.write('/a', encode('12345'))), 'vfs-too-large')
    await files.write('/a', encode('123'))
    equal(await codeOf(files.write('/a', encode('45'), { mode: 'append' })), 'vfs-too-large')
    equal([decode(await files.read('/a')), await disk.readdir(root)], ['123', ['a']])
  }),
  contractCase('says that a root is no directory', async () => {
    const { outside } = await place()
    const files = directoryFiles(join(outside, 'secret'))
    equal(await codeOf(files.list('/')), 'vfs-not-directory')
    equal(await codeOf(files.write('/a', encode('x'))), 'vfs-not-directory')
    const made = directoryFiles(join(outside, 'made', 'deep'))
    equal(await names(made), [])
  }),
  contractCase('names no place on the disk in its errors', async () => {
    const { outside, files } = await place()
    for (const work of [
      () => files.read('/none'),
      () => files.list('/none'),
      () => files.write('/none/x', encode('')),
    ]) {
      const words = String(await work().catch((thrown: unknown) => thrown))
      check(words.includes('/none') && !words.includes(outside), 'the path as callers know it, and no other')
    }
  }),
]

export const directoryCases: readonly ContractCase[] = [...links, ...odd, ...limits]
