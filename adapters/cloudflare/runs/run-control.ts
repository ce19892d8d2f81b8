// What clients ask of a session's runs: start one, decide about its calls, stop it.
import { isSameloopError } from '../../../src/error/error.ts'
import type { Decision } from '../../../src/message/decision.ts'
import { inputMessages } from '../../../src/message/input.ts'
import type { RunInput } from '../../../src/message/input.ts'
import type { Run } from '../../../src/run/run.ts'
import { excerpt } from '../../../src/json/text.ts'
import type { Refusal } from '../refusal.ts'
import { activeRun } from '../session/conversation.ts'
import type { Conversation } from '../session/conversation.ts'
import { dropDecision, keepDecision, keptDecision } from '../session/decision-table.ts'
import { keep, kept } from '../session/kept.ts'
import { follow } from './live-run.ts'
import { closeLost } from './lost-run.ts'
import { resumeRun } from './revive.ts'
import { runLog } from './run-log.ts'
import { insertRun, latestRun, markStopping, runOfKey, setStatus } from '../session/run-table.ts'
import type { RunRow } from '../session/run-table.ts'

/** What starts a run, checked. */
export interface StartRequest {
  readonly input: RunInput
  readonly model: string | undefined
  readonly key: string | undefined
  /** SHA-256 of the body. */
  readonly bodyHash: string
}

export interface Started {
  readonly run: string
  /** The last event before the run: stream from here. */
  readonly after: number
}

const maxMessageChars = 8 * 2 ** 20

/** Starts a run, or gives the one that the same idempotency key started before. Throws `run-invalid-input`. */
export async function startRun(conversation: Conversation, request: StartRequest): Promise<Started | Refusal> {
  const { storage, log, session } = conversation
  const { sql } = storage
  const known = request.key === undefined ? undefined : runOfKey(sql, request.key)
  if (known !== undefined) {
    if (known.body_hash === request.bodyHash) return { run: known.id, after: known.after }
    return { status: 409, code: 'idempotency-conflict', message: 'This Idempotency-Key was used with another body' }
  }
  const busy = activeRun(conversation)
  if (busy !== undefined) {
    const wait = busy.status === 'suspended' ? 'waits for a decision' : 'is going on'
    return { status: 409, code: 'run-active', message: `Run "${busy.id}" ${wait}: decide or stop it first` }
  }
  const messages = [...(kept(sql, 'messages') ?? []), ...inputMessages(request.input)]
  if (JSON.stringify(messages).length > maxMessageChars) {
    return { status: 413, code: 'session-full', message: 'The conversation is too long: start a new session' }
  }
  const journaled = runLog(conversation.store)
  const run = conversation.agentOf(request.model).run(messages, {
    session,
    grants: kept(sql, 'grants'),
    detached: true,
    store: journaled.store,
  })
  const row = {
    id: run.id,
    model: request.model ?? null,
    after: log.last,
    idempotency_key: request.key ?? null,
    body_hash: request.bodyHash,
  }
  try {
    storage.transactionSync(() => {
      insertRun(sql, row)
      keep(sql, 'messages', messages)
    })
  } catch (thrown) {
    run.abort()
    throw thrown
  }
  follow(conversation, { run, runLog: journaled })
  return { run: run.id, after: row.after }
}

/** Settles an open request, of a live run or of a suspended one. The first decision wins; the same comes back after. */
export async function decideCall(conversation: Conversation, decision: Decision): Promise<Decision | Refusal> {
  const { sql } = conversation.storage
  const { callId } = decision
  const row = latestRun(sql)
  const settled = row && keptDecision(sql, callId, row.id)
  if (settled !== undefined) return settled
  try {
    const given = await settle(conversation, decision)
    if (given !== undefined) return given
  } catch (thrown) {
    if (!isSameloopError(thrown, 'run-unknown-call')) throw thrown
  }
  const earlier = keptDecision(sql, callId, undefined)
  if (earlier !== undefined) return earlier
  const message = `Nothing was asked about a call ${excerpt(callId)}`
  return { status: 404, code: 'run-unknown-call', message }
}

async function settle(conversation: Conversation, decision: Decision): Promise<Decision | undefined> {
  const { storage, live } = conversation
  if (live !== undefined) {
    try {
      return settleLive(storage, live.run, decision)
    } catch (thrown) {
      if (!isSameloopError(thrown, 'run-suspended')) throw thrown
      await live.finished
    }
  }
  const row = activeRun(conversation)
  return row?.status === 'suspended' ? resume(conversation, row, decision) : undefined
}

/**
 * Written down before it takes effect: what cannot be written is not done, and what the run refuses is taken back. What
 * the run made of it (an edit that was coerced, or the decision of an identical call) then stands in its place.
 */
function settleLive(storage: Conversation['storage'], run: Run, decision: Decision): Decision {
  const { sql } = storage
  return storage.transactionSync(() => {
    keepDecision(sql, run.id, decision)
    const settled = run.decide(decision)
    if (settled === decision) return decision
    const told = { ...settled, callId: decision.callId }
    keepDecision(sql, run.id, told)
    return told
  })
}

/**
 * Goes on from the run's log. The row says "running" and the decision is kept before anything runs, so that a crash in
 * between is gone on from; a refused resume takes that back.
 */
async function resume(conversation: Conversation, row: RunRow, decision: Decision): Promise<Decision> {
  const { storage, log } = conversation
  const { sql } = storage
  storage.transactionSync(() => {
    setStatus(sql, row.id, { status: 'running', stop: null, base: log.last })
    keepDecision(sql, row.id, decision)
  })
  try {
    await resumeRun(conversation, row, { decisions: [decision] })
  } catch (thrown) {
    storage.transactionSync(() => {
      setStatus(sql, row.id, row)
      dropDecision(sql, row.id, decision.callId)
    })
    throw thrown
  }
  return decision
}

/** Ends the run, live or suspended. That it was asked for is written first, so that a crash does not revive it. */
export async function stopRun(conversation: Conversation): Promise<void> {
  const { storage, live } = conversation
  const row = activeRun(conversation)
  if (row === undefined) return
  markStopping(storage.sql, row.id)
  if (live !== undefined) {
    live.run.abort('A client stopped the run')
    return live.finished
  }
  closeLost(conversation, { ...row, stopping: 1 })
}
