// Where a run of a workflow begins: at an input, or at a snapshot. Neither knows who started it.
import { grants } from '../approval/grants.ts'
import { recoveryOf } from '../continuation/recovery.ts'
import { changedTools, reopened } from '../continuation/reopen.ts'
import type { Given, GivenToResume } from '../continuation/resume.ts'
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { Json } from '../json/value.ts'
import { sameJson } from '../message/equal.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { openLog } from '../run/log.ts'
import { startRun } from '../run/machine.ts'
import { refuse } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { emit, warn } from '../run/state.ts'
import type { Belonging } from '../run/state.ts'
import type { WorkflowJson } from '../workflow/definition.ts'
import type { WorkflowBody } from '../workflow/log.ts'
import { checkedBody } from './body.ts'
import { workflowOwner } from './call.ts'
import { checkCast } from '../activity/activity.ts'
import { boundOf } from '../activity/bounds.ts'
import { drive, driver } from './driver.ts'
import type { WorkflowRun } from './driver.ts'
import { workflowState } from './state.ts'
import type { EngineSetup } from '../activity/setup.ts'
import type { WorkflowState } from './state.ts'
import { stepOf } from '../activity/step.ts'
import type { Step } from '../activity/step.ts'
import type { Course } from './walk.ts'
import type { Nesting } from '../activity/nested-workflow.ts'

/** A run that is ready to start. */
export interface Begun {
  readonly state: WorkflowState
  readonly course: Course
  /** The tools that are not as they were; absent for a new run. */
  readonly changed?: readonly string[] | undefined
}

interface New extends Belonging {
  readonly id?: string | undefined
  readonly definition: WorkflowJson
  readonly input: Json
}

const owner = /* @__PURE__ */ workflowOwner()

export function newRun(setup: EngineSetup, given: GivenToResume, { definition, input: sent, id, ...of }: New): Begun {
  const { name } = definition
  const input = inputOf(setup, definition, sent)
  const connecting = setup.table.guard?.connect()
  // The run hears of it too.
  connecting?.catch(() => undefined)
  if (!connecting) checkCast({ setup, workflow: name }, definition)
  const isImported = given.trust === 'import'
  const begin = { ...of, ...(id === undefined ? {} : { id }), driver, owner, definition, input, connecting, isImported }
  return { state: workflowState(setup, given, begin), course: courseOf(setup, definition) }
}

/** Throws `run-invalid-input`. */
function inputOf(setup: EngineSetup, definition: WorkflowJson, input: Json): Json {
  const { name, inputSchema = { type: 'object' } } = definition
  try {
    return boundOf(setup, 'inputSchema', { inputSchema })(input)
  } catch (cause) {
    const why = isSameloopError(cause) ? cause.message : ''
    throw new SameloopError('run-invalid-input', `Cannot run workflow "${name}": ${why}`, { cause })
  }
}

interface Again extends Belonging {
  /** What the snapshot must be of. */
  readonly definition?: WorkflowJson | undefined
}

/** Throws `run-invalid-snapshot` and `run-tool-changed`; nothing has run then. */
export function reopenedRun(
  setup: EngineSetup,
  from: Snapshot,
  given: GivenToResume,
  { definition, ...of }: Again,
): Begun {
  if (from.status === 'done') refuse('the run is done')
  const body = checkedBody(from.body)
  const { workflow, input, at } = body
  if (definition && !sameJson(definition, workflow)) refuse('it is of another workflow')
  try {
    checkCast({ setup, workflow: workflow.name }, workflow)
  } catch (cause) {
    const why = isSameloopError(cause) ? cause.message : ''
    throw new SameloopError('run-tool-changed', `Cannot resume: ${why}`, { cause })
  }
  const { run: id, seq, usage, elapsedMs: earlierMs } = from
  const steps = from.stop === 'steps' ? 0 : body.steps
  const isImported = given.trust === 'import' || body.isImported === true
  const known = { id, seq, usage, earlierMs, body: { ...body, steps }, definition: workflow, input, isImported }
  const state = workflowState(setup, given, { ...of, ...known, driver, owner })
  const course = courseOf(setup, workflow)
  const changed = changedTools(body, state.table)
  const node = state.nodes.get(at.node)
  state.open =
    node &&
    openCalls(body, course.step(node), { from, changed, imported: given.trust === 'import', wasImported: isImported })
  return { state, course, changed }
}

interface Reopening {
  readonly from: Snapshot
  readonly changed: readonly string[]
  readonly imported: boolean
  readonly wasImported: boolean
}

/** The call of the node that goes on, prepared anew. Throws `run-tool-changed`. */
function openCalls(
  body: WorkflowBody,
  { activity }: Step,
  { from, changed, imported, wasImported }: Reopening,
): readonly PreparedCall[] | undefined {
  const { callId, input, result, effect } = body.at
  if (!activity || callId === undefined || input === undefined || result) return undefined
  const { entry, isOwn } = activity
  const { name } = entry.definition
  const how = {
    tools: new Map([[name, entry]]),
    changed: isOwn ? [] : changed,
    imported,
    wasImported,
    recovery: recoveryOf(from),
    pending: from.pending,
  }
  return reopened([{ callId, name, input }], body, how).map((call) => {
    // It was running when the run ended, and left nothing behind. A body may only add a question, never take one away.
    const isCut = effect !== undefined && call.continues === undefined && call.interrupted === undefined
    if (!isCut) return call
    const mayRepeat = effect === 'read' || effect === 'idempotent'
    return { ...call, attempt: call.attempt + 1, interrupted: mayRepeat ? undefined : 'unsafe' }
  })
}

/** What nodes do is found out when they are visited first. */
function courseOf(setup: EngineSetup, definition: WorkflowJson): Course {
  const { name: workflow } = definition
  const steps = new Map<string, Step>()
  const troupe = { setup: withoutListener(setup), workflow, nesting }
  return {
    step(node) {
      const known = steps.get(node.id)
      if (known) return known
      const step = stepOf(troupe, node)
      steps.set(node.id, step)
      return step
    },
    output: boundOf(setup, 'outputSchema', definition),
    check: () => checkCast(troupe, definition),
  }
}

/** What happens in runs within is heard of once: as an event of the run above, with its path. */
function withoutListener(setup: EngineSetup): EngineSetup {
  const { options } = setup
  return options.hooks?.onEvent
    ? { ...setup, options: { ...options, hooks: { ...options.hooks, onEvent: undefined } } }
    : setup
}

export function start({ state, course, changed }: Begun, given: Given): WorkflowRun {
  if (!state.journal) openLog(state)
  emit(state, { type: 'run-start', resumed: changed && true })
  for (const tool of changed ?? []) {
    warn(state, 'tool-changed', `Tool "${tool}" changed since the snapshot`, { tool })
  }
  return startRun(state, { ...driver, drive: (run) => drive(run, course) }, given)
}

/** A workflow within another: of the same engine. */
const nesting: Nesting = {
  begin(setup, { node: { workflow: definition }, input }, { given, of, continues }) {
    const begun = continues
      ? reopenedRun(setup, continues, given, { ...of, definition })
      : newRun(setup, given, { ...of, definition, input })
    return { state: begun.state, start: () => start(begun, given) }
  },
  open: (setup, { node: { workflow: definition } }, snapshot) =>
    reopenedRun(setup, snapshot, {}, { session: undefined, grants: grants(), definition }).state.open ?? [],
}
