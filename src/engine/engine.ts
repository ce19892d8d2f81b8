// `workflowEngine()`: options checked once, then runs of workflows and resumes.
import { belonging, resumed } from '../continuation/resume.ts'
import type { Given, GivenToResume, Memory } from '../continuation/resume.ts'
import { withParts } from '../continuation/runner.ts'
import { checkRunner, runnerSetup } from '../continuation/setup.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { Decision } from '../message/decision.ts'
import { misfit } from '../message/shape.ts'
import type { Shape } from '../message/shape.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { Belonging } from '../run/state.ts'
import type { WorkflowJson } from '../workflow/definition.ts'
import { load } from '../workflow/load.ts'
import type { Workflow } from '../workflow/load.ts'
import type { WorkflowRun } from './driver.ts'
import type { EngineOptions, EngineSetup } from '../activity/setup.ts'
import { newRun, reopenedRun, start } from './begin.ts'
import type { Begun } from './begin.ts'

/** `await using engine = workflowEngine({ registry })`, where the language knows it. */
type Disposal = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [key in Key]: () => Promise<void> }
  : object

export interface WorkflowRunOptions extends Given {
  /** Default: a new one. With a store, an id that it knows already fails the run with `journal-conflict`. */
  readonly id?: string | undefined
}

export interface WorkflowEngine extends Disposal {
  /**
   * Starts a workflow at once. Default input: `{}`. Throws `workflow-invalid` for a definition that is none, or names a
   * tool, an agent or a model that is not there, and `run-invalid-input` for an input that does not fit. Where the registry
   * has sources that are not connected yet, they are connected first, and a missing name fails the run instead.
   */
  run(workflow: Workflow | WorkflowJson, input?: Json, options?: WorkflowRunOptions): WorkflowRun
  /**
   * Goes on from a snapshot, which holds the workflow, also in another runtime. Rejects before anything runs when it
   * refuses, as `agent.resume` does; a refusal does not use the snapshot up. A run that was stopped for its visits or its
   * time has as many again. A node that was cut off runs again; where its tool may have had an effect that must not be
   * had twice, a person is asked (`unknown-outcome`).
   */
  resume(snapshot: Snapshot, decisions?: readonly Decision[], options?: GivenToResume): Promise<WorkflowRun>
  /** Connects the sources of the registry. They stay open after a run. */
  connect(): Promise<void>
  /** Closes them. They open again when they are needed. */
  close(): Promise<void>
}

/** Runs workflows. Throws `config-…` errors for options that cannot work. */
export function workflowEngine(options: EngineOptions): WorkflowEngine {
  const setup = engineSetup(options)
  const memory: Memory = {}
  const { registry } = options
  const close = async (): Promise<void> => registry?.close?.()
  const engine: WorkflowEngine = {
    run: (workflow, input = {}, given = {}) => {
      const { id } = given
      return start(
        newRun(setup, given, { ...belonging(memory, given), id, definition: definitionOf(workflow), input }),
        given,
      )
    },
    async resume(snapshot, decisions = [], given = {}) {
      const reopen = (from: Snapshot, of: Belonging): Begun => reopenedRun(setup, from, given, of)
      return start(await resumed({ kind: 'workflow', memory, setup, reopen }, snapshot, { ...given, decisions }), given)
    },
    connect: async () => setup.table.guard?.connect(),
    close,
    ...disposal(close),
  }
  return withParts(engine, {
    setup,
    ready(other, from, { of, changed, ...given }) {
      const begun = { ...reopenedRun(other as EngineSetup, from, given, of), changed }
      return { state: begun.state, start: () => start(begun, given) as never }
    },
  })
}

function engineSetup(options: EngineOptions): EngineSetup {
  const { agents = {}, models = {}, patterns } = options
  const shape = { agents: 'object', models: 'object', patterns: [undefined, 'check', 'ignore'] } as const
  const problem =
    misfit({ agents, models, patterns }, shape) ??
    misfit(membersOf(agents, 'asTool'), shapeOf(agents)) ??
    misfit(membersOf(models, 'stream'), shapeOf(models))
  checkRunner('a workflow engine', options, problem)
  return { ...runnerSetup(options), options }
}

/** What each has under a name that all must have. */
const membersOf = (all: object, name: string): object =>
  Object.fromEntries(Object.entries(all).map(([key, one]) => [key, own(one, name)]))

const shapeOf = (all: object): Shape => Object.fromEntries(Object.keys(all).map((key) => [key, 'function']))

const definitionOf = (given: Workflow | WorkflowJson): WorkflowJson =>
  typeof (given as Partial<Workflow> | undefined)?.toJSON === 'function'
    ? (given as Workflow).definition
    : load(given).definition

/** Not every runtime has the symbol yet. */
function disposal(close: () => Promise<void>): Disposal {
  const { asyncDispose } = Symbol as { readonly asyncDispose?: symbol }
  return (asyncDispose ? { [asyncDispose]: close } : {}) as Disposal
}
