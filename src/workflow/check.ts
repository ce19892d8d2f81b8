// Checks a definition once, when it is loaded, so that a run meets no mistake of its author.
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { InnerNode, WorkflowJson, WorkflowNode } from './definition.ts'
import { checkFields, checkType } from './field-check.ts'
import { nodeFields, workflowFields } from './fields.ts'
import { checkGraph } from './graph.ts'
import type { NodeTable } from './graph.ts'
import { takeIn } from './intake.ts'
import { checkNames } from './names.ts'
import { refusal } from './refusal.ts'
import type { Site } from './refusal.ts'

/** Nodes of all workflows in a definition together. */
const mostNodes = 10_000
/** Workflows within workflows. */
const deepest = 8

interface Level {
  readonly json: Json
  readonly site: Site
  readonly level: number
}

/**
 * A frozen copy of a definition that anyone may have written. Throws `workflow-invalid` with `data: { node?, problem }`
 * for the first mistake. The time is linear in the size; nesting is bounded: 64 levels of JSON, 8 of workflows.
 */
export function checkWorkflow(value: unknown): WorkflowJson {
  const json = takeIn(value, {})
  const name = own(json, 'name')
  const levels: Level[] = [{ json, site: { workflow: typeof name === 'string' ? name : undefined }, level: 0 }]
  let nodes = 0
  // What is found within is checked in its turn: a list needs no stack.
  for (const one of levels) {
    const list = own(one.json, 'nodes')
    nodes += Array.isArray(list) ? list.length : 0
    if (nodes > mostNodes) throw refusal(one.site, `expected at most ${mostNodes} nodes in all`)
    levels.push(...checkLevel(one))
  }
  return json as unknown as WorkflowJson
}

/** Checks one workflow; gives those within it. */
function checkLevel({ json, site, level }: Level): Level[] {
  if (level > deepest) throw refusal(site, `expected at most ${deepest} levels of workflows within workflows`)
  checkFields(site, json, workflowFields)
  const definition = json as unknown as WorkflowJson
  const siteOf = (id?: string): Site => {
    if (id === undefined) return site
    return { workflow: site.workflow, node: site.node === undefined ? id : `${site.node}/${id}` }
  }
  const nodes = nodeTable(siteOf, definition.nodes)
  checkEnds(site, [...nodes.values()])
  checkGraph(siteOf, nodes)
  for (const node of nodes.values()) checkNames(siteOf(node.id), node, { ids: nodes, state: definition.state })
  return [...nodes.values()].flatMap((node) =>
    innerNodes(node).flatMap(([name, inner]) =>
      inner.type === 'workflow'
        ? { json: inner.workflow as unknown as Json, site: siteOf(name), level: level + 1 }
        : [],
    ),
  )
}

/** The nodes by id. Throws for a node that is none and an id that is there twice. */
function nodeTable(siteOf: (id: string) => Site, list: readonly WorkflowNode[]): NodeTable {
  const nodes = new Map<string, WorkflowNode>()
  list.forEach((node, index) => {
    const id = own(node, 'id')
    const site = siteOf(typeof id === 'string' ? id : `nodes/${index}`)
    checkNode(site, node)
    if (nodes.has(node.id)) throw refusal(site, `the id is not unique: "${node.id}" is there twice`)
    nodes.set(node.id, node)
  })
  return nodes
}

function checkEnds(site: Site, nodes: readonly WorkflowNode[]): void {
  const starts = nodes.filter(({ type }) => type === 'start')
  if (starts.length !== 1) throw refusal(site, `expected exactly one node of type start, got ${starts.length}`)
  if (!nodes.some(({ type }) => type === 'end')) throw refusal(site, 'expected at least one node of type end')
}

function checkNode(site: Site, node: WorkflowNode): void {
  const json = node as unknown as Json
  checkFields(site, json, nodeFields[checkType(site, json, nodeFields)])
  if (node.type === 'wait' && (node.ms === undefined) === (node.event === undefined))
    throw refusal(site, 'a wait has exactly one of "ms" and "event"')
}

/** What runs within a node, with a name for messages. */
function innerNodes(node: WorkflowNode): (readonly [string, InnerNode])[] {
  if (node.type === 'map') return [[node.id, node.each]]
  if (node.type !== 'parallel') return []
  return Object.entries(node.branches).map(([name, branch]) => [`${node.id}.${name}`, branch] as const)
}
