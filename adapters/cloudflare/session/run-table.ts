// The runs of a session: one row each, the last one is the current.
import type { RunStatus, Stop } from '../../../src/message/event.ts'

export type RunRow = {
  readonly id: string
  readonly status: RunStatus | 'running'
  readonly stop: Stop | null
  readonly model: string | null
  /** The last event row before the run. */
  readonly after: number
  /** The last event row that the kept messages know of. */
  readonly base: number
  /** 1 once a client asked to stop it. */
  readonly stopping: number
  readonly idempotency_key: string | null
  readonly body_hash: string | null
}

export function runTable(sql: SqlStorage): void {
  sql.exec(`CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, stop TEXT, model TEXT,
    after INTEGER NOT NULL, base INTEGER NOT NULL, stopping INTEGER NOT NULL DEFAULT 0,
    idempotency_key TEXT UNIQUE, body_hash TEXT)`)
}

export function insertRun(sql: SqlStorage, run: Omit<RunRow, 'status' | 'stop' | 'base' | 'stopping'>): void {
  const query = `INSERT INTO runs (id, status, model, after, base, idempotency_key, body_hash)
    VALUES (?, 'running', ?, ?, ?, ?, ?)`
  sql.exec(query, run.id, run.model, run.after, run.after, run.idempotency_key, run.body_hash)
}

export const latestRun = (sql: SqlStorage): RunRow | undefined =>
  sql.exec<RunRow>('SELECT * FROM runs ORDER BY number DESC LIMIT 1').toArray()[0]

export const runOfKey = (sql: SqlStorage, key: string): RunRow | undefined =>
  sql.exec<RunRow>('SELECT * FROM runs WHERE idempotency_key = ?', key).toArray()[0]

/** `base` is the row up to which the kept messages are complete. */
export function setStatus(
  sql: SqlStorage,
  run: string,
  { status, stop, base }: Pick<RunRow, 'status' | 'stop' | 'base'>,
): void {
  sql.exec('UPDATE runs SET status = ?, stop = ?, base = ? WHERE id = ?', status, stop, base, run)
}

export function markStopping(sql: SqlStorage, run: string): void {
  sql.exec('UPDATE runs SET stopping = 1 WHERE id = ?', run)
}
