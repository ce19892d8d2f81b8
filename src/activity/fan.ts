// Activities side by side: a plan as a tool, run by the scheduler that runs all plans.
import { grants } from '../approval/grants.ts'
import { runNested } from '../continuation/nested.ts'
import type { Below, Beginning } from '../continuation/nested.ts'
import { openWithin } from '../continuation/reopen.ts'
import type { Json } from '../json/value.ts'
import { cut } from '../json/text.ts'
import { failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import { newPlanRun, reopenedPlanRun, startPlan } from '../orchestrator/driver.ts'
import type { PlanResult } from '../orchestrator/driver.ts'
import { concurrencyOf } from '../orchestrator/state.ts'
import { plan as planOf } from '../plan/plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { StepOptions } from '../plan/step.ts'
import { addTools, findEntry, toolList, toolTable } from '../registry/table.ts'
import { checkSnapshot } from '../run/snapshot.ts'
import { toolOutcome } from '../tool/outcome.ts'
import { ok } from '../tool/tool.ts'
import type { Tool } from '../tool/tool.ts'
import type { Activity } from './activity.ts'
import type { EngineSetup } from './setup.ts'
import { runTool } from './run-tool.ts'

export interface Fan {
  readonly setup: EngineSetup
  /** The name of each one's tool. */
  readonly tools: readonly string[]
}

/** The engine with the tools of what runs side by side. */
export function fanSetup(setup: EngineSetup, activities: readonly Activity[], concurrency: number | undefined): Fan {
  const table = toolTable(setup.table)
  const { entries } = toolList(setup.table)
  const given = new Map<Tool, string>()
  const taken = new Set<string>()
  // Thousands of branches may ask the same model.
  const numbers = new Map<string, number>()
  for (const { entry } of activities) {
    const { tool: made, name } = entry
    if (given.has(made)) continue
    let free = name
    const isOwn = findEntry(entries, name)?.tool !== made
    while (isOwn && (taken.has(free) || findEntry(entries, free))) {
      const number = (numbers.get(name) ?? 1) + 1
      numbers.set(name, number)
      free = `${name}.${number}`
    }
    taken.add(free)
    given.set(made, free)
  }
  const own = [...given].filter(([made, name]) => findEntry(entries, name)?.tool !== made)
  const names = new Map(own)
  addTools(table, names.keys(), (made) => ({ name: names.get(made) }))
  const options = { ...setup.options, concurrency: concurrency ?? concurrencyOf(setup.options) }
  return { setup: { ...setup, options, table }, tools: activities.map(({ entry }) => given.get(entry.tool) ?? '') }
}

interface FanOptions {
  readonly name: string
  readonly steps: (input: Json) => StepOptions[]
  readonly said: (step: string, message: string) => string
}

/** A plan as a tool; its value is the list of what each step gave. */
export function fanTool(setup: EngineSetup, { name, steps, said }: FanOptions): Tool {
  const planned = (input: Json): Plan => steps(input).reduce((made, step) => made.step(step), planOf())
  return runTool(name, {
    async check(snapshot, depth) {
      checkSnapshot(snapshot, 'plan')
      await setup.table.guard?.connect()
      const belonging = { session: undefined, grants: grants() }
      const { open = [] } = reopenedPlanRun(setup, snapshot, { plan: planned({}) }, belonging).state
      return [...open, ...(await openWithin(open, depth))]
    },
    run(call, scope, context) {
      const begin = ({ given, of, continues }: Below): Beginning<PlanResult> => {
        const plan = planned(call.value as Json)
        const mine = { ...of, agent: scope.agent, isImported: given.trust === 'import' }
        const begun = continues
          ? reopenedPlanRun(setup, continues, { ...given, plan }, mine)
          : newPlanRun(setup, given, { ...mine, plan })
        return { state: begun.state, start: () => startPlan(begun, given) }
      }
      const outcomeOf = (ended: PlanResult, details: Json): Outcome =>
        toolOutcome(ok(ended.steps.map(({ value }) => value) as Json, { details }), call.entry)
      const failureOf = ({ steps: ends, error }: PlanResult, details: Json): Outcome => {
        const [first, ...others] = ends.filter(({ status }) => status === 'failed')
        const further = others.length ? ` (and ${others.length} more failed)` : ''
        const text = first ? said(first.id, `${first.message ?? ''}${further}`) : (error?.message ?? '')
        return { ...failure('failed', cut(text, 2000)), details }
      }
      return runNested(setup, { call, scope, context }, { what: 'plan', begin, outcomeOf, failureOf })
    },
  })
}
