// The event log of a session: rows in SQLite that every stream reads, numbered over all runs.
import type { RunEvent } from '../../../src/message/event.ts'
import { columnText, textOfColumn } from '../files/chunk.ts'
import { keptJson } from '../files/kept-json.ts'
import type { OnError } from '../refusal.ts'
import { durability } from './durability.ts'
import type { Durability } from './durability.ts'

export interface LogRow {
  readonly seq: number
  /** The event as JSON text, on one line. */
  readonly data: string
}

/** Every change ends with `publish`. */
export interface SessionLog extends Pick<Durability, 'publish' | 'onChange'> {
  /** The number of the last row. */
  readonly last: number
  /** The number of the last row that is on disk; later ones are not shown to anybody. Throws where the disk fails. */
  readonly durable: number
  append(events: readonly RunEvent[]): void
  /** Rows on disk after `after`, in order: at least one where there is one, and then up to 256 KiB. Throws where the disk fails. */
  read(after: number): readonly LogRow[]
  /** What a run said after the row `after`. Throws `journal-invalid` where it is damaged. */
  eventsOf(run: string, after: number): readonly RunEvent[]
  /** The last thing a run said, of this type where one is given. */
  lastOf(run: string, type?: RunEvent['type']): RunEvent | undefined
}

type Row = { readonly seq: number; readonly data: string | null }

const readChars = 2 ** 18

/** Makes the table where it is missing. */
export function eventTable(sql: SqlStorage): void {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS events (seq INTEGER PRIMARY KEY, run TEXT NOT NULL, type TEXT NOT NULL, data TEXT)',
  )
}

/**
 * The log over its table. Long events are kept in chunks, as a value may have at most 2 MB. What cannot be brought to disk
 * is told to `onError`, and every reader is refused until it can.
 */
export function sessionLog(
  storage: Pick<DurableObjectStorage, 'sql' | 'sync'>,
  onError: OnError | undefined,
): SessionLog {
  const { sql } = storage
  const disk = durability(storage, () => lastSeq(sql), onError)
  return {
    // Asked anew each time: a transaction that failed took its rows back.
    get last() {
      return lastSeq(sql)
    },
    get durable() {
      return disk.row
    },
    append(events) {
      let last = lastSeq(sql)
      for (const event of events) insertEvent(sql, ++last, event)
    },
    read: (after) => readRows(sql, after, disk.row),
    eventsOf(run, after) {
      const query = 'SELECT seq, data FROM events WHERE run = ? AND seq > ? ORDER BY seq'
      const rows = sql.exec<Row>(query, run, after).toArray()
      return rows.map((row) => eventOf(sql, row))
    },
    lastOf(run, type) {
      const query =
        'SELECT seq, data FROM events WHERE run = ?1 AND (?2 IS NULL OR type = ?2) ORDER BY seq DESC LIMIT 1'
      const row = sql.exec<Row>(query, run, type ?? null).toArray()[0]
      return row && eventOf(sql, row)
    },
    publish: disk.publish,
    onChange: disk.onChange,
  }
}

const lastSeq = (sql: SqlStorage): number =>
  sql.exec<{ last: number | null }>('SELECT max(seq) AS last FROM events').one().last ?? 0

const chunksOf = (seq: number): string => `event:${seq}`

const textOf = (sql: SqlStorage, { seq, data }: Row): string => textOfColumn(sql, chunksOf(seq), data)

const eventOf = (sql: SqlStorage, row: Row): RunEvent => keptJson(textOf(sql, row), `the event ${row.seq}`) as RunEvent

function insertEvent(sql: SqlStorage, seq: number, event: RunEvent): void {
  const query = 'INSERT INTO events (seq, run, type, data) VALUES (?, ?, ?, ?)'
  sql.exec(query, seq, event.run, event.type, columnText(sql, chunksOf(seq), JSON.stringify(event)))
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
