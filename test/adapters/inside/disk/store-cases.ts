// What the run store on the disk must do beside the contract: torn and damaged logs, versions, disks that fail.
import * as disk from 'node:fs/promises'
import { join } from 'node:path'
import { directoryFiles } from '../../../../adapters/node/files/directory-files.ts'
import { encodeLine, readLines } from '../../../../adapters/node/log/line.ts'
import { fileStore } from '../../../../adapters/node/store/file-store.ts'
import { openFormat } from '../../../../adapters/node/store/format.ts'
import { batched } from '../../../../src/history/batched.ts'
import { check, equal, includes } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import type { StoreUnderTest } from '../../../../src/testing/contract/store.ts'
import type { RunRecord, RunStore } from '../../../../src/tool/run-store.ts'
import { contractCase } from '../report.ts'
import { sampled } from '../sampled.ts'
import { codeOf, decode, encode, scratch } from './scratch.ts'

export async function storeOnDisk(): Promise<StoreUnderTest> {
  const folder = await scratch()
  const logs = join(folder, '.sameloop')
  const make = async () => fileStore(logs, { files: directoryFiles(folder) })
  return { store: await make(), reopen: make }
}

const rows = (from: number, to: number): readonly RunRecord[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ seq: from + index, type: 'x', data: `{"n":${from + index}}` }))

async function seqs(store: RunStore, run = 'a'): Promise<readonly number[]> {
  const found: number[] = []
  for await (const { seq } of store.read(run, 0)) found.push(seq)
  return found
}

async function recordsOf(store: RunStore): Promise<readonly RunRecord[]> {
  const found: RunRecord[] = []
  for await (const record of store.read('a', 0)) found.push(record)
  return found
}

/** A store with one run of three appends, and the file of its log. */
async function written(): Promise<{
  readonly logs: string
  readonly folder: string
  readonly file: string
  readonly bytes: Uint8Array
}> {
  const logs = await scratch()
  const store = fileStore(logs)
  const { epoch } = await store.lease('a')
  for (let last = 0; last < 6; last += 2) await store.append('a', rows(last + 1, last + 2), { expectSeq: last, epoch })
  const [name = ''] = (await disk.readdir(logs)).filter((one) => one.startsWith('a-'))
  const file = join(logs, name, '1.log')
  return { logs, folder: join(logs, name), file, bytes: await disk.readFile(file) }
}

