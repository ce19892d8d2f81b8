// Reading a run's log: checked for its version and for gaps before anything of it is used.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { parseJson } from '../json/text.ts'
import { isObject } from '../json/value.ts'
import type { RunRecord, RunStorage } from '../tool/run-store.ts'

/** Of what is written in a log. A newer one is refused. */
export const logVersion = 1

/** A record with its data read. */
export interface LogRecord {
  readonly seq: number
  readonly type: string
  readonly data: { readonly [key: string]: unknown }
}

/** The run's own `seq` when the record was made. */
export const recordSeq = (record: RunRecord): number => Number(readRecord(record).data['seq'])

function readRecord({ seq, type, data }: RunRecord): LogRecord {
  const parsed = typeof data === 'string' ? parseJson(data) : undefined
  if (parsed?.ok && isObject(parsed.value)) return { seq, type, data: parsed.value }
  throw new SameloopError('journal-invalid', `Record ${seq} of the log is no JSON object`)
}

/**
 * The whole log of a run. Rejects with `journal-unknown-run` where there is none, `journal-invalid` for one with a gap or
 * without its beginning, and `journal-version` for one that a newer version wrote.
 */
export async function readLog(storage: Pick<RunStorage, 'read'>, run: string): Promise<readonly LogRecord[]> {
  const records: RunRecord[] = []
  for await (const record of storage.read(run, 0)) records.push(record)
  if (!records.length)
    throw new SameloopError('journal-unknown-run', `There is no log of run "${run}"`, { data: { run } })
  return checkedLog(records)
}

/** Records of any origin as a log; throws as `readLog` rejects. */
export function checkedLog(records: readonly RunRecord[]): readonly LogRecord[] {
  const log = records.map(readRecord)
  for (const [index, { seq, type, data }] of log.entries()) {
    if (seq !== index + 1) throw invalid(`wanted record ${index + 1}, got ${seq}`)
    if (index === 0 && type !== 'journal-open') throw invalid(`wanted its beginning, got "${type}"`)
    // A run within has the version of the whole.
    if (type !== 'journal-open' || data['path'] !== undefined) continue
    const { version, seq: at } = data
    if (typeof version !== 'number' || typeof at !== 'number') throw invalid('its beginning says no version')
    if (version > logVersion) {
      throw new SameloopError('journal-version', `Cannot read the log: wanted version ${logVersion}, got ${version}`)
    }
  }
  return log
}

/** A log may come from anywhere: a field that is not what it should be is found where it is used. */
export const unreadable = (thrown: unknown): SameloopError =>
  isSameloopError(thrown)
    ? thrown
    : new SameloopError('journal-invalid', 'Cannot read the log: a record lacks a field of its type', { cause: thrown })

const invalid = (why: string): SameloopError => new SameloopError('journal-invalid', `Cannot read the log: ${why}`)
