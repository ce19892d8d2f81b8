// Closes a run that nobody runs and nobody goes on with: it was stopped while it waited, or its log cannot be used.
import type { ErrorCode } from '../../../src/error/codes.ts'
import type { Host } from '../../../src/host/host.ts'
import { lostHistory } from '../../../src/journal/lost-history.ts'
import type { EventBody, RunEvent } from '../../../src/message/event.ts'
import type { ToolResultPart } from '../../../src/message/part.ts'
import type { OnError } from '../refusal.ts'
import { keep, kept } from '../session/kept.ts'
import type { SessionLog } from '../event-log/log.ts'
import type { RunStore } from '../../../src/tool/run-store.ts'
import { setStatus } from '../session/run-table.ts'
import type { RunRow } from '../session/run-table.ts'
import type { SqlBase } from '../files/vfs.ts'

export interface LogOwner {
  readonly storage: SqlBase
  readonly log: SessionLog
  readonly store: Pick<RunStore, 'delete'>
  readonly host: Pick<Host, 'now'>
  readonly onError: OnError | undefined
}

/**
 * Ends the run of `row` in one transaction: every open call gets its result (`unknown-outcome` where it had started), the
 * log its last events, and the messages up to the last finished step are kept for the next run. A run that was to be
 * stopped ends `aborted`, any other `failed`. Where that much cannot be read or written any more, only the status is set:
 * nothing may keep the session closed for ever.
 */
export function closeLost(owner: LogOwner, row: RunRow): void {
  const { storage, log, store, onError } = owner
  const status = row.stopping === 1 ? 'aborted' : 'failed'
  try {
    storage.transactionSync(() => writeEnd(owner, row, status))
  } catch (thrown) {
    onError?.(thrown)
    storage.transactionSync(() => settle(owner, row, status))
  }
  void store.delete(row.id).catch((thrown: unknown) => onError?.(thrown))
  log.publish()
}

function writeEnd(owner: LogOwner, row: RunRow, status: 'aborted' | 'failed'): void {
  const { storage, log, host } = owner
  const { sql } = storage
  const why = status === 'aborted' ? 'The run was stopped' : 'The run was interrupted'
  const { messages, lost } = lostHistory(kept(sql, 'messages') ?? [], log.eventsOf(row.id, row.base), why)
  let seq = log.lastOf(row.id)?.seq ?? 0
  const started = log.lastOf(row.id, 'step-start')
  const step = started?.type === 'step-start' ? started.step : 0
  const bodies: readonly EventBody[] = [
    ...lost.map((result) => endOf(result, step)),
    ...(status === 'aborted' ? [] : [interruption(lost)]),
    { type: 'run-end', status, stop: status },
  ]
  log.append(bodies.map((body): RunEvent => ({ ...body, seq: ++seq, at: host.now(), run: row.id })))
  keep(sql, 'messages', messages)
  settle(owner, row, status)
}

/** Nothing of the run is open any more. */
function settle({ storage, log }: LogOwner, row: RunRow, status: 'aborted' | 'failed'): void {
  const { sql } = storage
  setStatus(sql, row.id, { status, stop: status, base: log.last })
  keep(sql, 'pending', undefined)
}

function endOf({ callId, name, reason = 'aborted', content: parts }: ToolResultPart, step: number): EventBody {
  return { type: 'tool-end', step, callId, name, outcome: { ok: false, reason, parts }, durationMs: 0 }
}

function interruption(lost: readonly ToolResultPart[]): EventBody {
  const unknown = lost.filter(({ reason }) => reason === 'unknown-outcome').map(({ callId }) => callId)
  const more = unknown.length === 0 ? '' : `; ${unknown.length} tool calls may or may not have had their effect`
  const message = `The run was interrupted: its process ended. Finished steps are kept, a new message goes on from them${more}`
  return { type: 'error', code: 'run-interrupted' satisfies ErrorCode, message, data: { unknownOutcome: unknown } }
}
