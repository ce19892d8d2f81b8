// A run of a workflow from node to node, one after the other: a loop, however many there are.
import { SameloopError } from '../error/error.ts'
import { cut } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import type { NodeEnd, Stop } from '../message/event.ts'
import { drained, isFull } from '../observer/queue.ts'
import { untilAborted } from '../run/machine.ts'
import { whenStopped } from '../registry/scope.ts'
import { saved } from '../run/log.ts'
import { emit } from '../run/state.ts'
import type { Visit, WorkflowNode } from '../workflow/definition.ts'
import { callIdOf, mostVisits } from '../workflow/log.ts'
import type { NodeResult } from '../workflow/log.ts'
import { callsOf } from './body.ts'
import { call, note, tried } from './call.ts'
import { workMs } from './state.ts'
import type { WorkflowState } from './state.ts'
import type { Step } from '../activity/step.ts'

/** Visits without a wait after which others get a turn, and milliseconds of them. */
const breath = { visits: 500, ms: 20 }

/** What the nodes of a workflow do. */
export interface Course {
  /** Throws `workflow-invalid` for what a node names and is not there. */
  step(node: WorkflowNode): Step
  /** What an end gave, as the workflow gives it. Throws `workflow-failed` for what does not fit. */
  output(value: Json): Json
  /** Throws `workflow-invalid` for any name that is not there. */
  check(): void
}

/** Goes on until the workflow ends, waits for a person or is stopped. */
export async function walk(state: WorkflowState, course: Course): Promise<Stop> {
  let [since, busyMs] = [0, 0]
  for (;;) {
    if (state.isTimeUp) return 'time'
    if (state.aborted) return 'aborted'
    if (state.fatal) throw state.fatal
    if (isFull(state.queue)) await drained(state.queue)
    else if (++since >= breath.visits || busyMs >= breath.ms) {
      ;[since, busyMs] = [0, 0]
      await turn(state)
    }
    const begun = state.at.callId !== undefined
    if (!begun && state.steps >= (state.definition.maxVisits ?? 1000)) return 'steps'
    const startedAt = state.host.now()
    const visited = visit(state, course)
    busyMs += state.host.now() - startedAt
    const stop = visited instanceof Promise ? await visited : visited
    if (stop) return stop
    const saving = saved(state)
    if (saving) await untilAborted(state, saving)
  }
}

/** Lets timers and whoever aborts come in between. */
const turn = (state: WorkflowState): Promise<void> =>
  untilAborted(
    state,
    new Promise<void>((resolve) => {
      state.host.timer(0, resolve)
    }),
  )

type MaybePromise<Value> = Value | Promise<Value>

/** One visit, or what is left of it. A stop ends the run here. */
function visit(state: WorkflowState, course: Course): MaybePromise<Stop | undefined> {
  const node = state.nodes.get(state.at.node) as WorkflowNode
  const step = course.step(node)
  const leave = (given: NodeResult | Stop): Stop | undefined =>
    typeof given === 'string' ? given : follow(state, { node, step, course }, given)
  const { isOver } = state.at
  if (!isOver) begin(state, node, step)
  const { result } = state.at
  if (isOver && result?.ok === false) throw failureOf(state, result)
  if (result) return leave(result)
  const { value, activity } = step
  if (value) return leave(tried(() => value(state.scope)))
  return (activity ? call(state, activity) : pause(state)).then(leave)
}

/** What was begun in an earlier part of the run was told of there. */
function begin(state: WorkflowState, node: WorkflowNode, step: Step): void {
  const { at, counts } = state
  const { id, type } = node
  state.nodeStartedAt = state.host.now()
  if (at.callId === undefined) {
    const count = (counts[id] ?? 0) + 1
    counts[id] = count
    state.visitCount++
    state.steps++
    state.step = state.visitCount
    at.callId = callIdOf(id, count)
    emit(state, { type: 'node-start', node: id, kind: type })
    if (step.ms !== undefined) at.until = state.host.now() + step.ms
    if (step.activity) enter(state, step.activity)
    note(state, () => ({ what: 'begin', at: { ...at }, toolCalls: callsOf(state), workMs: workMs(state) }))
    return
  }
  if (at.isCut) emit(state, { type: 'node-start', node: id, kind: type })
  at.isCut = undefined
  if (step.activity && at.input === undefined && !at.result) enter(state, step.activity)
}

