// The rows of a session beside its events: runs, decisions, and facts with a key.
import { SameloopError } from '../../../src/error/error.ts'
import type { ApprovalRequest, Decision } from '../../../src/message/decision.ts'
import type { RunStatus, Stop } from '../../../src/message/event.ts'
import type { Message } from '../../../src/message/part.ts'
import type { Snapshot } from '../../../src/run/snapshot.ts'
import { chunkTable, dropChunks, readText, writeText } from '../files/chunk.ts'
import { eventTable } from './log.ts'

const schemaVersion = '1'

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

/** Makes the tables. Throws `journal-version` for those of a newer program. */
export function sessionTables(sql: SqlStorage): void {
  sql.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)')
  const version = readMeta(sql, 'schema_version')
  if (version !== undefined && version !== schemaVersion) {
    const message = `Cannot open the session: wanted tables of version ${schemaVersion}, got version ${version}`
    throw new SameloopError('journal-version', message)
  }
  writeMeta(sql, 'schema_version', schemaVersion)
  eventTable(sql)
  chunkTable(sql)
  sql.exec(`CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, status TEXT NOT NULL, stop TEXT, model TEXT,
    after INTEGER NOT NULL, base INTEGER NOT NULL, stopping INTEGER NOT NULL DEFAULT 0,
    idempotency_key TEXT UNIQUE, body_hash TEXT)`)
  sql.exec(
    'CREATE TABLE IF NOT EXISTS decisions (run TEXT, call_id TEXT, data TEXT NOT NULL, PRIMARY KEY (run, call_id))',
  )
}

export const readMeta = (sql: SqlStorage, key: string): string | undefined =>
  sql.exec<{ value: string }>('SELECT value FROM meta WHERE key = ?', key).toArray()[0]?.value

export function writeMeta(sql: SqlStorage, key: string, value: string): void {
  sql.exec('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', key, value)
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

/** The decision a call of this run, or else of any run, was given: the first one, for ever. */
export function keptDecision(sql: SqlStorage, callId: string, run: string | undefined): Decision | undefined {
  const [where, given] = run === undefined ? ['call_id = ?', [callId]] : ['call_id = ? AND run = ?', [callId, run]]
  const query = `SELECT data FROM decisions WHERE ${where} ORDER BY rowid DESC LIMIT 1`
  const text = sql.exec<{ data: string }>(query, ...given).toArray()[0]?.data
  return text === undefined ? undefined : (JSON.parse(text) as Decision)
}

export function keepDecision(sql: SqlStorage, run: string, decision: Decision): void {
  const query = 'INSERT INTO decisions (run, call_id, data) VALUES (?, ?, ?)'
  sql.exec(query, run, decision.callId, JSON.stringify(decision))
}

export function dropDecision(sql: SqlStorage, run: string, callId: string): void {
  sql.exec('DELETE FROM decisions WHERE run = ? AND call_id = ?', run, callId)
}

/** Long texts of the session, by what they are. */
interface Kept {
  readonly messages: readonly Message[]
  readonly pending: readonly ApprovalRequest[]
  readonly snapshot: Snapshot
}

export function keep<Key extends keyof Kept>(sql: SqlStorage, key: Key, value: Kept[Key] | undefined): void {
  if (value === undefined) dropChunks(sql, key)
  else writeText(sql, key, JSON.stringify(value))
}

export function kept<Key extends keyof Kept>(sql: SqlStorage, key: Key): Kept[Key] | undefined {
  const text = readText(sql, key)
  return text === undefined ? undefined : (JSON.parse(text) as Kept[Key])
}
