// What each step of a plan needs, and whether the plan can run at all: everything that can be refused before it does.
import { describeThrown } from '../error/describe.ts'
import { compileNamed } from '../expression/compile.ts'
import type { NamedExpression } from '../expression/compile.ts'
import type { Value } from '../expression/parser.ts'
import { excerpt } from '../json/text.ts'
import { nearestNames } from '../registry/nearest-names.ts'
import { findEntry } from '../registry/table.ts'
import type { Entry } from '../registry/table.ts'
import { cycleOf, orderOf } from './cycle.ts'
import { inputProblem } from './input.ts'
import type { Plan } from './plan.ts'
import { planInvalid } from './problem.ts'
import { stepsIn } from './reference.ts'
import type { StepOptions } from './step.ts'

export interface GraphNode {
  readonly step: StepOptions
  /** Where tools were given. */
  readonly entry: Entry | undefined
  /** A condition that is a text, compiled: of the values of earlier steps. */
  readonly when: ((scope: Value) => Value) | undefined
  /** Places of the steps that it needs directly, each once. */
  readonly dependencies: readonly number[]
  /** Places of the steps that need it directly, in their order. */
  readonly dependants: readonly number[]
}

export interface PlanGraph {
  /** By place: as the steps are written. */
  readonly nodes: readonly GraphNode[]
  readonly places: ReadonlyMap<string, number>
  /** All places, each after those it needs. */
  readonly order: readonly number[]
}

/**
 * The steps with what they need: those in `after`, those that `input` and `forEach` refer to, and those that a `when`
 * names. What functions read is not known. Time grows with steps and links.
 *
 * Throws `plan-invalid`: an id that is there twice, a dependency or a tool that does not exist, steps that wait for each
 * other, an expression that cannot be read, and, with tools, input that plainly does not fit.
 */
export function graphOf({ steps }: Plan, tools?: ReadonlyMap<string, Entry>): PlanGraph {
  const places = placesOf(steps)
  const conditions = steps.map(conditionOf)
  const dependencies = steps.map((step, place) => dependenciesOf(step, conditions[place], places))
  const dependants = steps.map((): number[] => [])
  for (const [place, needed] of dependencies.entries()) for (const index of needed) dependants[index]?.push(place)
  const order = orderOf({ dependencies, dependants })
  if (order.length < steps.length) {
    const cycle = cycleOf({ dependencies, dependants }, order)
    throw circular(cycle.map((place) => steps[place]?.id ?? ''))
  }
  const entries = tools ? entriesOf(steps, tools) : []
  const nodes = steps.map((step, place) => ({
    step,
    entry: entries[place],
    when: conditions[place]?.compute,
    dependencies: dependencies[place] ?? [],
    dependants: dependants[place] ?? [],
  }))
  const graph = { nodes, places, order }
  if (tools) for (const node of nodes) checkInput(node, graph)
  return graph
}

function placesOf(steps: readonly StepOptions[]): ReadonlyMap<string, number> {
  const places = new Map<string, number>()
  for (const [place, { id }] of steps.entries()) {
    if (places.has(id)) {
      const earlier = (places.get(id) ?? 0) + 1
      throw planInvalid('duplicate-id', `steps number ${earlier} and ${place + 1} have this id, wanted one`, {
        step: id,
      })
    }
    places.set(id, place)
  }
  return places
}

function conditionOf({ id, when }: StepOptions): NamedExpression | undefined {
  if (typeof when !== 'string') return undefined
  try {
    return compileNamed(when)
  } catch (cause) {
    throw planInvalid('shape', `"when" cannot be read: ${describeThrown(cause)}`, { step: id, path: ['when'], cause })
  }
}

function dependenciesOf(
  { id, after = [], input, forEach }: StepOptions,
  condition: NamedExpression | undefined,
  places: ReadonlyMap<string, number>,
): readonly number[] {
  const needed = new Set<number>()
  const need = (name: string, field: string): void => {
    const place = places.get(name)
    if (place === undefined) throw unknownStep({ id, name, field }, places)
    needed.add(place)
  }
  for (const name of after) need(name, 'after')
  for (const name of stepsIn(input)) need(name, 'input')
  for (const name of stepsIn(forEach)) need(name, 'forEach')
  for (const name of condition?.names ?? []) need(name, 'when')
  return [...needed]
}

interface Unknown {
  readonly id: string
  readonly name: string
  readonly field: string
}

function unknownStep({ id, name, field }: Unknown, places: ReadonlyMap<string, number>): Error {
  const others = [...places.keys()].filter((other) => other !== id)
  const near = nearestNames(name, others, 3)
  // `fetch-page.status` reads as a difference, and the word before it as a name.
  const isUnsayable = field === 'when' && near.some((other) => !/^[a-zA-Z_]\w*$/.test(other))
  const hint = isUnsayable ? ' (an id with "-", or with a digit first, cannot be named in an expression)' : ''
  const why = `"${field}" names step ${excerpt(name)}, which is not there. Nearest: ${near.map(excerpt).join(', ') || 'none'}`
  return planInvalid('unknown-dependency', `${why}${hint}`, { step: id, path: [field] })
}

function circular(ids: readonly string[]): Error {
  const path = [...ids, ids[0] ?? '']
  const shown = path.length > 12 ? [...path.slice(0, 10), '…', ...path.slice(-2)] : path
  return planInvalid('cycle', `its steps wait for each other: ${shown.join(' -> ')}`, { path })
}

function entriesOf(steps: readonly StepOptions[], tools: ReadonlyMap<string, Entry>): readonly Entry[] {
  // Looking a URI up goes through all tools.
  const known = new Map<string, Entry>()
  return steps.map(({ id, tool }) => {
    const entry = known.get(tool) ?? findEntry(tools, tool)
    if (!entry) {
      const names = Array.from(tools.values(), ({ name }) => name)
      const near = nearestNames(tool, names).map(excerpt).join(', ')
      const why = `there is no tool ${excerpt(tool)}. Available, nearest first: ${near || 'none'}`
      throw planInvalid('unknown-tool', why, { step: id, path: ['tool'] })
    }
    known.set(tool, entry)
    return entry
  })
}

function checkInput({ step, entry }: GraphNode, { nodes, places }: PlanGraph): void {
  if (!entry) return
  const producerOf = (id: string): GraphNode | undefined => nodes[places.get(id) ?? -1]
  const problem = inputProblem(step, entry, producerOf)
  if (!problem) return
  throw planInvalid('schema', problem.message, { step: step.id, path: problem.path })
}
