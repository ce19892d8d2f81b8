// From a log to where its run is: the snapshot that it would have made there.
import { withRecovery } from '../continuation/recovery.ts'
import { SameloopError } from '../error/error.ts'
import { unreadable } from '../journal/log.ts'
import type { LogRecord } from '../journal/log.ts'
import type { ApprovalRequest, Decision } from '../message/decision.ts'
import type { RunStatus } from '../message/event.ts'
import type { Json } from '../json/value.ts'
import { checkSnapshot } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { agentLog } from './agent-log.ts'
import { planLog } from './plan-log.ts'
import { folded, noteCommon } from './folded.ts'
import type { Folded } from './folded.ts'
import type { Kind } from './kind.ts'
import { workflowLog } from './workflow-log.ts'

export interface Rebuilt {
  /** Without a signature: who has the log vouches for it. */
  readonly snapshot: Snapshot
  /** `running` where the log has no end: the run works, or was cut off. */
  readonly status: RunStatus | 'running'
  /** What people decided, and what nothing followed from yet. */
  readonly decisions: readonly Decision[]
  /** Somebody wanted it to end. */
  readonly isAborted: boolean
  /** Tries after a crash since it last got on. */
  readonly recoveries: number
}

const kinds: Readonly<Record<string, Kind>> = { agent: agentLog, plan: planLog, workflow: workflowLog }

function kindOf(driver: string): Kind {
  const kind = Object.hasOwn(kinds, driver) ? kinds[driver] : undefined
  if (kind) return kind
  throw new SameloopError('journal-invalid', `Cannot read the log: it is of an unknown kind "${driver}"`)
}

/** Throws `journal-invalid`, or `run-invalid-snapshot` where the log began with none. */
export function rebuild(log: readonly LogRecord[]): Rebuilt {
  try {
    return rebuilt(log)
  } catch (thrown) {
    throw unreadable(thrown)
  }
}

function rebuilt(log: readonly LogRecord[]): Rebuilt {
  let root: Folded | undefined
  for (const record of log) {
    root = apply(root, record)
    const { path = [], callId } = record.data as { readonly path?: readonly string[]; readonly callId?: string }
    if (record.type === 'tool-end') forgetQuestion(root, [...path, String(callId)])
    // It was answered, as the run within goes on.
    else if (record.type === 'journal-open' && path.length) forgetQuestion(root, path)
  }
  if (!root) throw new SameloopError('journal-invalid', 'Cannot read the log: it is empty')
  const { ended, isAborted, recoveries, decided } = root
  const snapshot = end(root, [...root.pending.values()])
  const asked = new Set(snapshot.pending.map(({ callId }) => callId))
  const decisions = [...decided.values()].filter(({ callId }) => asked.has(callId))
  return { snapshot, status: ended?.status ?? 'running', decisions, isAborted, recoveries }
}

/** What was asked within is asked of the whole, and so it ends there. */
function forgetQuestion(root: Folded, call: readonly string[]): void {
  const asked = call.join('/')
  for (const known of [root.pending, root.decided]) known.delete(asked)
}

function apply(run: Folded | undefined, record: LogRecord): Folded {
  const { path = [], ...data } = record.data as { readonly path?: readonly string[] }
  // What is asked within is asked of the whole.
  if (!run || !path.length || record.type.startsWith('approval-'))
    return applyOwn(run, { ...record, data: record.data })
  const { seq } = record.data as { readonly seq: number }
  run.seq = Math.max(run.seq, seq)
  const [callId = '', ...inner] = path
  const known = run.children.get(callId)
  // It was left behind, and said a last word.
  if (!known && (record.type !== 'journal-open' || inner.length)) return run
  const child = apply(known, {
    ...record,
    data: { ...data, path: inner.length ? inner : undefined },
  })
  run.children.set(callId, child)
  if (record.type === 'usage') noteCommon(run, record)
  // A tool that called an agent would begin another one: what this one did would be done twice.
  if (record.type === 'journal-start' && callId.includes('/'))
    noteCommon(run, { ...record, data: { callId, effect: 'unsafe' } })
  return run
}

