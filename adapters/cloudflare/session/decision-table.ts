// What was decided about the calls of a session. The first decision of a call holds.
import type { Decision } from '../../../src/message/decision.ts'

export function decisionTable(sql: SqlStorage): void {
  sql.exec(
    'CREATE TABLE IF NOT EXISTS decisions (run TEXT, call_id TEXT, data TEXT NOT NULL, PRIMARY KEY (run, call_id))',
  )
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
