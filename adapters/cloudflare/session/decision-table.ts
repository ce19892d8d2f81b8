// What was decided about the calls of a session. The first decision of a call holds.
import type { Decision } from '../../../src/message/decision.ts'
import { columnText, dropChunks, textOfColumn } from '../files/chunk.ts'
import { keptJson } from '../files/kept-json.ts'

export function decisionTable(sql: SqlStorage): void {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS decisions (run TEXT, call_id TEXT, data TEXT NOT NULL, PRIMARY KEY (run, call_id))',
  )
}

/** `data` is empty where its chunks hold it. */
type Row = { readonly number: number; readonly data: string }

const chunksOf = ({ number }: Pick<Row, 'number'>): string => `decision:${number}`

/** The decision a call of this run, or else of any run, was given: the first one, for ever. */
export function keptDecision(sql: SqlStorage, callId: string, run: string | undefined): Decision | undefined {
  const [where, given] = run === undefined ? ['call_id = ?', [callId]] : ['call_id = ? AND run = ?', [callId, run]]
  const query = `SELECT rowid AS number, data FROM decisions WHERE ${where} ORDER BY rowid DESC LIMIT 1`
  const row = sql.exec<Row>(query, ...given).toArray()[0]
  return row && (keptJson(textOfColumn(sql, chunksOf(row), row.data || null), 'the decision of the call') as Decision)
}

/** Writes it down, in the place of what was written for its call. In JSON it may be longer than what the client sent. */
export function keepDecision(sql: SqlStorage, run: string, decision: Decision): void {
  const insert = `INSERT INTO decisions (run, call_id, data) VALUES (?, ?, '')
    ON CONFLICT DO UPDATE SET data = '' RETURNING rowid AS number`
  const row = sql.exec<Pick<Row, 'number'>>(insert, run, decision.callId).one()
  const text = columnText(sql, chunksOf(row), JSON.stringify(decision)) ?? ''
  sql.exec('UPDATE decisions SET data = ? WHERE rowid = ?', text, row.number)
}

export function dropDecision(sql: SqlStorage, run: string, callId: string): void {
  const query = 'DELETE FROM decisions WHERE run = ? AND call_id = ? RETURNING rowid AS number'
  for (const row of sql.exec<Pick<Row, 'number'>>(query, run, callId).toArray()) dropChunks(sql, chunksOf(row))
}
