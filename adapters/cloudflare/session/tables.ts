// The tables of a session, made where they are missing.
import { SameloopError } from '../../../src/error/error.ts'
import { chunkTable } from '../files/chunk.ts'
import { checkVersion } from '../files/meta.ts'
import { decisionTable } from './decision-table.ts'
import { eventTable } from '../event-log/log.ts'
import { runTable } from './run-table.ts'

/** Makes the tables. Throws `journal-version` for those of a newer program. */
export function sessionTables(sql: SqlStorage): void {
  checkVersion(
    sql,
    'schema_version',
    (words) => new SameloopError('journal-version', `Cannot open the session: ${words}`),
  )
  for (const make of [eventTable, chunkTable, runTable, decisionTable]) make(sql)
}
