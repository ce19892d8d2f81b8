// What an engine is made of.
import type { Agent } from '../agent/agent.ts'
import type { RunnerOptions, RunnerSetup } from '../continuation/setup.ts'
import type { Model } from '../model/model.ts'

/** Those of agents without what belongs to models. `concurrency` of branches and items, default 8. */
export interface EngineOptions extends RunnerOptions {
  /** What nodes of type `agent` name. */
  readonly agents?: Readonly<Record<string, Agent>> | undefined
  /** What nodes of type `model` name; one that names none asks `default`. */
  readonly models?: Readonly<Record<string, Model>> | undefined
  /**
   * Whether regular expressions in the schemas of workflows are part of their checks. One that backtracks without end can
   * be written in a few characters: `check` is for workflows that you wrote. Default `ignore`.
   */
  readonly patterns?: 'check' | 'ignore' | undefined
}

export interface EngineSetup extends RunnerSetup {
  readonly options: EngineOptions
}
