// The files and runs of IndexedDB: two tabs, newer versions, no space, cuts in the middle, and what claims too much.
import { indexedDbFiles, indexedDbStore } from '../../../../adapters/browser/index.ts'
import { check, equal } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { readText, writeText } from '../../../../src/vfs/text.ts'
import type { Vfs } from '../../../../src/vfs/vfs.ts'
import { contractCase } from '../report.ts'
import { refusal } from './expect.ts'
import { freshName, removeDatabase, settled } from './place.ts'

const mebibyte = 2 ** 20

/** Files of a database of their own, and what opens them again. All of it is gone after `work`. */
async function withDatabase(work: (open: (options?: Options) => Vfs, name: string) => Promise<void>): Promise<void> {
  const name = freshName()
  const opened: Vfs[] = []
  const open = (options?: Options): Vfs => {
    const files = indexedDbFiles({ ...options, name })
    opened.push(files)
    return files
  }
  try {
    await work(open, name)
  } finally {
    for (const files of opened) await files.dispose?.()
    await removeDatabase(name)
  }
}

type Options = Parameters<typeof indexedDbFiles>[0]

/** Opens a database as a stranger to the adapter. */
function rawDatabase(name: string, version?: number, upgrade?: (database: IDBDatabase) => void): Promise<IDBDatabase> {
  const request = indexedDB.open(name, version)
  request.onupgradeneeded = () => upgrade?.(request.result)
  return settled(request)
}

/** While `work` runs, each value that is put goes through `seen` first. */
async function whilePutting(seen: (store: IDBObjectStore) => void, work: () => Promise<void>): Promise<void> {
  const { put } = IDBObjectStore.prototype
  IDBObjectStore.prototype.put = function (...given: Parameters<typeof put>) {
    seen(this)
    return put.apply(this, given)
  }
  try {
    await work()
  } finally {
    IDBObjectStore.prototype.put = put
  }
}

const tabs: readonly ContractCase[] = [
  contractCase('two tabs that append to one file lose nothing, and one of two that match an etag wins', () =>
    withDatabase(async (open) => {
      const [one, two] = [open(), open()]
      await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          writeText(index % 2 ? one : two, '/log', `${index};`, { mode: 'append' }),
        ),
      )
      const lines = (await readText(one, '/log')).split(';').slice(0, -1)
      equal(new Set(lines).size, 40)
      const etag = (await two.stat('/log'))?.etag
      const written = await Promise.allSettled(
        [one, two].map((files) => writeText(files, '/log', 'x', { ifMatch: etag })),
      )
      equal(written.filter(({ status }) => status === 'fulfilled').length, 1)
    }),
  ),
  contractCase('a batch is refused where another tab changed the same file meanwhile, and leaves nothing', () =>
    withDatabase(async (open) => {
      const [one, two] = [open(), open()]
      await writeText(one, '/a', 'old')
      const batch = one.batch!(async (files) => {
        await writeText(files, '/b', 'new')
        await writeText(files, '/a', 'mine')
        await writeText(two, '/a', 'theirs')
      })
      await refusal(batch, 'vfs-conflict')
      equal([await readText(one, '/a'), await one.stat('/b')], ['theirs', undefined])
    }),
  ),
  contractCase('lets go of its database when another tab wants to delete it, and makes it anew when it is used', () =>
    withDatabase(async (open, name) => {
      const files = open({ files: { '/seed': 'seed' } })
      await writeText(files, '/a', 'x')
      await removeDatabase(name)
      equal([await files.stat('/a'), await readText(files, '/seed')], [undefined, 'seed'])
    }),
  ),
  contractCase('the files at the start are written to a new database only', () =>
    withDatabase(async (open) => {
      const files = open({ files: { '/dir/seed': 'seed' } })
      await writeText(files, '/dir/seed', 'changed')
      equal(await readText(open({ files: { '/dir/seed': 'seed', '/other': 'x' } }), '/dir/seed'), 'changed')
      equal(await files.stat('/other'), undefined)
    }),
  ),
  contractCase('an operation that begins when the connection has just been closed is made over a new one', () =>
    withDatabase(async (open) => {
      const files = open()
      await writeText(files, '/a', '1')
      const { transaction } = IDBDatabase.prototype
      let closed = 0
      IDBDatabase.prototype.transaction = function (...given: Parameters<typeof transaction>) {
        if ((closed += 1) === 1) this.close()
        return transaction.apply(this, given)
      }
      try {
        await writeText(files, '/b', '2')
      } finally {
        IDBDatabase.prototype.transaction = transaction
      }
      equal([closed, await readText(files, '/b')], [2, '2'])
    }),
  ),
]

