// The run store in the SQLite database of a Durable Object.
import { SameloopError } from '../../src/error/error.ts'
import { checkAppend } from '../../src/journal/conflict.ts'
import type { Appending } from '../../src/journal/conflict.ts'
import { runStore } from '../../src/journal/run-store.ts'
import type { RunStore, RunSummary } from '../../src/tool/run-store.ts'
import { chunkTable, columnText, textOfColumn } from './files/chunk.ts'
import { checkVersion } from './files/meta.ts'
import { changerOf } from './files/vfs.ts'
import type { SqlBase } from './files/vfs.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'

export interface SqliteStoreOptions {
  /**
   * `sqliteFiles()` over the same storage, which change in one transaction with the log: what a tool with the effect
   * `local` does to them happens exactly once. Throws `config-invalid` for others.
   */
  readonly files?: Vfs | undefined
}

/**
 * A persistent run store in tables `store_runs` and `store_records`, long records in `blob_chunks`. An append is one
 * transaction. Wake-up times are kept for whoever rings the object's one alarm. Throws `journal-version` for tables of a
 * newer program.
 */
export function sqliteStore(storage: SqlBase, { files }: SqliteStoreOptions = {}): RunStore {
  const change = files && changerOf(files, storage)
  const { sql } = storage
  storeTables(sql)
  return runStore({
    files,
    append: async (run, records, options) =>
      storage.transactionSync(() => {
        append(sql, run, { records, options })
        if (options.files) change?.(options.files)
      }),
    async *read(run, after) {
      // One row at a time: what is read may be large. What is appended meanwhile belongs to the next read.
      const query = `SELECT seq, type, data FROM store_records
        WHERE run = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT 1`
      const upTo = lastSeq(sql, run)
      for (let last = after; ;) {
        const row = sql.exec<Row>(query, run, last, upTo).toArray()[0]
        if (row === undefined) return
        last = row.seq
        const text = textOfColumn(sql, chunksOf(run, row.seq), row.data)
        yield { seq: row.seq, type: row.type, data: text }
      }
    },
    last: async (run) => {
      const [row] = sql.exec<Row>(
        'SELECT seq, type, data FROM store_records WHERE run = ? ORDER BY seq DESC LIMIT 1',
        run,
      )
      return row && { seq: row.seq, type: row.type, data: textOfColumn(sql, chunksOf(run, row.seq), row.data) }
    },
    lease: async (run) => {
      const query = `INSERT INTO store_runs (run, epoch) VALUES (?, 1)
        ON CONFLICT DO UPDATE SET epoch = epoch + 1 RETURNING epoch`
      return { epoch: sql.exec<{ epoch: number }>(query, run).one().epoch, lastSeq: lastSeq(sql, run) }
    },
    timer: async (run, at) => {
      const query = `INSERT INTO store_runs (run, epoch, wake_at) VALUES (?, 0, ?)
        ON CONFLICT DO UPDATE SET wake_at = excluded.wake_at`
      sql.exec(query, run, at ?? null)
    },
    list: async () =>
      sql
        .exec<Summary>(
          `SELECT run, max(seq) AS lastSeq, epoch FROM store_records JOIN store_runs USING (run)
          GROUP BY run ORDER BY store_runs.rowid`,
        )
        .toArray(),
    delete: async (run) => {
      storage.transactionSync(() => {
        const owners = "SELECT 'record:' || seq || ':' || run FROM store_records WHERE run = ? AND data IS NULL"
        sql.exec(`DELETE FROM blob_chunks WHERE owner IN (${owners})`, run)
        sql.exec('DELETE FROM store_records WHERE run = ?', run)
        // Who wrote it cannot write to a new one of its name.
        sql.exec('UPDATE store_runs SET epoch = epoch + 1, wake_at = NULL WHERE run = ?', run)
      })
    },
  })
}

function storeTables(sql: SqlStorage): void {
  checkVersion(
    sql,
    'store_version',
    (words) => new SameloopError('journal-version', `Cannot open the run store: ${words}`),
  )
  chunkTable(sql)
  sql.exec('CREATE TABLE IF NOT EXISTS store_runs (run TEXT PRIMARY KEY, epoch INTEGER NOT NULL, wake_at INTEGER)')
  sql.exec(`CREATE TABLE IF NOT EXISTS store_records (
    run TEXT, seq INTEGER, type TEXT NOT NULL, data TEXT, PRIMARY KEY (run, seq))`)
}

type Row = { readonly seq: number; readonly type: string; readonly data: string | null }
type Summary = RunSummary & Record<string, SqlStorageValue>

const chunksOf = (run: string, seq: number): string => `record:${seq}:${run}`

function lastSeq(sql: SqlStorage, run: string): number {
  const query = 'SELECT max(seq) AS last FROM store_records WHERE run = ?'
  return sql.exec<{ last: number | null }>(query, run).one().last ?? 0
}

function append(sql: SqlStorage, run: string, { records, options }: Appending): void {
  sql.exec('INSERT INTO store_runs (run, epoch) VALUES (?, 0) ON CONFLICT DO NOTHING', run)
  const { epoch } = sql.exec<{ epoch: number }>('SELECT epoch FROM store_runs WHERE run = ?', run).one()
  checkAppend(run, { epoch, lastSeq: lastSeq(sql, run) }, { records, options })
  for (const { seq, type, data } of records) {
    const text = columnText(sql, chunksOf(run, seq), data)
    sql.exec('INSERT INTO store_records (run, seq, type, data) VALUES (?, ?, ?, ?)', run, seq, type, text)
  }
}
