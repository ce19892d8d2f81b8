// A plan as a graph: an edge from each step to those that need it.
import { tokenize } from '../expression/token.ts'
import { isObject, own } from '../json/value.ts'
import type { PlanJson, StepJson, StepResult } from '../plan/step.ts'
import { edgeList, placesOf, statusOf } from './graph.ts'
import type { DrawnResult, Graph, GraphNode, DrawingOptions } from './graph.ts'
import { nodeTimes } from './node-times.ts'
import { duration, lineOf, textOf } from './words.ts'

export function planGraph({ steps }: PlanJson, { steps: results }: DrawnResult, options: DrawingOptions): Graph {
  const ids = steps.map(({ id }) => textOf(id))
  const places = placesOf(ids)
  const list = edgeList(places)
  for (const [index, step] of steps.entries()) {
    for (const name of referencesIn([step.input, step.forEach])) list.add(places.get(name), ids[index] ?? '')
    for (const name of namesIn(step.when)) list.add(places.get(name), ids[index] ?? '', { label: 'when' })
    for (const name of Array.isArray(step.after) ? (step.after as readonly unknown[]) : [])
      list.add(places.get(textOf(name)), ids[index] ?? '', { kind: 'after' })
  }
  const ended = new Map(results?.map((result) => [textOf(result.id), result]))
  const times = nodeTimes(options.events)
  const nodes = steps.map((step, index): GraphNode => {
    const id = ids[index] ?? ''
    const result = ended.get(id)
    const time = times.get(step.id)
    const status = statusOf(result?.status) ?? time?.status
    const durationMs = time?.durationMs
    const shape = step.forEach === undefined ? 'step' : 'each'
    return { id, shape, lines: linesOf(step), facts: factsOf(step, result, durationMs), status, durationMs }
  })
  return { kind: 'plan', name: '', nodes, edges: list.edges }
}

function linesOf({ tool, forEach, when }: StepJson): readonly string[] {
  const from = own(forEach, '$from')
  const items = from === undefined ? 'item' : lineOf(from)
  return [
    lineOf(tool),
    ...(forEach === undefined ? [] : [`for each of ${items}`]),
    ...(when === undefined ? [] : [`when ${lineOf(when)}`]),
  ]
}

function factsOf(step: StepJson, result: StepResult | undefined, durationMs: number | undefined): readonly string[] {
  const retries = own(step.retry, 'retries')
  const facts: readonly (string | undefined)[] = [
    `tool: ${lineOf(step.tool)}`,
    step.when === undefined ? undefined : `when: ${textOf(step.when)}`,
    step.forEach === undefined ? undefined : `for each: ${textOf(step.forEach)}`,
    retries === undefined ? undefined : `retries: ${lineOf(retries)}`,
    step.timeoutMs === undefined ? undefined : `timeout: ${lineOf(step.timeoutMs)} ms`,
    result && `status: ${lineOf(result.status)}`,
    result?.because === undefined ? undefined : `because of: ${textOf(result.because)}`,
    result?.reason === undefined ? undefined : `reason: ${textOf(result.reason)}`,
    result?.message === undefined ? undefined : `message: ${textOf(result.message)}`,
    durationMs === undefined ? undefined : `time: ${duration(durationMs)}`,
  ]
  return facts.filter((fact) => fact !== undefined)
}

/** The names behind every `$from` in a value, however deep it nests. */
function referencesIn(value: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  const open: unknown[] = [value]
  const seen = new Set<unknown>()
  while (open.length) {
    const next = open.pop()
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    const from = isObject(next) ? own(next, '$from') : undefined
    if (typeof from === 'string') names.add(textOf(from))
    for (const inner of Object.values(next).reverse()) open.push(inner)
  }
  return names
}

const words = new Set(['and', 'or', 'not', 'in', 'true', 'false', 'null'])

/** The names a condition looks up. One that cannot be read has none: a picture is no check. */
function namesIn(condition: unknown): ReadonlySet<string> {
  const names = new Set<string>()
  if (typeof condition !== 'string') return names
  try {
    const tokens = tokenize(condition)
    for (const [index, { type, text }] of tokens.entries())
      if (type === 'name' && tokens[index - 1]?.text !== '.' && !words.has(text)) names.add(text)
  } catch {
    return names
  }
  return names
}