const versions: readonly ContractCase[] = [
  contractCase('a database of a newer version is refused in words, and stays as it is', () =>
    withDatabase(async (open, name) => {
      await writeText(open(), '/a', 'x')
      const newer = await rawDatabase(name, 99, (database) => void database.createObjectStore('future'))
      newer.close()
      await refusal(open().stat('/a'), 'vfs-failed', 'newer version of this library')
      await refusal(indexedDbStore({ name }).list(), 'journal-version', 'newer version of this library')
      const again = await rawDatabase(name)
      equal([again.version, again.objectStoreNames.contains('entries')], [99, true])
      again.close()
    }),
  ),
  contractCase('files in use give way to a newer version, and then say so', () =>
    withDatabase(async (open, name) => {
      const files = open()
      await writeText(files, '/a', 'x')
      const newer = await rawDatabase(name, 99)
      newer.close()
      await refusal(writeText(files, '/a', 'y'), 'vfs-failed', 'newer version of this library')
    }),
  ),
  contractCase('a database of somebody else is left alone', () =>
    withDatabase(async (open, name) => {
      const foreign = await rawDatabase(name, 1, (database) => void database.createObjectStore('theirs'))
      foreign.close()
      await refusal(writeText(open(), '/a', 'x'), 'vfs-failed', 'not the tables of this library')
    }),
  ),
  contractCase('files that were disposed of say so, and what was begun before is whole', () =>
    withDatabase(async (open) => {
      const files = open()
      const begun = writeText(files, '/a', 'x'.repeat(3 * mebibyte))
      await files.stat('/')
      await files.dispose?.()
      equal((await begun).size, 3 * mebibyte)
      await refusal(files.stat('/a'), 'vfs-failed', 'was closed')
      equal((await open().stat('/a'))?.size, 3 * mebibyte)
    }),
  ),
]

const cuts: readonly ContractCase[] = [
  contractCase('a batch whose transaction is cut in the middle changes nothing', () =>
    withDatabase(async (open) => {
      const files = open()
      await writeText(files, '/kept', 'old')
      let puts = 0
      await whilePutting(
        ({ transaction }) => void ((puts += 1) > 5 && transaction.abort()),
        () =>
          refusal(
            files.batch!(async (inner) => {
              for (const name of ['/kept', '/1', '/2', '/3']) await writeText(inner, name, 'new')
            }),
            'vfs-failed',
          ),
      )
      check(puts > 5, 'the transaction was cut')
      const { entries } = await files.list('/')
      equal([entries.map(({ name }) => name), await readText(files, '/kept')], [['kept'], 'old'])
    }),
  ),
  contractCase('where the browser has no space left, a write is vfs-no-space and the old content stays', () =>
    withDatabase(async (open) => {
      const files = open()
      await writeText(files, '/a', 'old')
      const refuse = ({ name }: IDBObjectStore): void => {
        if (name === 'chunks') throw new DOMException('Full', 'QuotaExceededError')
      }
      await whilePutting(refuse, () => refusal(writeText(files, '/a', 'new'), 'vfs-no-space', 'no more space'))
      equal(await readText(files, '/a'), 'old')
    }),
  ),
  contractCase('runs and files that cannot commit together do not commit at all', () =>
    withDatabase(async (open) => {
      const files = open()
      const store = indexedDbStore({ files })
      const { epoch } = await store.lease('run')
      const record = { seq: 1, type: 'journal-open', data: '{}' }
      const change = { type: 'modify', path: '/a', data: new Uint8Array(2 * mebibyte) } as const
      const append = () => store.append('run', [record], { expectSeq: 0, epoch, files: [change] })
      let chunks = 0
      await whilePutting(
        ({ name, transaction }) => void (name === 'chunks' && (chunks += 1) > 1 && transaction.abort()),
        () => refusal(append(), 'journal-failed'),
      )
      equal([chunks, await store.last('run'), await files.stat('/a')], [2, undefined, undefined])
      await append()
      equal([(await store.last('run'))?.seq, (await files.stat('/a'))?.size], [1, 2 * mebibyte])
    }),
  ),
]