function applyOwn(run: Folded | undefined, record: LogRecord): Folded {
  const { type, data } = record
  if (type === 'journal-open') return opened(run, data as unknown as Opened)
  if (!run) throw new SameloopError('journal-invalid', `Cannot read the log: "${type}" is of no run that began`)
  run.seq = Math.max(run.seq, Number(data['seq']))
  noteCommon(run, record)
  noteOwn(run, record)
  return run
}

/** With it the runs within are put away. */
function noteOwn(run: Folded, record: LogRecord): void {
  kindOf(run.driver).note(run, record)
  if (record.type !== 'run-end') return
  run.isLive = false
  for (const child of run.children.values()) if (child.isLive) noteOwn(child, record)
}

interface Opened {
  readonly driver: string
  readonly snapshot?: Snapshot
  readonly input?: Json
  readonly recovery?: number
}

function opened(run: Folded | undefined, { driver, snapshot, input, recovery }: Opened): Folded {
  if (snapshot) {
    checkSnapshot(snapshot, driver)
    const begun = folded(snapshot)
    beginAll(begun)
    begun.isLive = true
    return begun
  }
  if (!run) throw new SameloopError('journal-invalid', 'Cannot read the log: its beginning is missing')
  const hadEnded = run.ended !== undefined
  run.ended = undefined
  run.isLive = true
  run.base = { ...run.base, elapsedMs: run.elapsedMs }
  run.firstAt = undefined
  if (recovery !== undefined) run.recoveries = recovery
  kindOf(driver).goOn?.(run, hadEnded)
  if (input !== undefined) kindOf(driver).input?.(run, input)
  return run
}

function beginAll(run: Folded): void {
  kindOf(run.driver).begin?.(run)
  kindOf(run.driver).goOn?.(run, true)
  for (const child of run.children.values()) beginAll(child)
}

/** Also for a call of a run within, by the id that the outermost run knows it by. */
function hasBegun({ started, children }: Folded, callId: string): boolean {
  const [outer = '', ...inner] = callId.split('/')
  const child = inner.length ? children.get(outer) : undefined
  return started.has(callId) || (child !== undefined && hasBegun(child, inner.join('/')))
}

const questionsWithin = (questions: readonly ApprovalRequest[], callId: string): readonly ApprovalRequest[] =>
  questions.flatMap((one) =>
    one.callId.startsWith(`${callId}/`) ? { ...one, callId: one.callId.slice(callId.length + 1) } : [],
  )

/** `questions`: all that were asked, by the ids that this run knows them by. */
function end(run: Folded, questions: readonly ApprovalRequest[]): Snapshot {
  const { base, usage, grants, seq, elapsedMs, ended, started, recoveries, decided } = run
  const ending = kindOf(run.driver).end(run)
  const children = Object.fromEntries(
    [...run.children].map(([callId, child]) => [callId, end(child, questionsWithin(questions, callId))]),
  )
  // What was decided for a call that then began is done with.
  const isOpen = ({ callId, why }: ApprovalRequest): boolean => why === 'unknown-outcome' || !hasBegun(run, callId)
  const pending = questions.filter(isOpen)
  const snapshot: Snapshot = {
    ...base,
    seq,
    status: ended?.status ?? 'aborted',
    stop: ended?.stop ?? 'aborted',
    // What failed is tried again by who asks for it.
    retryable: ended?.status === 'failed',
    pending: ended?.status === 'suspended' || decided.size > 0 ? pending : [],
    usage,
    elapsedMs,
    grants,
    body: {
      ...run.body,
      children,
      ...(run.edits.size ? { edits: Object.fromEntries(run.edits) } : {}),
    } as unknown as Json,
    singleUse: 'store',
    signature: undefined,
  }
  const attempt = ended ? undefined : recoveries + 1
  return withRecovery(snapshot, { attempt, started: Object.fromEntries(started), ...ending })
}
