// A workflow as what drives a run: from its first node to its end, within its time.
import { SameloopError } from '../error/error.ts'
import type { Json } from '../json/value.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import type { RunStatus, Stop } from '../message/event.ts'
import type { Usage } from '../message/usage.ts'
import { toolList } from '../registry/table.ts'
import type { Driver } from '../run/driver.ts'
import { abortRun, untilAborted } from '../run/machine.ts'
import { handedOn, reconsider } from '../run/requests.ts'
import type { RunHandle } from '../run/run.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { homeOf } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import type { Visit } from '../workflow/definition.ts'
import { mostVisits } from '../workflow/log.ts'
import { workflowBody } from './body.ts'
import { surplus } from './call.ts'
import { workMs } from './state.ts'
import type { WorkflowState } from './state.ts'
import { cutOff, walk } from './walk.ts'
import type { Course } from './walk.ts'

export interface WorkflowResult {
  /** `done` only by an end node. */
  readonly status: RunStatus
  readonly stop: Stop
  /** What the end gave. */
  readonly output?: Json | undefined
  readonly state: Readonly<Record<string, Json>>
  /** The last 1,000, in order. */
  readonly visits: readonly Visit[]
  /** All of them. */
  readonly visitCount: number
  readonly pending: readonly ApprovalRequest[]
  /** Of the agents and models among its nodes. */
  readonly usage: Usage
  /** Plain JSON that another runtime can resume; made when first read. */
  readonly snapshot: Snapshot
  /** `workflow-failed`, with the node in `data`, where a node failed. */
  readonly error?: SameloopError | undefined
}

/** A run of a workflow that has started. */
export type WorkflowRun = RunHandle<WorkflowResult>

export const driver: Omit<Driver<WorkflowState, WorkflowResult>, 'drive'> & Pick<Driver<WorkflowState>, 'drive'> = {
  kind: 'workflow',
  // Each run brings what its nodes do.
  drive: () => Promise.reject(new SameloopError('run-internal', 'A workflow has no course')),
  body: workflowBody,
  admit: surplus,
  spent: (state) => (isOver(state) ? 'time' : spentAbove(state)),
  result: (state, { status, stop, error }, snapshot) => ({
    status,
    stop,
    output: status === 'done' ? state.output : undefined,
    state: state.scope['state'] as Readonly<Record<string, Json>>,
    visits: visitsOf(state, status),
    visitCount: state.visitCount,
    pending: state.pending,
    usage: state.usage,
    get snapshot() {
      return snapshot()
    },
    error,
  }),
}

function visitsOf({ visits, at, nodes }: WorkflowState, status: RunStatus): readonly Visit[] {
  const all = visits.slice(-mostVisits)
  const type = nodes.get(at.node)?.type
  if (at.callId === undefined || at.isOver || !type) return all
  return [
    ...all.slice(1 - mostVisits),
    { node: at.node, type, status: status === 'suspended' ? 'pending' : 'cancelled' },
  ]
}

const isOver = (state: WorkflowState): boolean => workMs(state) >= (state.definition.timeoutMs ?? Infinity)

function spentAbove({ parent }: RunState): Stop | undefined {
  if (!parent) return undefined
  const { run } = parent
  return run.driver.spent ? run.driver.spent(run) : spentAbove(run)
}

export async function drive(state: WorkflowState, course: Course): Promise<Stop> {
  const home = homeOf(state)
  home.working++
  const forget = limitTime(state)
  const walking = walked(state, course).finally(() => {
    forget()
    home.working--
    reconsider(home)
  })
  return handedOn(state, walking)
}

async function walked(state: WorkflowState, course: Course): Promise<Stop> {
  try {
    await connected(state, course)
    return await walk(state, course)
  } catch (thrown) {
    if (state.isTimeUp) return 'time'
    throw thrown
  } finally {
    cutOff(state)
  }
}

/** The first act of a run whose tools are still to come. */
async function connected(state: WorkflowState, course: Course): Promise<void> {
  if (!state.connecting) return
  await untilAborted(state, state.connecting)
  state.tools = toolList(state.table).entries
  course.check()
}

/** Ends the run when its time is up; while only people are waited for, it does not pass. */
function limitTime(state: WorkflowState): () => void {
  const { timeoutMs } = state.definition
  if (timeoutMs === undefined) return () => {}
  let cancel: (() => void) | undefined
  const look = (): void => {
    const left = timeoutMs - workMs(state)
    if (left > 0) {
      const isIdle = homeOf(state).idleSince !== undefined
      cancel = state.host.timer(isIdle ? Math.max(left, 250) : left, look)
    } else {
      state.isTimeUp = true
      abortRun(state, new SameloopError('tool-aborted', `The workflow has had its ${timeoutMs} ms`))
    }
  }
  look()
  return () => cancel?.()
}