function enter({ at, scope }: WorkflowState, activity: { input(scope: Readonly<Record<string, Json>>): Json }): void {
  const entered = tried(() => activity.input(scope))
  if (entered.ok) at.input = entered.value
  else at.result = entered
}

/** A wait for a time is work that nothing else waits behind. */
async function pause(state: WorkflowState): Promise<NodeResult | Stop> {
  const { host, at } = state
  const saving = saved(state)
  if (saving) await untilAborted(state, saving)
  const ms = Math.max(0, (at.until ?? 0) - host.now())
  let cancel: (() => void) | undefined
  const over = new Promise<void>((resolve) => {
    cancel = host.timer(ms, resolve)
  })
  // At once: a run within is over for those above as soon as it is aborted.
  const onStop = (): void => {
    if (state.aborted) cutOff(state)
  }
  whenStopped(state, onStop)
  await untilAborted(state, over).finally(() => {
    cancel?.()
    state.listeners?.delete(onStop)
  })
  if (at.isCut) return state.isTimeUp ? 'time' : 'aborted'
  return { ok: true, value: null }
}

type Failed = Extract<NodeResult, { readonly ok: false }>

interface Visited {
  readonly node: WorkflowNode
  readonly step: Step
  readonly course: Course
}

/** What a node came to, and where it leads. Throws `workflow-failed` where that is nowhere. */
function follow(state: WorkflowState, { node, step, course }: Visited, result: NodeResult): Stop | undefined {
  if (!result.ok) return fail(state, node, result)
  const { value } = result
  const { scope } = state
  let set: Record<string, Json> | undefined
  let next: string | undefined
  const left = tried(() => {
    scope['output'] = value
    if (step.set.length > 0) set = Object.fromEntries(step.set.map(([key, template]) => [key, template(scope)]))
    next = step.next(value)
    return node.type === 'end' ? course.output(value) : value
  })
  delete scope['output']
  if (!left.ok) return fail(state, node, left)
  end(state, { type: node.type, result: left, output: left.value, set, next })
  if (node.type !== 'end') return undefined
  state.output = left.value
  return 'end'
}

function fail(state: WorkflowState, node: WorkflowNode, result: Failed): undefined {
  const { reason, message } = result
  const isDenied = node.type === 'approval' && reason === 'denied'
  const next = (isDenied ? node.denied : undefined) ?? ('onError' in node ? node.onError : undefined)
  const error = { reason, message }
  const output: Json = isDenied ? { approved: false, error } : { error }
  end(state, { type: node.type, result, output, next })
  if (next !== undefined) return undefined
  throw failureOf(state, result)
}

function failureOf(state: WorkflowState, { reason, message }: Failed): SameloopError {
  const { at, definition } = state
  const text = `The workflow "${cut(definition.name, 80)}" failed at node "${at.node}" (${reason}): ${message}`
  return new SameloopError('workflow-failed', text, { data: { node: at.node, reason } })
}

interface Ending {
  readonly type: WorkflowNode['type']
  readonly result: NodeResult
  readonly output: Json
  readonly set?: Readonly<Record<string, Json>> | undefined
  readonly next: string | undefined
}

function end(state: WorkflowState, { type, result, output, set, next }: Ending): void {
  const { scope, visits, at } = state
  const { node } = at
  const visit: Visit = result.ok
    ? { node, type, status: 'ok', output: result.value }
    : { node, type, status: 'failed', reason: result.reason, message: result.message }
  scope[node] = output
  if (set) Object.assign(scope['state'] as Record<string, Json>, set)
  visits.push(visit)
  if (visits.length > 2 * mostVisits) visits.splice(0, visits.length - mostVisits)
  note(state, () => ({ what: 'end', visit, output, set, next, workMs: workMs(state) }))
  tell(state, result.ok ? 'ok' : 'failed')
  state.inners = undefined
  state.at = !result.ok && next === undefined ? { ...at, result, isOver: true } : { node: next ?? node }
}

/** What the run was at when it ended from outside: it begins again. */
export function cutOff(state: WorkflowState): void {
  const { at, pending } = state
  if (at.callId === undefined || at.isOver || at.isCut || pending.length) return
  at.isCut = true
  tell(state, 'cancelled')
}

/** Events come after the record: whoever hears of a node may end the run. */
function tell(state: WorkflowState, status: NodeEnd): void {
  const durationMs = state.host.now() - state.nodeStartedAt
  emit(state, { type: 'node-end', node: state.at.node, status, durationMs })
}
