// The call of a node, on the one path that all calls take.
import { describeThrown } from '../error/describe.ts'
import { isSameloopError } from '../error/error.ts'
import { contentText } from '../message/text.ts'
import type { Failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import type { Stop } from '../message/event.ts'
import { cut } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import { execute } from '../registry/call.ts'
import { isPending } from '../registry/perform.ts'
import { prepare } from '../registry/prepare.ts'
import type { CallTerms, PreparedCall } from '../registry/prepare.ts'
import { retrying } from '../registry/retried.ts'
import type { CallOwner } from '../registry/scope.ts'
import { subRunOf } from '../registry/sub-run.ts'
import type { Entry } from '../registry/table.ts'
import { countCall } from '../run/call-limit.ts'
import { callOwner } from '../run/call-owner.ts'
import { record } from '../run/log.ts'
import { emit, homeOf } from '../run/state.ts'
import type { NodeRecord, NodeResult } from '../workflow/log.ts'
import type { Activity } from '../activity/activity.ts'
import { workMs } from './state.ts'
import type { WorkflowState } from './state.ts'

/** Runs the call to what the node comes to, or to the stop of a run that waits or was stopped meanwhile. */
export async function call(state: WorkflowState, activity: Activity): Promise<NodeResult | Stop> {
  const { at, setup, open } = state
  state.open = undefined
  state.doing = activity
  // What runs within is judged and wrapped where it is called.
  state.rules = activity.isFrame ? [] : setup.rules
  state.wrap = activity.isFrame ? undefined : setup.wrap
  const outcome = await execute({ ...(open?.[0] ?? begun(state, activity)), terms: termsOf(state, activity) }, state)
  if (state.fatal) throw state.fatal
  const { pending } = state
  if (at.result) return at.result
  if (isPending(outcome)) return pending.every(({ wants }) => wants === 'result') ? 'client-tool' : 'approval'
  return state.isTimeUp ? 'time' : 'aborted'
}

function begun(state: WorkflowState, { entry, isFrame }: Activity): PreparedCall {
  const { at, isImported, step } = state
  const { name } = entry.definition
  const { callId = at.node } = at
  const prepared = prepare({ callId, name }, at.input ?? {}, new Map([[name, entry]]))
  const { input, coercions } = prepared
  emit(state, { type: 'tool-call', step, callId, name, input, coercions: coercions?.length ? coercions : undefined })
  const failed = prepared.failed ?? (isFrame ? undefined : surplus(state, prepared))
  return { ...prepared, failed, imported: isImported || undefined }
}

/** Why a call is one too many, if it is. */
export const surplus = ({ limits, toolCalls }: WorkflowState, made: PreparedCall): Failure | undefined =>
  limits.length ? countCall(toolCalls, limits, made) : undefined

function termsOf(state: WorkflowState, { terms }: Activity): CallTerms | undefined {
  if (!terms) return undefined
  const { timeoutMs, retry } = terms
  const { step, at } = state
  const onRetry = (attempt: number, delayMs: number, reason: string): void =>
    emit(state, { type: 'retry', step, callId: at.callId, attempt, delayMs, reason })
  return { timeoutMs, again: retry && retrying(state, { ...retry, onRetry }) }
}

/** What the call path needs: that of all runs, which notes what the node comes to before anybody is told. */
export function workflowOwner(): CallOwner {
  return {
    ...callOwner,
    isGone: (scope, entry) => !isOwn(scope as WorkflowState, entry) && callOwner.isGone(scope, entry),
    report(scope, made, event) {
      const state = scope as WorkflowState
      const { at, doing } = state
      if (doing && made.callId === at.callId) {
        if (event.type === 'tool-start') at.effect = made.effect
        if (event.type === 'tool-end') settle(state, doing, event.outcome)
      }
      callOwner.report(scope, made, event)
    },
  }
}

/** A tool of the workflow itself cannot be taken away. */
const isOwn = ({ doing }: WorkflowState, entry: Entry): boolean =>
  doing?.isOwn === true && doing.entry.tool === entry.tool

/** In the log it comes with the end of the call: where there is one, there is the other. */
function settle(state: WorkflowState, activity: Activity, outcome: Outcome): void {
  // Neither a failure nor a result: the node is cut off with the run.
  if (state.ended || (!outcome.ok && outcome.reason === 'aborted' && state.stopped)) return
  state.at.result = resultOf(activity, outcome)
  note(state, () => ({ what: 'result', result: state.at.result as NodeResult, workMs: workMs(state) }))
}

function resultOf({ entry, value }: Activity, outcome: Outcome): NodeResult {
  if (!outcome.ok) return { ok: false, reason: outcome.reason, message: cut(contentText(outcome.parts), 2000) }
  return tried(() => value(outcome.value === undefined ? shownValue(entry, outcome.parts) : outcome.value))
}

/** Where there is no more than what is shown: a run that happens again, or middleware that made the outcome. */
function shownValue({ tool, output }: Entry, parts: Outcome['parts']): unknown {
  const [part] = parts
  const single = parts.length === 1 ? part : undefined
  const text = single?.type === 'text' ? single.text : parts
  const shown = single?.type === 'json' ? single.value : text
  const type = (subRunOf(tool)?.output ?? output?.json)?.['type']
  return type === 'object' ? shown : { result: shown }
}

export function note(state: WorkflowState, made: () => NodeRecord): void {
  if (homeOf(state).journal) record(state, 'journal-node', made())
}

/** What cannot be worked out is a failure of the node. */
export function tried(work: () => Json): NodeResult {
  try {
    return { ok: true, value: work() }
  } catch (thrown) {
    const reason = isSameloopError(thrown) ? thrown.data['reason'] : undefined
    const message = cut(describeThrown(thrown), 2000)
    return { ok: false, reason: typeof reason === 'string' ? reason : 'invalid-input', message }
  }
}