const claims: readonly ContractCase[] = [
  contractCase('a name of 300 characters is refused, one of 255 is kept', () =>
    withDatabase(async (open) => {
      const files = open()
      await refusal(writeText(files, `/${'n'.repeat(300)}`, 'x'), 'vfs-invalid', '255')
      await writeText(files, `/${'é'.repeat(255)}`, 'x')
      equal((await files.list('/')).entries.length, 1)
    }),
  ),
  contractCase('a file that claims 5 GB is not read at once, and a read of 5 GB reserves nothing', () =>
    withDatabase(async (open, name) => {
      const files = open()
      await writeText(files, '/small', 'abc')
      equal((await files.read('/small', { length: 5e9 })).length, 3)
      await writeText(files, '/liar', 'abc')
      const raw = await rawDatabase(name)
      const table = raw.transaction('entries', 'readwrite').objectStore('entries')
      const row = await settled<object>(table.get(['/', 'liar']))
      await settled(table.put({ ...row, size: 5e9 }, ['/', 'liar']))
      raw.close()
      await refusal(files.read('/liar'), 'vfs-too-large', 'at once')
      await refusal(files.read('/liar', { offset: 4e9, length: 10 }), 'vfs-failed', 'missing')
      await files.rm('/liar')
    }),
  ),
  contractCase('a file may have no more than it may, with what is appended', () =>
    withDatabase(async (open) => {
      const files = open({ maxFileBytes: 10 })
      await writeText(files, '/a', '12345678')
      await refusal(writeText(files, '/a', '901', { mode: 'append' }), 'vfs-too-large', '10 bytes')
      equal(await readText(files, '/a'), '12345678')
    }),
  ),
  contractCase('appends and ranges are right at the edges of chunks', () =>
    withDatabase(async (open) => {
      const files = open()
      const whole = Uint8Array.from({ length: 2 * mebibyte + 5 }, (_, index) => (index * 31) % 251)
      const edges = [0, mebibyte - 3, mebibyte, mebibyte, mebibyte + 7, 2 * mebibyte, whole.length]
      for (const [index, from] of edges.slice(0, -1).entries())
        await files.write('/a', whole.subarray(from, edges[index + 1]), { mode: 'append' })
      for (const offset of [0, mebibyte - 1, mebibyte, 2 * mebibyte - 2, whole.length - 1]) {
        const part = await files.read('/a', { offset, length: mebibyte + 2 })
        const wanted = whole.subarray(offset, offset + mebibyte + 2)
        check(part.length === wanted.length && part.every((byte, at) => byte === wanted[at]), `the range at ${offset}`)
      }
    }),
  ),
]

const owners: readonly ContractCase[] = [
  contractCase('a store says whether somebody else works on a run, until that run ends', () =>
    withDatabase(async (open) => {
      const [one, two] = [indexedDbStore({ files: open() }), indexedDbStore({ files: open() })]
      if ((await one.isHeldElsewhere('run')) === undefined) return
      const { epoch } = await one.lease('run')
      equal([await one.isHeldElsewhere('run'), await two.isHeldElsewhere('run')], [false, true])
      await one.append('run', [{ seq: 1, type: 'run-end', data: '{}' }], { expectSeq: 0, epoch })
      equal(await two.isHeldElsewhere('run'), false)
      await one.lease('run')
      await two.lease('run')
      equal([await one.isHeldElsewhere('run'), await two.isHeldElsewhere('run')], [true, false])
      await two.delete('run')
      equal(await one.isHeldElsewhere('run'), false)
    }),
  ),
  contractCase('who wrote a run before it was deleted cannot write to a new one of that name', () =>
    withDatabase(async (open) => {
      const store = indexedDbStore({ files: open() })
      const { epoch } = await store.lease('run')
      await store.delete('run')
      const record = { seq: 1, type: 'journal-open', data: '{}' }
      await refusal(store.append('run', [record], { expectSeq: 0, epoch }), 'journal-conflict')
      const next = await store.lease('run')
      await refusal(store.append('run', [record], { expectSeq: 0, epoch }), 'journal-conflict')
      await store.append('run', [record], { expectSeq: 0, epoch: next.epoch })
    }),
  ),
]

/** Cases of the adapter's own, beside its contracts. */
export const idbCases: readonly ContractCase[] = [...tabs, ...versions, ...cuts, ...claims, ...owners]
