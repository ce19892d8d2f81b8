// A run that is going on: its events are written down as they come, and its end with all that is needed to go on.
import type { RunEvent } from '../../../src/message/event.ts'
import type { Run, RunResult } from '../../../src/run/run.ts'
import type { Conversation } from './conversation.ts'
import { keep } from './kept.ts'
import { closeLost } from './lost-run.ts'
import { recorder } from './recorder.ts'
import { latestRun, setStatus } from './run-table.ts'

/** How often a running object is woken, so that the platform does not take it for idle, and a crashed one is looked after. */
const wakeMs = 30_000

/** Takes a run in that has just started, and whose row says so: its events are written as they come. */
export function follow(conversation: Conversation, run: Run): void {
  const { storage, log } = conversation
  wake(conversation)
  const finished = recordRun(conversation, run)
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

async function recordRun(conversation: Conversation, run: Run): Promise<void> {
  const { log, host } = conversation
  const events = recorder(log, host)
  let end: RunEvent | undefined
  try {
    for await (const event of run) {
      if (event.type === 'run-end') end = event
      else events.add(event)
    }
    const result = await run.result
    events.flush()
    finish(conversation, run.id, end === undefined ? [] : [end], result)
  } finally {
    events.close()
  }
}

/** The last event and what is needed to go on, in one transaction. */
function finish({ storage, log }: Conversation, run: string, end: readonly RunEvent[], result: RunResult): void {
  const { sql } = storage
  const { messages, pending, snapshot, status, stop } = result
  const isSuspended = status === 'suspended'
  storage.transactionSync(() => {
    log.append(end)
    setStatus(sql, run, { status, stop, base: log.last })
    keep(sql, 'messages', messages)
    keep(sql, 'pending', isSuspended ? pending : undefined)
    keep(sql, 'snapshot', isSuspended ? snapshot : undefined)
    keep(sql, 'grants', snapshot.grants)
  })
}
