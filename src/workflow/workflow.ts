// `workflow()`: a workflow from code or from JSON, and `parseWorkflow()` from text.
import { describeThrown } from '../error/describe.ts'
import { parseJson } from '../json/text.ts'
import { builder } from './builder.ts'
import type { WorkflowBuilder, WorkflowOptions } from './builder.ts'
import type { WorkflowJson } from './definition.ts'
import { load } from './load.ts'
import type { Workflow } from './load.ts'
import { refusal } from './refusal.ts'

/**
 * With a name: the beginning of a workflow, to which nodes are added one after the other. With a definition: that
 * workflow, checked at once and copied, whoever wrote it. Throws `workflow-invalid`, the first for wrong nodes only when
 * its definition is asked for.
 */
export function workflow(name: string, options?: WorkflowOptions): WorkflowBuilder
export function workflow(definition: WorkflowJson): Workflow
export function workflow(given: string | WorkflowJson, options: WorkflowOptions = {}): Workflow {
  return typeof given === 'string' ? builder({ name: given, ...options }) : load(given)
}

/**
 * The workflow that a text describes. `parse` reads other notations than JSON, for example YAML; what it gives is
 * trusted no more than any other JSON. Throws `workflow-invalid`.
 */
export function parseWorkflow(text: string, parse: (text: string) => unknown = parseOrThrow): Workflow {
  let parsed: unknown
  try {
    parsed = parse(text)
  } catch (cause) {
    throw refusal({}, `the text cannot be read: ${describeThrown(cause)}`, { cause })
  }
  return load(parsed)
}

function parseOrThrow(text: string): unknown {
  const parsed = parseJson(text)
  if (!parsed.ok) throw new Error('it is no JSON')
  return parsed.value
}
