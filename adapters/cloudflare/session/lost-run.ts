// Closes a run that nobody runs: its process ended, or it was stopped while it waited for a person.
import type { Host } from '../../../src/host/host.ts'
import type { EventBody, RunEvent } from '../../../src/message/event.ts'
import type { ToolResultPart } from '../../../src/message/part.ts'
import { lostHistory } from './history.ts'
import type { SessionLog } from './log.ts'
import { keep, kept, latestRun, setStatus } from './run-table.ts'
import type { RunRow } from './run-table.ts'
import type { SqlBase } from '../files/vfs.ts'

export interface LogOwner {
  readonly storage: SqlBase
  readonly log: SessionLog
  readonly host: Pick<Host, 'now'>
}

/** After a crash: the run that still says "running" is not, as only this object runs it, and it has just begun. */
export function closeInterrupted(owner: LogOwner): void {
  const row = latestRun(owner.storage.sql)
  if (row?.status !== 'running') return
  try {
    closeLost(owner, row)
  } catch {
    // Whatever cannot be read any more must not keep the session closed for ever.
    setStatus(owner.storage.sql, row.id, { status: 'failed', stop: 'failed', base: owner.log.last })
  }
}

/**
 * Ends the run of `row` in one transaction: every open call gets its result (`unknown-outcome` where it had started), the
 * log its last events, and the messages up to the last finished step are kept for the next run. A run that was to be
 * stopped ends `aborted`, any other `failed`.
 */
export function closeLost({ storage, log, host }: LogOwner, row: RunRow): void {
  const { sql } = storage
  const events = log.eventsOf(row.id, row.base)
  const isStopped = row.stopping === 1
  const why = isStopped ? 'The run was stopped' : 'The run was interrupted'
  const { messages, lost } = lostHistory(kept(sql, 'messages') ?? [], events, why)
  let seq = log.lastOf(row.id)?.seq ?? 0
  const started = log.lastOf(row.id, 'step-start')
  const step = started?.type === 'step-start' ? started.step : 0
  const status = isStopped ? 'aborted' : 'failed'
  const bodies: readonly EventBody[] = [
    ...lost.map((result) => endOf(result, step)),
    ...(isStopped ? [] : [interruption(lost)]),
    { type: 'run-end', status, stop: status },
  ]
  storage.transactionSync(() => {
    log.append(bodies.map((body): RunEvent => ({ ...body, seq: ++seq, at: host.now(), run: row.id })))
    setStatus(sql, row.id, { status, stop: status, base: log.last })
    keep(sql, 'messages', messages)
    keep(sql, 'pending', undefined)
    keep(sql, 'snapshot', undefined)
  })
  log.publish()
}

function endOf({ callId, name, reason = 'aborted', content: parts }: ToolResultPart, step: number): EventBody {
  return { type: 'tool-end', step, callId, name, outcome: { ok: false, reason, parts }, durationMs: 0 }
}

function interruption(lost: readonly ToolResultPart[]): EventBody {
  const unknown = lost.filter(({ reason }) => reason === 'unknown-outcome').map(({ callId }) => callId)
  const more = unknown.length === 0 ? '' : `; ${unknown.length} tool calls may or may not have had their effect`
  const message = `The run was interrupted: its process ended. Finished steps are kept, a new message goes on from them${more}`
  return { type: 'error', code: 'run-internal', message, data: { interrupted: true, unknownOutcome: unknown } }
}
