// One step: its condition, its input or its items, its calls, and its end. All steps are driven by one loop, `pump`.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { describeThrown } from '../error/describe.ts'
import { copyJson } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import { cut } from '../json/text.ts'
import type { Outcome } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import { drained } from '../observer/queue.ts'
import { execute } from '../registry/call.ts'
import { isPending } from '../registry/perform.ts'
import { prepare } from '../registry/prepare.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import type { Entry } from '../registry/table.ts'
import { unless } from '../registry/scope.ts'
import { record, saved } from '../run/log.ts'
import { stopFatally } from '../run/machine.ts'
import { reconsider } from '../run/requests.ts'
import { emit, homeOf } from '../run/state.ts'
import { endStep, isBehind, nextReady, recordEnd, release } from './scheduler.ts'
import { fanOf, surplus, termsOf, working } from './state.ts'
import type { Fan, Node, PlanState, StepEnd, Task } from './state.ts'
import { inputOf, isWanted, itemsOf, storable } from './values.ts'
import type { Made } from './values.ts'

/**
 * Starts what may start, until nothing may. Steps that end at once do so within it, and it never runs within itself: a
 * plan may have more steps than a stack has room for.
 */
export function pump(state: PlanState): void {
  if (state.isPumping) return
  state.isPumping = true
  for (let node = nextReady(state); node; node = nextReady(state)) proceed(state, node)
  state.isPumping = false
  if (isBehind(state)) waitForReader(state)
  else if (state.unfinished === 0 && !state.isWaitingForReader) state.onIdle?.()
  reconsider(homeOf(state))
}

function waitForReader(state: PlanState): void {
  state.isWaitingForReader = true
  void drained(state.queue).then(() => {
    state.isWaitingForReader = false
    pump(state)
  })
}

/** Goes on with calls that a snapshot holds. */
export function reopen(state: PlanState, task: Task): void {
  beginCall(state, task)
}

function proceed(state: PlanState, node: Node): void {
  // Its last items, which a resumed run went on with, ended while it waited for its turn.
  if (node.end) return
  if (node.fan) return nextItem(state, node, node.fan)
  const wanted = isWanted(state, node)
  if (wanted.ok && !wanted.value) return ended(state, node, { status: 'skipped', because: 'when' })
  begin(state, node)
  if (!wanted.ok) return ended(state, node, unmadeEnd(node, wanted))
  if (node.step.forEach !== undefined) return beginItems(state, node)
  const input = inputOf(state, node)
  if (!input.ok) return ended(state, node, unmadeEnd(node, input))
  callTool(state, { node, callId: node.step.id }, input.value)
}

/** What was begun in an earlier part of the run was told of there. */
function begin(state: PlanState, node: Node): void {
  node.startedAt = state.host.now()
  if (!node.began) emit(state, { type: 'node-start', node: node.step.id, kind: 'tool' })
  node.began = true
}

function beginItems(state: PlanState, node: Node): void {
  const items = itemsOf(state, node)
  if (!items.ok) return ended(state, node, unmadeEnd(node, items))
  node.fan = fanOf(node, items.value)
  record(state, 'journal-list', { id: node.step.id, items: items.value })
  nextItem(state, node, node.fan)
}

/** Starts one item. The step then waits behind what else is ready, so that a long list does not keep the rest waiting. */
function nextItem(state: PlanState, node: Node, fan: Fan): void {
  if (fan.left === 0) return endItems(state, node, fan)
  const isTaken = (item: number): boolean => fan.ends[item] !== undefined || fan.open.has(item)
  const skipTaken = (): void => {
    while (fan.next < fan.items.length && isTaken(fan.next)) fan.next++
  }
  skipTaken()
  const item = fan.next++
  if (item >= fan.items.length) return
  skipTaken()
  // Before its call, which may end at once and with it the step.
  if (fan.next < fan.items.length) state.ready.push(node)
  const input = inputOf(state, node, item)
  if (!input.ok) return itemEnded(state, { node, item }, unmadeEnd(node, input))
  callTool(state, { node, item, callId: `${node.step.id}.${item}` }, input.value)
}

function callTool(state: PlanState, { node, item, callId }: Omit<Task, 'call'> & CallId, given: Json): void {
  const { name } = (node.entry as Entry).definition
  const call = prepare({ callId, name, terms: termsOf(state, node, callId) }, given, state.tools)
  const { input, coercions } = call
  const mended = coercions?.length ? coercions : undefined
  emit(state, { type: 'tool-call', step: state.step, callId, name, input, id: node.step.id, coercions: mended })
  const failed = call.failed ?? surplus(state, call)
  const imported = state.isImported || undefined
  beginCall(state, { node, item, call: failed || imported ? { ...call, failed, imported } : call })
}

