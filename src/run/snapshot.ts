// A stopped run as plain JSON: made by `run/`, its `body` by the driver, checked before anything of it is used.
import type { Grants } from '../approval/grants.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import type { RunStatus, Stop } from '../message/event.ts'
import type { Json } from '../json/value.ts'
import { misfit } from '../message/shape.ts'
import type { Shape } from '../message/shape.ts'
import type { Usage } from '../message/usage.ts'
import { excerpt } from '../json/text.ts'
import { isObject } from '../json/value.ts'

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

/** The text that is signed: without the signature, keys sorted, so that a JSON round trip changes nothing. */
export function sealedText(snapshot: Snapshot): string {
  const { signature: _, ...signed } = snapshot
  return JSON.stringify(JSON.parse(JSON.stringify(signed)), (_key, value: unknown) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  )
}

/** Throws `run-invalid-snapshot` where there is a problem. */
export function refuse(problem: string | undefined): void {
  if (problem) throw new SameloopError('run-invalid-snapshot', `Cannot resume: ${problem}`)
}

/** Throws `run-invalid-snapshot` unless `value` has the shape of a snapshot for this driver that can go on. */
export function checkSnapshot(value: unknown, driver: string): asserts value is Snapshot {
  refuse(misfit(value, { ...shape, driver: [driver] }))
  const snapshot = value as Snapshot
  for (const request of snapshot.pending) refuse(misfit(request, asked))
  refuse(misfit(snapshot.grants, { allowed: 'array', denied: 'array' }))
  const { seq, elapsedMs, usage, grants } = snapshot
  refuse(countMisfit({ seq, elapsedMs, ...usage }))
  if (![...grants.allowed, ...grants.denied].every((one) => typeof one === 'string')) refuse('"grants" must be texts')
  if (snapshot.status === 'failed' && !snapshot.retryable) refuse('its failure is final')
}

/** What is wrong with the first count that is no number from 0. */
export function countMisfit(counts: object): string | undefined {
  const [name, count] =
    Object.entries(counts).find(([, one]) => one !== undefined && !(typeof one === 'number' && one >= 0)) ?? []
  return name && `"${name}" must be a number from 0, got ${excerpt(count)}`
}

const asked: Shape = { callId: 'string', name: 'string', input: 'value', expiresAt: 'number or undefined' }

const shape: Shape = {
  version: [1],
  run: 'string',
  seq: 'number',
  status: 'string',
  stop: 'string',
  session: 'string or undefined',
  pending: 'array',
  usage: 'object',
  elapsedMs: 'number',
  grants: 'object',
  body: 'object',
}
