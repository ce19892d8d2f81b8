// What the tests of plans share.
import { isSameloopError } from '../../src/error/error.ts'
import { graphOf } from '../../src/plan/graph.ts'
import type { PlanGraph } from '../../src/plan/graph.ts'
import { plan } from '../../src/plan/plan.ts'
import type { PlanJson, StepOptions } from '../../src/plan/step.ts'
import { addTools, toolList, toolTable } from '../../src/registry/table.ts'
import type { Entry } from '../../src/registry/table.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import type { JsonSchema } from '../../src/schema/schema.ts'
import type { Tool } from '../../src/tool/tool.ts'

/** What a refusal says; fails where nothing is refused. */
export function refusal(work: () => unknown): { readonly message: string; readonly data: object } {
  try {
    work()
  } catch (error) {
    if (isSameloopError(error, 'plan-invalid')) return { message: error.message, data: error.data }
    throw error
  }
  throw new Error('Nothing was refused')
}

/** A plan of JSON that may be anything. */
export const fromJson = (json: unknown): ReturnType<typeof plan> => plan(json as PlanJson)

/** A plan of steps that call the tool `t` unless they say otherwise. */
export const planned = (...steps: readonly Partial<StepOptions>[]): ReturnType<typeof plan> =>
  steps.reduce<ReturnType<typeof plan>>(
    (made, step, index) => made.step({ id: `s${index}`, tool: 't', ...step }),
    plan(),
  )

export interface Given extends Partial<Omit<Tool, 'input' | 'output'>> {
  readonly input?: JsonSchema
  readonly output?: JsonSchema
}

export function toolsOf(given: Readonly<Record<string, Given>>): ReadonlyMap<string, Entry> {
  const table = toolTable()
  const tools = Object.entries(given).map(([name, { input, output, ...more }]): Tool => ({
    name,
    description: 'For tests',
    input: input && jsonSchema(input),
    output: output && jsonSchema(output),
    execute: () => null,
    ...more,
  }))
  addTools(table, tools)
  return toolList(table).entries
}

/** What each step needs, by id. */
export function needs({ nodes }: PlanGraph): Readonly<Record<string, readonly string[]>> {
  const idOf = (place: number): string => nodes[place]?.step.id ?? ''
  return Object.fromEntries(nodes.map(({ step, dependencies }) => [step.id, dependencies.map(idOf)]))
}

/** What is refused of an input for the tool `t`, the plan's other steps before it; `undefined` where nothing is. */
export function unfit(tools: Readonly<Record<string, Given>>, ...steps: readonly Partial<StepOptions>[]) {
  try {
    graphOf(planned(...steps), toolsOf(tools))
    return undefined
  } catch (error) {
    if (!isSameloopError(error, 'plan-invalid')) throw error
    return { message: error.message, data: error.data }
  }
}
