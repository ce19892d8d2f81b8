// Nodes that hold others: branches, and one activity for each item of a list.
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { StepOptions } from '../plan/step.ts'
import type { InnerNode, MapNode, ParallelNode } from '../workflow/definition.ts'
import { compileTemplate, sharedRoom } from '../workflow/template.ts'
import { activityOf, entryOf } from './activity.ts'
import type { Activity } from './activity.ts'
import { boundOf, nodeFailure, valueOf } from './bounds.ts'
import { fanSetup, fanTool } from './fan.ts'
import { workflowActivity } from './nested-workflow.ts'
import type { Troupe } from './nested-workflow.ts'

export function parallelActivity(troupe: Troupe, node: ParallelNode): Activity {
  const names = Object.keys(node.branches)
  const activities = Object.entries(node.branches).map(([name, inner]) =>
    innerActivity(troupe, inner, `${node.id}.${name}`),
  )
  const ids = stepIds(names)
  const { setup, tools } = fanSetup(troupe.setup, activities, node.concurrency)
  const steps = (input: Json): StepOptions[] =>
    ids.map((id, index) => ({
      ...stepOf(activities, tools, index),
      id,
      input: () => own(own(input, 'branches'), names[index] ?? ''),
    }))
  const said = (step: string, message: string): string => `Branch "${names[ids.indexOf(step)] ?? step}": ${message}`
  const made = fanTool(setup, { name: `parallel://${node.id}`, steps, said })
  const bound = boundOf(troupe.setup, 'inputSchema', node)
  return {
    entry: entryOf(troupe.setup, made),
    isOwn: true,
    isFrame: true,
    input: (scope) => {
      const shared = sharedRoom()
      const inputOf = (index: number): Json | undefined =>
        within(names[index], () => activities[index]?.input(scope, shared))
      return { branches: bound(collected(names, inputOf)) }
    },
    value: valueOf(troupe.setup, node, (given) =>
      collected(names, (index) =>
        within(names[index], () => activities[index]?.value(own(own(given, 'result'), index))),
      ),
    ),
  }
}

export function mapActivity(troupe: Troupe, node: MapNode): Activity {
  const activity = innerActivity(troupe, node.each, node.id)
  const { setup, tools } = fanSetup(troupe.setup, [activity], node.concurrency)
  const steps = (input: Json): StepOptions[] => {
    const items = own(input, 'items')
    const list = Array.isArray(items) ? items : []
    const step = { id: 'each', forEach: () => list, input: (_: unknown, item: unknown) => item }
    return [{ ...stepOf([activity], tools, 0), ...step, maxItems: mostItems }]
  }
  const said = (_: string, message: string): string => message
  const made = fanTool(setup, { name: `map://${node.id}`, steps, said })
  const list = compileTemplate(node.items)
  const bound = boundOf(troupe.setup, 'inputSchema', node)
  return {
    entry: entryOf(troupe.setup, made),
    isOwn: true,
    isFrame: true,
    input: (scope) => {
      const shared = sharedRoom()
      const inputOf = (item: Json, index: number): Json =>
        within(index, () => activity.input({ ...scope, item, index }, shared))
      return { items: itemsOf(bound(list(scope)), node).map(inputOf) }
    },
    value: valueOf(troupe.setup, node, (given) => {
      const [values] = own(given, 'result') as readonly unknown[]
      return Array.isArray(values) ? values.map((value, index) => within(index, () => activity.value(value))) : []
    }),
  }
}

/** What the scheduler takes. */
const mostItems = 100_000

function itemsOf(items: Json, { maxItems = 1000 }: MapNode): readonly Json[] {
  if (!Array.isArray(items)) throw nodeFailure('invalid-input', '"items" must be a list')
  const most = Math.min(maxItems, mostItems)
  if (items.length > most) throw nodeFailure('limit', `"items" has ${items.length} items, expected at most ${most}`)
  return items
}

const collected = (names: readonly string[], of: (index: number) => Json | undefined): Json =>
  Object.fromEntries(names.map((name, index) => [name, of(index) ?? null]))

/** Says which branch or item it was. */
function within<Value>(place: string | number | undefined, work: () => Value): Value {
  try {
    return work()
  } catch (thrown) {
    const { message, data } = thrown as { readonly message: string; readonly data?: Readonly<Record<string, unknown>> }
    const named = typeof place === 'number' ? `Item ${place}` : `Branch "${place}"`
    throw nodeFailure(String(data?.['reason'] ?? 'invalid-input'), `${named}: ${message}`, thrown)
  }
}

const innerActivity = (troupe: Troupe, node: InnerNode, id: string): Activity =>
  node.type === 'workflow' ? workflowActivity(troupe, node) : activityOf(troupe, node, id)

/** The names, where all of them can be ids of steps. */
function stepIds(names: readonly string[]): readonly string[] {
  const isFit = names.every((name) => /^(?!(?:item|true|false|null|and|or|not|in)$)[\w-]{1,64}$/.test(name))
  return isFit ? names : names.map((_, index) => `branch_${index + 1}`)
}

const stepOf = (activities: readonly Activity[], tools: readonly string[], index: number): Omit<StepOptions, 'id'> => {
  const { timeoutMs, retry } = activities[index]?.terms ?? {}
  return { tool: tools[index] ?? '', timeoutMs, retry }
}
