// `agent()`: options checked once, then runs and resumes.
import { belonging, resumed } from '../continuation/resume.ts'
import type { Memory } from '../continuation/resume.ts'
import { withParts } from '../continuation/runner.ts'
import type { Decision } from '../message/decision.ts'
import type { RunInput } from '../message/input.ts'
import type { Run } from '../run/run.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { Belonging } from '../run/state.ts'
import type { StandardSchema } from '../schema/schema.ts'
import type { Tool } from '../tool/tool.ts'
import { agentTool } from './as-tool.ts'
import type { AgentToolOptions } from './as-tool.ts'
import { newRun, readyRun, reopenedRun, start } from './begin.ts'
import type { Begun } from './begin.ts'
import type { AgentOptions, ResumeOptions, RunOptions } from './options.ts'
import { agentSetup } from './state.ts'
import type { AgentSetup } from './state.ts'

export interface Agent {
  /**
   * Starts a run at once. `input` is a string or a whole conversation; what is wrong with its tool results is repaired
   * and reported. Throws `run-invalid-input`.
   */
  run(input: RunInput, options?: RunOptions): Run
  /**
   * Goes on from a snapshot, also in another runtime. Rejects before anything runs when it refuses: an invalid,
   * unsigned or used snapshot, a decision that fits nothing, a changed tool. A refusal does not use the snapshot up.
   */
  resume(snapshot: Snapshot, decisions?: readonly Decision[], options?: ResumeOptions): Promise<Run>
  /**
   * The agent as a tool of another one. Its events come with a `path`, its questions are asked by the outer run, its
   * usage counts there, and the outer run's policy holds for it too.
   */
  asTool<const In extends StandardSchema<unknown, unknown> | undefined = undefined>(options: AgentToolOptions<In>): Tool
}

/** An agent. Throws `config-…` errors for options that cannot work. */
export function agent(options: AgentOptions): Agent {
  const setup = agentSetup(options)
  const memory: Memory = {}
  const assistant: Agent = {
    run: (input, given = {}) => start(newRun(setup, input, given, belonging(memory, given)), given),
    async resume(snapshot, decisions = [], given = {}) {
      const reopen = (from: Snapshot, of: Belonging): Begun => reopenedRun(setup, from, given, of)
      return start(await resumed({ kind: 'agent', memory, setup, reopen }, snapshot, { ...given, decisions }), given)
    },
    asTool: (given) => agentTool(setup, given),
  }
  return withParts(assistant, {
    setup,
    ready(other, from, { of, repairs, changed, ...given }) {
      const ready = changed ? reopenedRun : readyRun
      const begun = { ...ready(other as AgentSetup, from, given, of), repairs, changed }
      return { state: begun.state, start: () => start(begun, given) }
    },
  })
}
