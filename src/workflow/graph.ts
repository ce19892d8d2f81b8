// Which node leads to which, and whether every node can be come to.
import { cut } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { WorkflowNode } from './definition.ts'
import { fieldName, hint, refusal } from './refusal.ts'
import type { Site } from './refusal.ts'

export type NodeTable = ReadonlyMap<string, WorkflowNode>

/** The places a node may go to, with the field that says so. */
function targetsOf(node: WorkflowNode): { readonly field: string; readonly target: string }[] {
  const fields = ['next', 'then', 'else', 'default', 'onError', 'denied']
  const plain = fields.map((field) => ({ field, target: own(node, field) }))
  const cases = node.type === 'switch' ? Object.entries(node.cases) : []
  const targets = [...cases.map(([key, target]) => ({ field: `cases.${key}`, target })), ...plain]
  return targets.flatMap(({ field, target }) => (typeof target === 'string' ? { field, target } : []))
}

/**
 * Throws for a target that is no node, for nodes that nothing leads to, and where no way leads from the start to an
 * end. Loops are fine: how often nodes are visited is capped when the workflow runs.
 */
export function checkGraph(site: (node?: string) => Site, nodes: NodeTable): void {
  for (const [id, node] of nodes) {
    for (const { field, target } of targetsOf(node)) {
      if (nodes.has(target)) continue
      const at = { ...site(id), field }
      throw refusal(at, `${fieldName(at)} leads to "${cut(target, 80)}", which is no node${hint(target, nodes.keys())}`)
    }
  }
  const reached = reachable(nodes)
  if (![...reached].some((id) => nodes.get(id)?.type === 'end'))
    throw refusal(site(), 'no way leads from the start to an end')
  const lost = [...nodes.keys()].filter((id) => !reached.has(id))
  if (lost.length === 0) return
  const shown = lost.slice(0, 10).map((id) => `"${id}"`)
  const rest = lost.length > shown.length ? ` and ${lost.length - shown.length} more` : ''
  throw refusal(site(lost[0]), `nothing leads to ${shown.join(', ')}${rest}`, { data: { nodes: lost } })
}

function reachable(nodes: NodeTable): ReadonlySet<string> {
  const start = [...nodes.values()].find(({ type }) => type === 'start')
  // A set is walked in the order of insertion, what is added on the way included.
  const reached = new Set(start && [start.id])
  for (const id of reached) {
    const node = nodes.get(id)
    for (const { target } of node ? targetsOf(node) : []) reached.add(target)
  }
  return reached
}
