// A stopped run as plain JSON: made by `run/`, its `body` by the driver, checked before anything of it is used.
import type { Grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import type { RunStatus, Stop } from '../message/event.ts'
import type { Json } from '../message/part.ts'
import type { Usage } from '../message/usage.ts'

export interface Snapshot {
  readonly version: 1
  /** Who can resume it: `agent`, later `plan` and `workflow`. */
  readonly driver: string
  readonly run: string
  readonly seq: number
  readonly session?: string | undefined
  readonly status: RunStatus
  readonly stop: Stop
  readonly retryable: boolean
  readonly pending: readonly ApprovalRequest[]
  readonly usage: Usage
  /** Work time so far, in milliseconds. */
  readonly elapsedMs: number
  readonly grants: Grants
  /** Where single use is enforced: by the run store, or within one agent object. */
  readonly singleUse: 'store' | 'process'
  readonly body: Json
  readonly signature?: string | undefined
}

/** How snapshots are protected when they leave the program; `signed(secret)` makes one. */
export interface SnapshotSeal {
  sign(payload: string): Promise<string>
  verify(payload: string, signature: string): Promise<boolean>
}

/** The text that is signed: the snapshot without its signature, keys sorted, so that a JSON round trip changes nothing. */
export function sealedText(snapshot: Snapshot): string {
  const { signature: _, ...rest } = snapshot
  return JSON.stringify(sorted(JSON.parse(JSON.stringify(rest))))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return entries.map(([key, item]) => [key, sorted(item)])
}

const invalid = (why: string): SameloopError => new SameloopError('run-invalid-snapshot', `Cannot resume: ${why}`)

/** Throws `run-invalid-snapshot` unless `value` has the shape of a snapshot for this driver that can go on. */
export function checkSnapshot(value: unknown, driver: string): asserts value is Snapshot {
  if (typeof value !== 'object' || value === null) throw invalid(`wanted a snapshot, got ${value === null ? 'null' : typeof value}`)
  const snapshot = value as Partial<Snapshot>
  if (snapshot.version !== 1) throw invalid(`wanted snapshot version 1, got ${JSON.stringify(snapshot.version ?? null)}`)
  if (snapshot.driver !== driver) throw invalid(`wanted a snapshot of "${driver}", got ${JSON.stringify(snapshot.driver ?? null)}`)
  if (typeof snapshot.run !== 'string' || !Number.isSafeInteger(snapshot.seq)) throw invalid('the run id or the sequence number is missing')
  const { pending, grants, body, status } = snapshot
  if (!Array.isArray(pending) || !pending.every(isRequest)) throw invalid('the pending calls are missing or broken')
  if (!isList(grants?.allowed) || !isList(grants?.denied)) throw invalid('the session grants are missing or broken')
  if (typeof body !== 'object' || body === null) throw invalid('the body is missing')
  if (typeof snapshot.usage !== 'object' || typeof snapshot.elapsedMs !== 'number') throw invalid('the usage or the time is missing')
  if (status === 'failed' && snapshot.retryable !== true) throw invalid('the run failed for a reason that will not go away')
}

const isList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string')

const isRequest = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'callId' in value && typeof value.callId === 'string' && 'input' in value
