// Reads what is to be drawn: a plan or a workflow, as JSON or as an object that has it.
import { SameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { PlanJson } from '../plan/step.ts'
import type { WorkflowJson } from '../workflow/definition.ts'
import type { Drawable, DrawnResult, Graph, DrawingOptions } from './graph.ts'
import { planGraph } from './plan-graph.ts'
import { workflowGraph } from './workflow-graph.ts'

/** Throws `config-invalid` for what is neither; what `toJSON` throws goes through. */
export function graphOf(subject: Drawable, result: DrawnResult = {}, options: DrawingOptions = {}): Graph {
  const json = jsonOf(subject)
  const steps = own(json, 'steps')
  if (isListOfNodes(steps)) return planGraph(json as unknown as PlanJson, result, options)
  const nodes = own(json, 'nodes')
  if (isListOfNodes(nodes)) return workflowGraph(json as unknown as WorkflowJson, result, options)
  throw new SameloopError('config-invalid', `Cannot draw: expected a plan or a workflow, got ${excerpt(json)}`)
}

function jsonOf(subject: Drawable): unknown {
  const { toJSON, definition } = (subject ?? {}) as { readonly toJSON?: unknown; readonly definition?: unknown }
  if (typeof toJSON === 'function') return (subject as { toJSON(): unknown }).toJSON()
  return definition === undefined ? subject : definition
}

const isListOfNodes = (list: unknown): boolean =>
  Array.isArray(list) && list.every((item) => typeof own(item, 'id') === 'string')
