// One session as its object holds it in memory: who runs, who writes, and what waits its turn.
import type { Agent } from '../../../src/agent/agent.ts'
import type { Host } from '../../../src/host/host.ts'
import type { Run } from '../../../src/run/run.ts'
import type { OnError } from '../refusal.ts'
import type { RunStore } from '../../../src/tool/run-store.ts'
import type { SessionLog } from '../event-log/log.ts'
import { latestRun } from './run-table.ts'
import type { RunRow } from './run-table.ts'

export interface Conversation {
  readonly storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync' | 'setAlarm' | 'deleteAlarm'>
  readonly log: SessionLog
  /** The logs that runs go on from. */
  readonly store: RunStore
  readonly host: Host
  readonly session: string
  /** The agent for a model's name; the same object for the same name. Throws where there is no such model. */
  readonly agentOf: (model: string | undefined) => Agent
  readonly onError: OnError | undefined
  /** One change at a time: a second waits until the first is done. */
  readonly serially: <Result>(work: () => Promise<Result>) => Promise<Result>
  live: LiveRun | undefined
}

export interface LiveRun {
  readonly run: Run
  /** Resolves when all of the run is written down. Never rejects. */
  readonly finished: Promise<void>
}

/** The run that is going on or waits for a decision. */
export function activeRun({ storage }: Conversation): RunRow | undefined {
  const row = latestRun(storage.sql)
  return row?.status === 'running' || row?.status === 'suspended' ? row : undefined
}
