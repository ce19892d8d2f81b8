// A workflow as a graph: its nodes, where each may go, and where a run went.
import { isObject, own } from '../json/value.ts'
import type { Visit, WorkflowJson, WorkflowNode } from '../workflow/definition.ts'
import { edgeList, placesOf, statusOf } from './graph.ts'
import type { DrawnResult, Graph, GraphEdge, GraphNode, DrawingOptions } from './graph.ts'
import { nodeTimes } from './node-times.ts'
import { duration, lineOf, textOf } from './words.ts'

type Places = ReadonlyMap<string, number>

export function workflowGraph(workflow: WorkflowJson, { visits }: DrawnResult, options: DrawingOptions): Graph {
  const { nodes } = workflow
  const ids = nodes.map(({ id }) => textOf(id))
  const places = placesOf(ids)
  const edges = edgesOf(nodes, places)
  const times = nodeTimes(options.events)
  const visited = new Map<string, Visit[]>()
  for (const visit of visits ?? []) {
    const known = visited.get(textOf(visit.node))
    if (known) known.push(visit)
    else visited.set(textOf(visit.node), [visit])
  }
  return {
    kind: 'workflow',
    name: lineOf(workflow.name),
    nodes: nodes.map((node, index): GraphNode => {
      const id = ids[index] ?? ''
      const mine = visited.get(id)
      const time = times.get(node.id)
      const { durationMs } = time ?? {}
      return {
        id,
        shape: node.type,
        lines: linesOf(node),
        facts: factsOf(node, mine, durationMs),
        status: statusOf(mine?.at(-1)?.status) ?? time?.status,
        ...(visits && { visits: mine?.length ?? 0 }),
        durationMs,
      }
    }),
    edges: visits ? takenEdges(edges, visits, places) : edges,
  }
}

function edgesOf(nodes: readonly WorkflowNode[], places: Places): readonly GraphEdge[] {
  const { add, edges } = edgeList(places)
  for (const node of nodes) {
    const from = places.get(textOf(node.id))
    const go = (to: unknown, label = '', kind: GraphEdge['kind'] = 'flow'): void => {
      if (to !== undefined) add(from, textOf(to), { label, kind })
    }
    const isApproval = node.type === 'approval' && node.denied !== undefined
    if (node.type === 'if') {
      go(node.then, 'then')
      go(node.else, 'else')
    }
    if (node.type === 'switch') {
      for (const [value, to] of Object.entries(isObject(node.cases) ? node.cases : {})) go(to, lineOf(value) || '""')
      go(node.default, 'default')
    }
    go(own(node, 'next'), isApproval ? 'approved' : '')
    if (node.type === 'approval') go(node.denied, 'denied')
    go(own(node, 'onError'), 'error', 'error')
  }
  return edges
}

/** With how often a run went along each. */
function takenEdges(edges: readonly GraphEdge[], visits: readonly Visit[], places: Places): readonly GraphEdge[] {
  const taken = new Map<string, number>()
  for (const [index, { node }] of visits.entries()) {
    const next = visits[index + 1]
    if (!next) break
    const key = `${places.get(textOf(node))} ${places.get(textOf(next.node))}`
    taken.set(key, (taken.get(key) ?? 0) + 1)
  }
  return edges.map((edge) => ({ ...edge, taken: taken.get(`${edge.from} ${edge.to}`) ?? 0 }))
}

/** What the node does, in a line; the id stands above it. */
function linesOf(node: WorkflowNode): readonly string[] {
  switch (node.type) {
    case 'start':
    case 'end':
      return []
    case 'tool':
      return [lineOf(node.tool)]
    case 'agent':
      return [`agent ${lineOf(node.agent)}`]
    case 'model':
      return [`model ${lineOf(node.model ?? 'default')}`]
    case 'if':
      return [lineOf(node.condition)]
    case 'switch':
      return [lineOf(node.value)]
    case 'parallel':
      return [
        `all of ${Object.keys(isObject(node.branches) ? node.branches : {})
          .map(lineOf)
          .join(', ')}`,
      ]
    case 'map':
      return [`for each of ${lineOf(node.items)}`, innerLine(node.each)]
    case 'wait':
      return [
        typeof node.ms === 'number' ? `wait ${duration(node.ms)}` : `wait for ${lineOf(node.event ?? 'an event')}`,
      ]
    case 'approval':
      return [`ask: ${lineOf(node.message)}`]
    default:
      return [lineOf(own(node, 'type'))]
  }
}

function innerLine(inner: unknown): string {
  const named = ['tool', 'agent', 'model'].map((key) => own(inner, key)).find((name) => name !== undefined)
  return lineOf(named ?? own(own(inner, 'workflow'), 'name') ?? own(inner, 'type'))
}

function factsOf(node: WorkflowNode, visits: readonly Visit[] = [], durationMs?: number): readonly string[] {
  const last = visits.at(-1)
  const branches = node.type === 'parallel' ? Object.entries(isObject(node.branches) ? node.branches : {}) : []
  const facts: readonly (string | undefined)[] = [
    `type: ${lineOf(node.type)}`,
    ...linesOf(node).filter(() => node.type !== 'parallel'),
    ...branches.map(([name, inner]) => `${lineOf(name)}: ${innerLine(inner)}`),
    last && `status: ${lineOf(last.status)}`,
    last?.reason === undefined ? undefined : `reason: ${textOf(last.reason)}`,
    last?.message === undefined ? undefined : `message: ${textOf(last.message)}`,
    visits.length > 1 ? `visits: ${visits.length}` : undefined,
    durationMs === undefined ? undefined : `time: ${duration(durationMs)}`,
  ]
  return facts.filter((fact) => fact !== undefined)
}