const torn: readonly ContractCase[] = [
  contractCase('goes on from the last whole line, wherever the last one was torn', async () => {
    const { logs, file, bytes } = await written()
    const ends = readLines(bytes, 'it').map(({ end }) => end)
    const [begun = 0, , second = 0] = ends
    for (let at = begun; at <= bytes.length; at += at > second - 8 ? 1 : 37) {
      await disk.writeFile(file, bytes.subarray(0, at))
      const whole = ends.filter((end) => end <= at).length - 1
      const store = fileStore(logs, { fsync: false })
      equal([at, await seqs(store)], [at, Array.from({ length: 2 * whole }, (_, index) => index + 1)])
      const { epoch, lastSeq } = await store.lease('a')
      equal([at, lastSeq], [at, 2 * whole])
      await store.append('a', rows(lastSeq + 1, lastSeq + 1), { expectSeq: lastSeq, epoch })
      equal([at, (await seqs(fileStore(logs))).length], [at, 2 * whole + 1])
      await disk.unlink(join(file, '..', `${epoch}.log`))
    }
  }),
  contractCase('goes on writing over a torn line of its own', async () => {
    const { logs, file, bytes } = await written()
    await disk.writeFile(file, bytes.subarray(0, bytes.length - 3))
    const store = fileStore(logs)
    await store.append('a', rows(5, 5), { expectSeq: 4, epoch: 1 })
    equal(await seqs(store), [1, 2, 3, 4, 5])
    equal(
      (await store.list()).map(({ run, lastSeq, epoch }) => [run, lastSeq, epoch]),
      [['a', 5, 1]],
    )
  }),
  contractCase('says that a log is damaged, where what is broken is not its end', async () => {
    const { logs, file, bytes } = await written()
    const [, first = 0] = readLines(bytes, 'it').map(({ end }) => end)
    const changed = new Uint8Array(bytes)
    changed[first - 10] = (changed[first - 10] ?? 0) ^ 1
    await disk.writeFile(file, changed)
    const store = fileStore(logs)
    equal([await codeOf(seqs(store)), await codeOf(store.lease('a'))], ['journal-invalid', 'journal-invalid'])
  }),
  contractCase(
    'never gives other records than were written, and never fewer but for the last line, whatever bit flips',
    async () => {
      const { logs, file, bytes } = await written()
      const whole = JSON.stringify(await recordsOf(fileStore(logs)))
      const last = readLines(bytes, 'it').at(-2)?.end ?? 0
      // The end of the line before the last is one of them in any case.
      for (const at of [last - 1, ...sampled([...bytes.keys()])]) {
        const changed = new Uint8Array(bytes)
        changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
        await disk.writeFile(file, changed)
        const found = await recordsOf(fileStore(logs)).then(
          (records) => JSON.stringify(records),
          (thrown: unknown) => (thrown as { readonly code?: string }).code,
        )
        const allowed =
          at < last ? ['journal-invalid'] : ['journal-invalid', JSON.stringify(JSON.parse(whole).slice(0, 4))]
        check(allowed.includes(found ?? ''), `byte ${at}: ${found}`)
      }
    },
  ),
  contractCase('says that a log is damaged that another program has rewritten', async () => {
    const { logs, file, bytes } = await written()
    const text = decode(bytes)
    const others = [
      text.replaceAll('\n', '\r\n'),
      `\ufeff${text}`,
      text.replace('\n', '\nhello\n'),
      `${text}hello\nworld\n`,
    ]
    for (const other of others) {
      await disk.writeFile(file, other)
      equal([other, await codeOf(seqs(fileStore(logs)))], [other, 'journal-invalid'])
      equal([other, await codeOf(fileStore(logs).lease('a'))], [other, 'journal-invalid'])
    }
  }),
  contractCase('lists the other runs beside one that is damaged, and that one with nothing in it', async () => {
    const { logs, file, folder, bytes } = await written()
    const store = fileStore(logs)
    const { epoch } = await store.lease('b')
    await store.append('b', rows(1, 1), { expectSeq: 0, epoch })
    const changed = new Uint8Array(bytes)
    changed[bytes.length >> 1] = 0
    await disk.writeFile(file, changed)
    const listed = async () => (await store.list()).map(({ run, lastSeq }) => [run, lastSeq])
    equal(await listed(), [
      ['a', 0],
      ['b', 1],
    ])
    await disk.mkdir(join(folder, '2.log'))
    equal(await listed(), [
      ['a', 0],
      ['b', 1],
    ])
    equal(await codeOf(store.lease('a')), 'journal-invalid')
    await store.delete('a')
    equal(await listed(), [['b', 1]])
  }),
  contractCase('gives no lease after the last that a number can name, and does not look for one for ever', async () => {
    const { logs, folder } = await written()
    await disk.writeFile(join(folder, '999999999999999.log'), '')
    const store = fileStore(logs)
    for (let round = 0; round < 2; round++) equal(await codeOf(store.lease('a')), 'journal-invalid')
  }),
  contractCase('takes a lease whose owner ended at once for none', async () => {
    const { logs, folder } = await written()
    await disk.writeFile(join(folder, '2.log'), '')
    const store = fileStore(logs)
    equal((await seqs(store)).length, 6)
    equal(await codeOf(store.append('a', rows(7, 7), { expectSeq: 6, epoch: 1 })), 'journal-conflict')
    equal(await codeOf(store.append('a', rows(7, 7), { expectSeq: 6, epoch: 2 })), 'journal-conflict')
    equal(await store.lease('a'), { epoch: 3, lastSeq: 6 })
  }),
  contractCase('leaves out what was written after somebody else took over', async () => {
    const { logs, file, bytes } = await written()
    const store = fileStore(logs)
    equal((await store.lease('a')).epoch, 2)
    await disk.writeFile(file, Uint8Array.of(...bytes, ...encodeLine([[7, 'late', '{}']])))
    equal(await seqs(fileStore(logs)), [1, 2, 3, 4, 5, 6])
  }),
  contractCase('does not write the log of another run of the same name', async () => {
    const { logs } = await written()
    const [old, other] = [fileStore(logs), fileStore(logs)]
    await old.append('a', rows(7, 7), { expectSeq: 6, epoch: 1 })
    await other.delete('a')
    const { epoch } = await other.lease('a')
    await other.append('a', rows(1, 7), { expectSeq: 0, epoch })
    equal(await codeOf(old.append('a', rows(8, 8), { expectSeq: 7, epoch: 1 })), 'journal-conflict')
    equal((await seqs(other)).length, 7)
  }),
]

