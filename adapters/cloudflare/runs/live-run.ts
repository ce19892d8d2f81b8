// A run that is going on: its events are written down as they come, and its end with all that a session goes on from.
import type { RunEvent } from '../../../src/message/event.ts'
import type { Run, RunResult } from '../../../src/run/run.ts'
import type { Conversation } from '../session/conversation.ts'
import { dropDecision, keptDecision } from '../session/decision-table.ts'
import { keep } from '../session/kept.ts'
import { closeLost } from './lost-run.ts'
import { recorder } from '../event-log/recorder.ts'
import type { RunLog } from './run-log.ts'
import { latestRun, setStatus } from '../session/run-table.ts'

/** How often a running object is woken, so that the platform does not take it for idle, and a crashed one is looked after. */
const wakeMs = 30_000

export interface Followed {
  readonly run: Run
  readonly runLog: RunLog
  /** It goes on after a crash: what it asks may have been answered. Default false. */
  readonly isRevived?: boolean
}

/** Takes a run in that has just started, and whose row says so: its events are written as they come. */
export function follow(conversation: Conversation, followed: Followed): void {
  const { storage, log } = conversation
  const { run } = followed
  wake(conversation)
  const finished = recordRun(conversation, followed)
    .catch((thrown: unknown) => giveUp(conversation, run, thrown))
    .catch((thrown: unknown) => conversation.onError?.(thrown))
    .then(() => {
      if (conversation.live?.run === run) {
        conversation.live = undefined
        void storage.deleteAlarm()
      }
      log.publish()
    })
  conversation.live = { run, finished }
}

/** What happened cannot be written down (no space, a fault of ours): the run must not go on unseen. */
function giveUp(conversation: Conversation, run: Run, thrown: unknown): void {
  conversation.onError?.(thrown)
  run.abort()
  const row = latestRun(conversation.storage.sql)
  if (row?.id === run.id && row.status === 'running') closeLost(conversation, row)
}

/** Rings in half a minute. */
export function wake({ storage, host }: Conversation): void {
  void storage.setAlarm(host.now() + wakeMs)
}

async function recordRun(conversation: Conversation, { run, runLog, isRevived = false }: Followed): Promise<void> {
  const { log, host } = conversation
  const events = recorder(log, { host, saved: runLog.saved })
  let end: RunEvent | undefined
  try {
    for await (const event of run) {
      if (event.type === 'run-end') end = event
      else await events.add(event)
      if (event.type === 'approval-request') answerAgain(conversation, run, { event, isRevived })
    }
    const result = await run.result
    await events.flush()
    finish(conversation, { run: run.id, end: end === undefined ? [] : [end], result })
    if (result.status !== 'suspended') await conversation.store.delete(run.id)
  } finally {
    events.close()
  }
}

interface Asked {
  readonly event: Extract<RunEvent, { readonly type: 'approval-request' }>
  readonly isRevived: boolean
}

/** What was decided before a crash holds; a question whether something happened is a new one. */
function answerAgain({ storage: { sql } }: Conversation, run: Run, { event, isRevived }: Asked): void {
  const { callId, why } = event
  if (why === 'unknown-outcome') return dropDecision(sql, run.id, callId)
  const decision = isRevived ? keptDecision(sql, callId, run.id) : undefined
  if (decision !== undefined) run.decide(decision)
}

interface Finished {
  readonly run: string
  /** The last event, where it is not in the log. */
  readonly end: readonly RunEvent[]
  readonly result: Pick<RunResult, 'messages' | 'pending' | 'status' | 'stop'> & {
    readonly snapshot: Pick<RunResult['snapshot'], 'grants'>
  }
}

/** The last event and what is needed to go on, in one transaction. */
export function finish({ storage, log }: Pick<Conversation, 'storage' | 'log'>, { run, end, result }: Finished): void {
  const { sql } = storage
  const { messages, pending, snapshot, status, stop } = result
  storage.transactionSync(() => {
    log.append(end)
    setStatus(sql, run, { status, stop, base: log.last })
    keep(sql, 'messages', messages)
    keep(sql, 'pending', status === 'suspended' ? pending : undefined)
    keep(sql, 'grants', snapshot.grants)
  })
}
