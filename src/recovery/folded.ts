// What a log says so far of one run: common to all kinds of runs. A run within a run is one of its own.
import { addGrants, grants } from '../approval/grants.ts'
import type { Grants } from '../approval/grants.ts'
import type { StartedCall } from '../continuation/recovery.ts'
import type { LogRecord } from '../journal/log.ts'
import type { Json } from '../json/value.ts'
import { requestOf } from '../message/decision.ts'
import type { ApprovalRequest, Decision, Effect } from '../message/decision.ts'
import type { RunEvent, RunStatus, Stop } from '../message/event.ts'
import type { ToolResultPart } from '../message/part.ts'
import { resultPart } from '../message/transcript.ts'
import { addUsage } from '../message/usage.ts'
import type { Usage } from '../message/usage.ts'
import type { Snapshot } from '../run/snapshot.ts'

/** The driver's part of a snapshot while it is put together. */
export type Body = { [key: string]: unknown }

/** A call as a body holds it. */
export interface OpenCall {
  readonly callId: string
  readonly name: string
  readonly input: Json
}

export interface Folded {
  readonly driver: string
  base: Snapshot
  body: Body
  usage: Usage
  grants: Grants
  seq: number
  /** Work time, over all parts of the run. */
  elapsedMs: number
  firstAt: number | undefined
  /** Calls that began, and have no result. */
  readonly started: Map<string, StartedCall>
  readonly results: Map<string, ToolResultPart>
  /** The values of calls, where the kind keeps them. */
  readonly values: Map<string, unknown>
  /** Calls that the body does not know the end of. */
  readonly calls: Map<string, OpenCall>
  /** Questions without an answer that led to a result. */
  readonly pending: Map<string, ApprovalRequest>
  readonly decided: Map<string, Decision>
  /** What people made of the input of calls. */
  readonly edits: Map<string, Json>
  readonly children: Map<string, Folded>
  /** Tries after a crash since it last got on. */
  recoveries: number
  isAborted: boolean
  /** It was begun, or gone on with, in the current part of the outermost run. */
  isLive: boolean
  ended?: { readonly status: RunStatus; readonly stop: Stop } | undefined
}

export function folded(base: Snapshot): Folded {
  const { driver, usage, seq, elapsedMs, pending } = base
  const { children = {}, edits = {} } = base.body as {
    readonly children?: Readonly<Record<string, Snapshot>>
    readonly edits?: Readonly<Record<string, Json>>
  }
  return {
    driver,
    base,
    // A copy of its own: lists are pushed to.
    body: JSON.parse(JSON.stringify(base.body)) as Body,
    usage,
    grants: addGrants(grants(), base.grants),
    seq,
    elapsedMs,
    firstAt: undefined,
    started: new Map(),
    results: new Map(),
    values: new Map(),
    calls: new Map(),
    pending: new Map(pending.map((request) => [request.callId, request])),
    decided: new Map(),
    edits: new Map(Object.entries(edits)),
    children: new Map(Object.entries(children).map(([callId, snapshot]) => [callId, folded(snapshot)])),
    recoveries: 0,
    isAborted: false,
    isLive: false,
  }
}

const order: readonly Effect[] = ['read', 'local', 'idempotent', 'unsafe']

const worse = (left: Effect, right: Effect): Effect => (order.indexOf(left) > order.indexOf(right) ? left : right)

/** Notes what concerns runs of all kinds. */
export function noteCommon(run: Folded, { type, data }: LogRecord): void {
  const event = data as unknown as RunEvent
  if (typeof event.at === 'number') time(run, event.at)
  switch (event.type) {
    case 'usage':
      run.usage = addUsage(run.usage, event.usage)
      return
    case 'approval-request':
      run.pending.set(event.callId, requestOf(event))
      run.decided.delete(event.callId)
      return
    case 'approval-response': {
      const { callId, decision, reason, input } = event
      // What a result was is only known once it is one.
      if (decision !== 'result') run.decided.set(callId, { callId, decision, reason, input })
      return
    }
    case 'tool-start':
      run.results.delete(event.callId)
      begin(run, event.callId, { attempt: event.attempt, effect: run.started.get(event.callId)?.effect ?? 'read' })
      return
    case 'tool-end':
      settle(run, event.callId, resultPart(event, event.outcome))
      return
    case 'run-end':
      run.ended = { status: event.status, stop: event.stop }
      return
  }
  const fields = data as { readonly callId: string; readonly effect: Effect } & Partial<Grants>
  if (type === 'journal-start') {
    const { attempt = 1 } = run.started.get(fields.callId) ?? {}
    begin(run, fields.callId, { attempt, effect: fields.effect })
  } else if (type === 'journal-edit') run.edits.set(fields.callId, data['input'] as Json)
  else if (type === 'journal-result')
    run.decided.set(fields.callId, { callId: fields.callId, result: data['result'] as Json })
  else if (type === 'journal-value') run.values.set(fields.callId, data['value'] ?? null)
  else if (type === 'journal-grant') addGrants(run.grants, fields)
  else if (type === 'journal-abort') run.isAborted = true
}

/** What a call within a call did, its caller would do again. */
function begin({ started }: Folded, callId: string, call: StartedCall): void {
  const [outer = callId, ...inner] = callId.split('/')
  if (!inner.length) started.set(callId, call)
  else {
    const { attempt = 1, effect = 'read' } = started.get(outer) ?? {}
    started.set(outer, { attempt, effect: worse(effect, call.effect) })
  }
}

function settle(run: Folded, callId: string, result: ToolResultPart): void {
  if (callId.includes('/')) return
  run.results.set(callId, result)
  run.started.delete(callId)
  run.children.delete(callId)
  run.edits.delete(callId)
  for (const known of [run.pending, run.decided])
    for (const asked of known.keys()) if (asked === callId || asked.startsWith(`${callId}/`)) known.delete(asked)
  run.recoveries = 0
}

function time(run: Folded, at: number): void {
  run.firstAt ??= at
  run.elapsedMs = run.base.elapsedMs + Math.max(0, at - run.firstAt)
}
