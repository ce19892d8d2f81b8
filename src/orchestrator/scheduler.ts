// Which step may start, and what the end of one means for those that need it. Nothing is called here.
import { isFull } from '../observer/queue.ts'
import { stepsIn } from '../plan/reference.ts'
import { record } from '../run/log.ts'
import { emit, homeOf } from '../run/state.ts'
import { concurrencyOf, nodeCalled } from './state.ts'
import type { Node, PlanState, StepEnd } from './state.ts'

/** The steps that need nothing more, in the order they are written; what cannot run any more is skipped. */
export function openGates(state: PlanState): void {
  const { nodes } = state
  const isBegun = new Set(state.reopened.filter(({ item }) => item === undefined).map(({ node }) => node))
  const first = nodes.filter((node) => !node.end && node.missing === 0 && !isBegun.has(node))
  for (const node of first) if (!admit(state, node)) release(state, node)
}

/** The next step to start, if one may. */
export function nextReady(state: PlanState): Node | undefined {
  const { ready, head } = state
  if (head >= ready.length || !mayStart(state)) return undefined
  const node = ready[head]
  state.head++
  if (state.head === ready.length) {
    state.ready = []
    state.head = 0
  }
  return node
}

/** Nothing starts in a run that ends or waits, nor before its reader has caught up. */
const mayStart = (state: PlanState): boolean =>
  mayGoOn(state) && state.running < concurrencyOf(state.options) && !state.isWaitingForReader && !isFull(state.queue)

const mayGoOn = ({ stopped, pending }: PlanState): boolean => !stopped && pending.length === 0

/** Whether something could start but for the reader, for whom nobody waits yet. */
export const isBehind = (state: PlanState): boolean =>
  !state.isWaitingForReader && mayGoOn(state) && state.head < state.ready.length && isFull(state.queue)

/** Notes how a step ended. Those that need it are let in by `release`. */
export function endStep(state: PlanState, node: Node, end: StepEnd): void {
  const { id } = node.step
  const { status, because } = end
  node.status = status
  node.end = end
  node.fan = undefined
  node.known = undefined
  if (status === 'ok') state.values[id] = end.value
  const durationMs = node.began ? state.host.now() - node.startedAt : 0
  // A step ends once, and is never `pending` then.
  emit(state, {
    type: 'node-end',
    node: id,
    status: status as Exclude<StepEnd['status'], 'pending'>,
    because,
    durationMs,
  })
  if (status !== 'cancelled') recordEnd(state, { id, ...end })
}

/** For the log, where there is one. */
export function recordEnd(state: PlanState, end: StepEnd & { readonly id: string; readonly item?: number }): void {
  const { limits, toolCalls } = state
  if (!homeOf(state).journal) return
  record(state, 'journal-step', { ...end, toolCalls: limits.length ? Object.fromEntries(toolCalls) : undefined })
}

/** Lets those in that waited for this step alone. By a list, as thousands may be skipped one after the other. */
export function release(state: PlanState, node: Node): void {
  let skipped: Node[] | undefined
  for (let ended: Node | undefined = node; ended; ended = skipped?.pop()) {
    for (const place of ended.dependants) {
      const next = state.nodes[place] as Node
      next.missing--
      if (next.missing === 0 && !admit(state, next)) (skipped ??= []).push(next)
    }
  }
}

/** Whether the step may run; else it is skipped. */
function admit(state: PlanState, node: Node): boolean {
  const because = obstacle(state, node)
  if (because === undefined) {
    state.ready.push(node)
    return true
  }
  endStep(state, node, { status: 'skipped', because })
  return false
}

/** Looked for when all it needs has ended, or the answer would depend on what ended first. A failure comes before a `when`. */
function obstacle(state: PlanState, { dependencies, step: { input, forEach } }: Node): string | undefined {
  let because: string | undefined
  let wanted: ReadonlySet<string> | undefined
  for (const place of dependencies) {
    const { status, step, end } = state.nodes[place] as Node
    if (status === 'failed') return step.id
    if (status !== 'skipped') continue
    if (!isByWhen(state, end)) return end?.because
    wanted ??= new Set([...stepsIn(input), ...stepsIn(forEach)])
    if (wanted.has(step.id)) because = 'when'
  }
  return because
}

/** A step may be called `when`. */
const isByWhen = (state: PlanState, end: StepEnd | undefined): boolean =>
  end?.because === 'when' && nodeCalled(state, 'when')?.status !== 'failed'

/** What has not ended with the run never does. */
export function cancelRest(state: PlanState): void {
  for (const node of state.nodes) {
    if (node.end) continue
    const { fan, known } = node
    endStep(state, node, { status: 'cancelled' })
    // A resumed run goes on in the middle of its items.
    node.fan = fan
    node.known = known
  }
}
