// Going on, in a new process, with the run that the last one left behind.
import { isSameloopError } from '../../../src/error/error.ts'
import { readLog } from '../../../src/journal/log.ts'
import type { LogRecord } from '../../../src/journal/log.ts'
import type { RunEvent } from '../../../src/message/event.ts'
import type { Message } from '../../../src/message/part.ts'
import { rebuild } from '../../../src/recovery/rebuild.ts'
import type { Rebuilt } from '../../../src/recovery/rebuild.ts'
import { recover } from '../../../src/recovery/recover.ts'
import type { Run } from '../../../src/run/run.ts'
import { missingEvents } from '../event-log/catch-up.ts'
import type { Conversation } from '../session/conversation.ts'
import { keptDecision } from '../session/decision-table.ts'
import { kept } from '../session/kept.ts'
import { finish, follow } from './live-run.ts'
import { closeLost } from './lost-run.ts'
import { runLog } from './run-log.ts'
import { latestRun } from '../session/run-table.ts'
import type { RunRow } from '../session/run-table.ts'

/**
 * For the start of an object: a run that says "running" is not, as only this object runs it. It goes on from its log;
 * one that was to be stopped, or cannot go on, is closed. Rejects where not even that can be written down.
 */
export async function revive(conversation: Conversation): Promise<void> {
  const row = latestRun(conversation.storage.sql)
  if (row?.status !== 'running' || conversation.live !== undefined) return
  if (row.stopping === 1) return closeLost(conversation, row)
  try {
    await goOn(conversation, row)
  } catch (thrown) {
    conversation.onError?.(thrown)
    closeLost(conversation, row)
  }
  conversation.log.publish()
}

async function goOn(conversation: Conversation, row: RunRow): Promise<void> {
  const records = await logOf(conversation, row)
  if (records === undefined) return begin(conversation, row)
  const rebuilt = rebuild(records)
  const { log } = conversation
  const known = log.eventsOf(row.id, row.base)
  const missing = missingEvents(records, known, log.lastOf(row.id)?.seq ?? 0)
  const decisions = rebuilt.status === 'suspended' ? decided(conversation, rebuilt) : []
  // The session heard of everything but the end.
  if (rebuilt.status !== 'running' && decisions.length === 0) return end(conversation, rebuilt, missing)
  log.append(missing)
  await resumeRun(conversation, row, { decisions, isRevived: true })
}

/** `undefined` where the run had not begun. Who said something had: without its log nobody knows what it did. */
async function logOf({ store, log }: Conversation, row: RunRow): Promise<readonly LogRecord[] | undefined> {
  try {
    return await readLog(store, row.id)
  } catch (thrown) {
    if (isSameloopError(thrown, 'journal-unknown-run') && log.lastOf(row.id) === undefined) return undefined
    throw thrown
  }
}

function begin(conversation: Conversation, row: RunRow): void {
  const { storage, session, store } = conversation
  const { sql } = storage
  const journaled = runLog(store)
  const run = conversation.agentOf(row.model ?? undefined).run([...(kept(sql, 'messages') ?? [])], {
    id: row.id,
    session,
    grants: kept(sql, 'grants'),
    detached: true,
    store: journaled.store,
  })
  follow(conversation, { run, runLog: journaled })
}

const decided = ({ storage: { sql } }: Conversation, { snapshot }: Rebuilt) =>
  snapshot.pending.flatMap(({ callId }) => keptDecision(sql, callId, snapshot.run) ?? [])

function end(conversation: Conversation, { snapshot, status }: Rebuilt, missing: readonly RunEvent[]): void {
  if (status === 'running') return
  const { stop, pending } = snapshot
  const { messages } = snapshot.body as unknown as { readonly messages: readonly Message[] }
  finish(conversation, { run: snapshot.run, end: missing, result: { messages, pending, status, stop, snapshot } })
  if (status !== 'suspended') void conversation.store.delete(snapshot.run)
}

export interface ResumeRun {
  readonly decisions: readonly NonNullable<ReturnType<typeof keptDecision>>[]
  readonly isRevived?: boolean
}

/** Goes on from the run's log. Rejects like `recover`, before anything has run. */
export async function resumeRun(
  conversation: Conversation,
  row: RunRow,
  { decisions, isRevived = false }: ResumeRun,
): Promise<void> {
  const { session, store } = conversation
  const journaled = runLog(store)
  const run = await recover<Run>(conversation.agentOf(row.model ?? undefined), {
    run: row.id,
    store: journaled.store,
    decisions,
    session,
    detached: true,
  })
  follow(conversation, { run, runLog: journaled, isRevived })
}
