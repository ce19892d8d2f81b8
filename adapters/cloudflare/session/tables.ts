// The tables of a session, made where they are missing, and the few short facts beside them.
import { SameloopError } from '../../../src/error/error.ts'
import { chunkTable } from '../files/chunk.ts'
import { decisionTable } from './decision-table.ts'
import { eventTable } from '../event-log/log.ts'
import { runTable } from './run-table.ts'

const schemaVersion = '1'

/** Makes the tables. Throws `journal-version` for those of a newer program. */
export function sessionTables(sql: SqlStorage): void {
  sql.exec('CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)')
  const version = readMeta(sql, 'schema_version')
  if (version !== undefined && version !== schemaVersion) {
    const message = `Cannot open the session: wanted tables of version ${schemaVersion}, got version ${version}`
    throw new SameloopError('journal-version', message)
  }
  writeMeta(sql, 'schema_version', schemaVersion)
  for (const make of [eventTable, chunkTable, runTable, decisionTable]) make(sql)
}

export const readMeta = (sql: SqlStorage, key: string): string | undefined =>
  sql.exec<{ value: string }>('SELECT value FROM meta WHERE key = ?', key).toArray()[0]?.value

export function writeMeta(sql: SqlStorage, key: string, value: string): void {
  sql.exec('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', key, value)
}