interface CallId {
  readonly callId: string
}

function beginCall(state: PlanState, task: Task): void {
  state.running++
  working(state, 1)
  const outcome = task.call.answered ?? execute(task.call, state)
  if (!(outcome instanceof Promise)) return callEnded(state, task, outcome)
  const goOn = (late: Outcome): void => {
    if (state.ended) return
    callEnded(state, task, late)
    pump(state)
  }
  void outcome.then(goOn).catch((thrown: unknown) => state.onBroken?.(thrown))
}

function callEnded(state: PlanState, task: Task, outcome: Outcome): void {
  const { node, item, call } = task
  const { callId, name, input } = call
  state.running--
  if (isPending(outcome)) state.waiting.push({ callId, name, input })
  // Neither a failure nor a result: it is cancelled with the run.
  else if (outcome.ok || outcome.reason !== 'aborted' || !state.stopped) {
    const end = endOf(node, outcome)
    if (item === undefined) ended(state, node, end)
    else itemEnded(state, { node, item }, end)
  } else keepCut(state, call)
  working(state, -1)
}

/** A run that was cut off within goes on, and what may have had its effect is asked about when the plan does. */
function keepCut({ waiting, begun, inners }: PlanState, { callId, name, input, effect }: PreparedCall): void {
  const inner = inners?.get(callId)
  const mayRepeat = effect === 'read' || effect === 'idempotent'
  if (inner && inner.ended?.status !== 'done') waiting.push({ callId, name, input })
  else if (begun.has(callId) && !mayRepeat) waiting.push({ callId, name, input, isCut: true })
}

function endOf(node: Node, outcome: Outcome): StepEnd {
  if (!outcome.ok) {
    const said = contentText(outcome.parts)
    // What ends the run is no failure that a value makes good.
    return isSameloopError(outcome.cause, 'tool-fatal')
      ? failed(outcome.reason, said)
      : failedEnd(node, outcome.reason, said)
  }
  try {
    return { status: 'ok', value: storable(outcome.value) }
  } catch (thrown) {
    const text = `The output of the tool cannot be kept: ${describeThrown(thrown)}`
    return failedEnd(node, 'invalid-output', text)
  }
}

const unmadeEnd = (node: Node, { reason, message }: Extract<Made<unknown>, { readonly ok: false }>): StepEnd =>
  failedEnd(node, reason, message)

function failedEnd({ step }: Node, reason: string, message: string): StepEnd {
  const { onError } = step
  if (typeof onError === 'object') return { status: 'ok', value: copyJson(onError.value) }
  return failed(reason, message)
}

const failed = (reason: string, message: string): StepEnd => ({ status: 'failed', reason, message: cut(message, 2000) })

interface Item {
  readonly node: Node
  readonly item: number
}

function itemEnded(state: PlanState, { node, item }: Item, end: StepEnd): void {
  const { fan } = node
  if (!fan) return
  fan.ends[item] = end
  fan.open.delete(item)
  fan.left--
  recordEnd(state, { id: node.step.id, ...end, item })
  if (fan.left === 0) return endItems(state, node, fan)
  const saving = saved(state)
  if (saving) afterwards(state, saving, () => undefined)
}

function endItems(state: PlanState, node: Node, { ends }: Fan): void {
  const bad = ends.findIndex((end) => end?.status === 'failed')
  if (bad < 0) return ended(state, node, { status: 'ok', value: ends.map((end) => end?.value) })
  const { reason, message } = ends[bad] as StepEnd
  const others = ends.filter((end) => end?.status === 'failed').length - 1
  const further = others ? ` (and ${others} more)` : ''
  ended(state, node, { status: 'failed', reason, message: `Item ${bad}${further}: ${message ?? ''}` })
}

/** What needs the step starts when its end is stored, where there is a store. */
function ended(state: PlanState, node: Node, end: StepEnd): void {
  endStep(state, node, end)
  const saving = saved(state)
  if (saving) afterwards(state, saving, () => release(state, node))
  else release(state, node)
}

function afterwards(state: PlanState, saving: Promise<void>, goOn: () => void): void {
  working(state, 1)
  const fail = (thrown: unknown): void => stopFatally(state, asError(thrown))
  void unless(state, 'aborted', saving, () => undefined)
    .then(goOn, fail)
    .then(() => {
      working(state, -1)
      pump(state)
    })
    .catch((thrown: unknown) => state.onBroken?.(thrown))
}

const asError = (thrown: unknown): SameloopError =>
  isSameloopError(thrown)
    ? thrown
    : new SameloopError('run-internal', `The plan failed: ${describeThrown(thrown)}`, { cause: thrown })
