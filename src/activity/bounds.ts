// Where a node begins and ends: what it is given and what it gives, as its schemas have it, or why it fails.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { Json } from '../json/value.ts'
import { boundary } from '../workflow/boundary.ts'
import type { ToolNode } from '../workflow/definition.ts'
import { compileTemplate } from '../workflow/template.ts'
import type { Filled } from '../workflow/template.ts'
import type { EngineSetup } from './setup.ts'

interface Bounded {
  readonly inputSchema?: ToolNode['inputSchema']
  readonly outputSchema?: ToolNode['outputSchema']
}

/** What a template gives, checked and coerced. */
export function inputOf(setup: EngineSetup, node: object, template: Json): Filled {
  const fill = compileTemplate(template)
  const bound = boundOf(setup, 'inputSchema', node)
  return (scope, shared) => bound(fill(scope, shared))
}

/** What `take` makes of a value, checked and coerced. */
export function valueOf(setup: EngineSetup, node: object, take: (given: unknown) => Json): (given: unknown) => Json {
  const bound = boundOf(setup, 'outputSchema', node)
  return (given) => {
    let taken: Json
    try {
      taken = take(given)
    } catch (thrown) {
      if (isSameloopError(thrown, 'workflow-failed')) throw thrown
      throw nodeFailure('invalid-output', 'the value cannot be kept: it is no JSON', thrown)
    }
    return bound(taken)
  }
}

/** A value as a schema of the node has it. */
export function boundOf(setup: EngineSetup, field: keyof Bounded, node: Bounded): (value: Json) => Json {
  const schema = node[field]
  if (schema === undefined) return (value) => value
  const check = boundary(schema, { patterns: setup.options.patterns ?? 'ignore' })
  return (value) => {
    const bounded = check(value)
    if (bounded.ok) return bounded.value
    const reason = field === 'inputSchema' ? 'invalid-input' : 'invalid-output'
    throw nodeFailure(reason, `"${field}": ${bounded.message}`)
  }
}

/** Why a node fails that was not called or whose value does not do. */
export const nodeFailure = (reason: string, message: string, cause?: unknown): SameloopError =>
  new SameloopError('workflow-failed', message, { data: { reason }, cause })
