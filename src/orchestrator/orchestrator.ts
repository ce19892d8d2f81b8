// `orchestrator()`: options checked once, then runs and resumes of plans.
import { belonging, resumed } from '../continuation/resume.ts'
import type { GivenToRun, Memory } from '../continuation/resume.ts'
import { withParts } from '../continuation/runner.ts'
import { checkRunner, runnerSetup } from '../continuation/setup.ts'
import type { RunnerOptions, RunnerSetup } from '../continuation/setup.ts'
import type { Decision } from '../message/decision.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { Belonging } from '../run/state.ts'
import { newPlanRun, readyPlan, reopenedPlanRun, startPlan } from './driver.ts'
import type { Graphs, PlanBegun, PlanResumeOptions, PlanInput, PlanRun } from './driver.ts'

/** Those of agents without what belongs to models. `concurrency`: calls at once, default 8; who waits for a person is none. */
export type OrchestratorOptions = RunnerOptions

/** What one run may be given. */
export type PlanRunOptions = GivenToRun

/** `await using flow = orchestrator({ registry })`, where the language knows it. */
type Disposal = SymbolConstructor extends { readonly asyncDispose: infer Key extends symbol }
  ? { readonly [key in Key]: () => Promise<void> }
  : object

export interface Orchestrator extends Disposal {
  /**
   * Starts a plan at once: each step as soon as what it needs is there. Throws `plan-invalid` before any step. Where the
   * registry has sources that are not connected yet, they are connected first, and what depends on their tools fails the
   * run with `plan-invalid` instead.
   */
  run(plan: PlanInput, options?: PlanRunOptions): PlanRun
  /**
   * Goes on from a snapshot, also in another runtime. Rejects before anything runs when it refuses, as `agent.resume`
   * does; a refusal does not use the snapshot up. Steps that were cancelled run.
   */
  resume(snapshot: Snapshot, decisions?: readonly Decision[], options?: PlanResumeOptions): Promise<PlanRun>
  /** Connects the sources of the registry. They stay open after a run. */
  connect(): Promise<void>
  /** Closes them. They open again when they are needed. */
  close(): Promise<void>
}

/** Runs plans. Throws `config-…` errors for options that cannot work. */
export function orchestrator(options: OrchestratorOptions): Orchestrator {
  const setup = orchestratorSetup('an orchestrator', options)
  const memory: Memory = {}
  const graphs: Graphs = new WeakMap()
  const { registry } = options
  const close = async (): Promise<void> => registry?.close?.()
  const flow: Orchestrator = {
    run: (plan, given = {}) =>
      startPlan(newPlanRun(setup, given, { ...belonging(memory, given), id: given.id, plan, graphs }), given),
    async resume(snapshot, decisions = [], given = {}) {
      const reopen = (from: Snapshot, of: Belonging): PlanBegun => reopenedPlanRun(setup, from, given, of)
      return startPlan(await resumed({ kind: 'plan', memory, setup, reopen }, snapshot, { ...given, decisions }), given)
    },
    connect: async () => setup.table.guard?.connect(),
    close,
    ...disposal(close),
  }
  return withParts(flow, { setup, ready: readyPlan })
}

/** Throws `config-invalid`. */
export function orchestratorSetup(what: string, options: RunnerOptions): RunnerSetup {
  checkRunner(what, options)
  return { ...runnerSetup(options), options }
}

/** Not every runtime has the symbol yet. */
function disposal(close: () => Promise<void>): Disposal {
  const { asyncDispose } = Symbol as { readonly asyncDispose?: symbol }
  return (asyncDispose ? { [asyncDispose]: close } : {}) as Disposal
}
