// A workflow that is ready to be run: its definition, checked.
import { copyJson } from '../json/value.ts'
import { checkWorkflow } from './check.ts'
import type { WorkflowJson } from './definition.ts'

export interface Workflow {
  readonly name: string
  /** Checked and frozen. Of a workflow that is still being built it throws `workflow-invalid`. */
  readonly definition: WorkflowJson
  /** A copy of the definition: `workflow(it)` is the same workflow. */
  toJSON(): WorkflowJson
}

/** Throws `workflow-invalid` for what is no definition. */
export function load(json: unknown): Workflow {
  const definition = checkWorkflow(json)
  return { name: definition.name, definition, toJSON: () => copyJson(definition) }
}