const swept = contractCase('finishes the deletion of a run that was cut off', async () => {
  const { logs, folder } = await written()
  await disk.rename(folder, `${folder}.1.deleted`)
  equal([await fileStore(logs).list(), await disk.readdir(logs)], [[], ['format.json']])
})

const versions: readonly ContractCase[] = [
  contractCase('refuses a store of a newer release, and leaves it as it was', async () => {
    const { logs } = await written()
    await disk.writeFile(join(logs, 'format.json'), '{"format":"sameloop-runs","version":2}')
    const refusal: unknown = await fileStore(logs)
      .lease('a')
      .catch((thrown: unknown) => thrown)
    includes(String(refusal), 'wanted version 1 or older, got 2')
    equal(await codeOf(fileStore(logs).list()), 'journal-version')
    for (const broken of ['', '{}', '[1]', '{"version":"1"}']) {
      await disk.writeFile(join(logs, 'format.json'), broken)
      equal(await codeOf(fileStore(logs).lease('a')), 'journal-version')
    }
  }),
  contractCase('brings an older store up to date, version by version, and once', async () => {
    const folder = await scratch()
    await openFormat(folder, { version: 1, migrations: {} })
    const done: number[] = []
    const migrations = { 1: async () => void done.push(1), 2: async () => void done.push(2) }
    await openFormat(folder, { version: 3, migrations })
    await openFormat(folder, { version: 3, migrations })
    equal(done, [1, 2])
    equal(await codeOf(openFormat(folder, { version: 5, migrations })), 'journal-version')
  }),
]

const failing: readonly ContractCase[] = [
  contractCase('takes back the files of an append that cannot be made', async () => {
    const folder = await scratch()
    const files = directoryFiles(folder, { maxFileBytes: 100 })
    const store = fileStore(join(folder, '.sameloop'), { files })
    const { epoch } = await store.lease('a')
    await files.write('/old/a', encode('a'), { parents: true })
    const changes = [
      { type: 'delete', path: '/old' },
      { type: 'add', path: '/new/deep/b', data: encode('b') },
      { type: 'add', path: '/large', data: new Uint8Array(101) },
    ] as const
    equal(await codeOf(store.append('a', rows(1, 1), { expectSeq: 0, epoch, files: changes })), 'vfs-too-large')
    equal(
      (await files.list('/')).entries.map(({ name }) => name),
      ['old'],
    )
    equal([decode(await files.read('/old/a')), await seqs(store)], ['a', []])
    await store.append('a', rows(1, 1), { expectSeq: 0, epoch, files: changes.slice(0, 2) })
    equal([(await files.list('/')).entries.map(({ name }) => name), await seqs(store)], [['new'], [1]])
  }),
  contractCase('takes back what its files do not take, and goes on', async () => {
    const folder = await scratch()
    const files = directoryFiles(folder)
    const store = fileStore(join(folder, '.sameloop'), { files })
    const { epoch } = await store.lease('a')
    await files.write('/old', encode('old'))
    const changes = [
      { type: 'modify', path: '/old', data: encode('new') },
      { type: 'add', path: '/.sameloop-draft-mine', data: encode('x') },
    ] as const
    equal(await codeOf(store.append('a', rows(1, 1), { expectSeq: 0, epoch, files: changes })), 'vfs-denied')
    equal(decode(await files.read('/old')), 'old')
    equal((await store.lease('a')).lastSeq, 0)
  }),
  contractCase('a batch with what a directory does not take leaves its other files usable', async () => {
    const folder = await scratch()
    const make = () => batched(directoryFiles(folder), { intents: directoryFiles(join(folder, '.sameloop')) })
    const files = make()
    await files.write('/old', encode('old'))
    const batch = files.batch!(async (inner) => {
      await inner.write('/old', encode('new'))
      await inner.write('/.sameloop-draft-mine', encode('x'))
    })
    equal(await codeOf(batch), 'vfs-denied')
    for (const seen of [files, make()]) equal(decode(await seen.read('/old')), 'old')
  }),
  contractCase('says in words what the disk says', async () => {
    const folder = await scratch()
    await disk.writeFile(join(folder, 'file'), '')
    const refusal: unknown = await fileStore(join(folder, 'file', 'logs'))
      .lease('a')
      .catch((thrown: unknown) => thrown)
    includes(String(refusal), 'Cannot lease run "a": ')
    check(!String(refusal).includes(folder), 'no place on the disk in an error')
    equal(await codeOf(fileStore(join(folder, 'file')).list()), 'journal-failed')
  }),
]

export const storeCases: readonly ContractCase[] = [...torn, swept, ...versions, ...failing]
