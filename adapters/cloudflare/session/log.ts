// The event log of a session: rows in SQLite that every stream reads, numbered over all runs.
import type { RunEvent } from '../../../src/message/event.ts'
import { readText, writeText } from '../files/chunk.ts'

export interface LogRow {
  readonly seq: number
  /** The event as JSON text, on one line. */
  readonly data: string
}

export interface SessionLog {
  /** The number of the last row. */
  readonly last: number
  /** The number of the last row that is on disk; later ones are not shown to anybody. */
  readonly durable: number
  append(events: readonly RunEvent[]): void
  /** Rows on disk after `after`, in order: at least one where there is one, and then up to 256 KiB. */
  read(after: number): readonly LogRow[]
  /** What a run said after the row `after`. */
  eventsOf(run: string, after: number): readonly RunEvent[]
  /** The last thing a run said, of this type where one is given. */
  lastOf(run: string, type?: RunEvent['type']): RunEvent | undefined
  /** Tells the readers once all that was written so far is on disk; every change ends with it. */
  publish(): void
  /** Calls back once, at the next change; the returned function forgets it. */
  onChange(listener: () => void): () => void
}

type Row = { readonly seq: number; readonly data: string | null }

const longChars = 2 ** 18
const readChars = 2 ** 18

/** Makes the table where it is missing. */
export function eventTable(sql: SqlStorage): void {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, run TEXT NOT NULL, type TEXT NOT NULL, data TEXT)',
  )
}

/** The log over its table. Long events are kept in chunks, as a value may have at most 2 MB. */
export function sessionLog(storage: Pick<DurableObjectStorage, 'sql' | 'sync'>): SessionLog {
  const { sql } = storage
  const listeners = new Set<() => void>()
  let last = sql.exec<{ last: number | null }>('SELECT max(seq) AS last FROM events').one().last ?? 0
  let durable = last
  let syncing = false
  let changed = false

  const flush = async (): Promise<void> => {
    syncing = true
    while (changed) {
      changed = false
      const upTo = last
      await storage.sync()
      durable = upTo
      const told = [...listeners]
      listeners.clear()
      for (const listener of told) listener()
    }
    syncing = false
  }

  return {
    get last() {
      return last
    },
    get durable() {
      return durable
    },
    append(events) {
      for (const event of events) insertEvent(sql, ++last, event)
    },
    read: (after) => readRows(sql, after, durable),
    eventsOf(run, after) {
      const query = 'SELECT seq, data FROM events WHERE run = ? AND seq > ? ORDER BY seq'
      const rows = sql.exec<Row>(query, run, after).toArray()
      return rows.map((row) => JSON.parse(textOf(sql, row)) as RunEvent)
    },
    lastOf(run, type) {
      const query =
        'SELECT seq, data FROM events WHERE run = ?1 AND (?2 IS NULL OR type = ?2) ORDER BY seq DESC LIMIT 1'
      const row = sql.exec<Row>(query, run, type ?? null).toArray()[0]
      return row && (JSON.parse(textOf(sql, row)) as RunEvent)
    },
    publish() {
      changed = true
      if (!syncing) flush().catch(() => (syncing = false))
    },
    onChange(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

const chunksOf = (seq: number): string => `event:${seq}`

const textOf = (sql: SqlStorage, { seq, data }: Row): string => data ?? readText(sql, chunksOf(seq)) ?? '{}'

function insertEvent(sql: SqlStorage, seq: number, event: RunEvent): void {
  const text = JSON.stringify(event)
  const isLong = text.length > longChars
  const query = 'INSERT INTO events (seq, run, type, data) VALUES (?, ?, ?, ?)'
  sql.exec(query, seq, event.run, event.type, isLong ? null : text)
  if (isLong) writeText(sql, chunksOf(seq), text)
}

function readRows(sql: SqlStorage, after: number, upTo: number): readonly LogRow[] {
  const rows: LogRow[] = []
  let chars = 0
  const query = 'SELECT seq, data FROM events WHERE seq > ? AND seq <= ? ORDER BY seq'
  for (const row of sql.exec<Row>(query, after, upTo)) {
    const data = textOf(sql, row)
    rows.push({ seq: row.seq, data })
    if ((chars += data.length) > readChars) break
  }
  return rows
}
