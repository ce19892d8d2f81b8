// Where a session stands, for a client that comes or comes back.
import { requestOf } from '../../../src/message/decision.ts'
import type { ApprovalRequest } from '../../../src/message/decision.ts'
import type { RunEvent } from '../../../src/message/event.ts'
import type { Message } from '../../../src/message/part.ts'
import type { Conversation } from './conversation.ts'
import { kept } from './kept.ts'
import { latestRun } from './run-table.ts'
import type { RunRow } from './run-table.ts'

export interface SessionState {
  readonly session: string
  readonly status: 'running' | 'suspended' | 'idle'
  readonly run: { readonly id: string; readonly status: RunRow['status']; readonly stop: RunRow['stop'] } | null
  /** The conversation as of event `seq`; events after it tell the rest. */
  readonly messages: readonly Message[]
  readonly pending: readonly ApprovalRequest[]
  readonly seq: number
}

/** Where the conversation stands. */
export function stateOf(conversation: Conversation): SessionState {
  const { storage, log, session } = conversation
  const { sql } = storage
  const row = latestRun(sql)
  const isRunning = row?.status === 'running'
  const waiting = row?.status === 'suspended' ? 'suspended' : 'idle'
  return {
    session,
    status: isRunning ? 'running' : waiting,
    run: row === undefined ? null : { id: row.id, status: row.status, stop: row.stop },
    messages: kept(sql, 'messages') ?? [],
    pending: isRunning ? openRequests(log.eventsOf(row.id, row.base)) : (kept(sql, 'pending') ?? []),
    seq: isRunning ? row.base : log.last,
  }
}

function openRequests(events: readonly RunEvent[]): readonly ApprovalRequest[] {
  const open = new Map<string, ApprovalRequest>()
  for (const event of events) {
    if (event.type === 'approval-request') open.set(event.callId, requestOf(event))
    else if (event.type === 'approval-response' || event.type === 'tool-end') open.delete(event.callId)
  }
  return [...open.values()]
}
