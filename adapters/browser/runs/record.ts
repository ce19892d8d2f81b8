// The rows of runs and their records.
import { checkAppend } from '../../../src/journal/conflict.ts'
import type { Appending } from '../../../src/journal/conflict.ts'
import type { RunRecord, RunStorage } from '../../../src/tool/run-store.ts'
import { valueOf } from '../idb/database.ts'
import type { Database } from '../idb/database.ts'
import { fileTables } from '../idb/table.ts'
import type { RunRow } from '../idb/table.ts'

export interface RecordTable extends Omit<RunStorage, 'files' | 'append'> {
  /** `also` changes files in the same transaction. */
  append(run: string, what: Appending, also: (transaction: IDBTransaction) => Promise<void>): Promise<void>
}

/** So many records are read at once. */
const pageRows = 64

const looking = { tables: ['runs', 'records'], mode: 'readonly' } as const

/** What a run was told is kept must not be gone after a loss of power. */
const changing = { tables: ['runs', 'records'], mode: 'readwrite', durability: 'strict' } as const

const appending = { ...changing, tables: [...changing.tables, ...fileTables] } as const

const newRow = (run: string): RunRow => ({ run, epoch: 0, lastSeq: 0 })

const rowOf = async (transaction: IDBTransaction, run: string): Promise<RunRow> =>
  (await valueOf<RunRow | undefined>(transaction.objectStore('runs').get(run))) ?? newRow(run)

const putRow = (transaction: IDBTransaction, row: RunRow): void =>
  void transaction.objectStore('runs').put(row, row.run)

/** The records of runs, in transactions that `transact` gives. */
export function recordTable(transact: Database['transaction']): RecordTable {
  const lastSeq = async (run: string): Promise<number> =>
    (await transact(looking, (transaction) => rowOf(transaction, run))).lastSeq
  const page = (run: string, from: number, upTo: number): Promise<readonly RunRecord[]> =>
    transact(looking, (transaction) => {
      const range = IDBKeyRange.bound([run, from], [run, upTo])
      return valueOf<RunRecord[]>(transaction.objectStore('records').getAll(range, pageRows))
    })
  /** Changes the row of a run in a transaction of its own. */
  const change = (run: string, changed: (row: RunRow) => RunRow): Promise<RunRow> =>
    transact(changing, async (transaction) => {
      const row = changed(await rowOf(transaction, run))
      putRow(transaction, row)
      return row
    })
  return {
    append: (run, { records, options }, also) =>
      transact(appending, async (transaction) => {
        const row = await rowOf(transaction, run)
        checkAppend(run, row, { records, options })
        const table = transaction.objectStore('records')
        for (const { seq, type, data } of records) table.put({ seq, type, data }, [run, seq])
        putRow(transaction, { ...row, lastSeq: records.at(-1)?.seq ?? row.lastSeq })
        await also(transaction)
      }),
    async *read(run, after) {
      // What is appended meanwhile belongs to the next read.
      const upTo = await lastSeq(run)
      for (let last = after; last < upTo;) {
        const found = await page(run, last + 1, upTo)
        yield* found
        const end = found.at(-1)
        if (!end) return
        last = end.seq
      }
    },
    last: async (run) => {
      const seq = await lastSeq(run)
      return (await page(run, Math.max(1, seq), Math.max(1, seq)))[0]
    },
    lease: async (run) => {
      const { epoch, lastSeq: last } = await change(run, (row) => ({ ...row, epoch: row.epoch + 1 }))
      return { epoch, lastSeq: last }
    },
    timer: async (run, at) => void (await change(run, (row) => ({ ...row, wakeAt: at }))),
    list: async () => {
      const rows = await transact(looking, (transaction) => valueOf<RunRow[]>(transaction.objectStore('runs').getAll()))
      return rows
        .filter((row) => row.lastSeq > 0)
        .map(({ run, lastSeq: last, epoch }) => ({ run, lastSeq: last, epoch }))
    },
    delete: async (run) => {
      await transact(changing, async (transaction) => {
        const { epoch } = await rowOf(transaction, run)
        // Who still has a lease cannot write to a new run of this name.
        if (epoch > 0) putRow(transaction, { ...newRow(run), epoch: epoch + 1 })
        transaction.objectStore('records').delete(IDBKeyRange.bound([run], [run, Infinity]))
      })
    },
  }
}
