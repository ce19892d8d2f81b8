// A node, ready to be visited: what it does, what it changes, and where it leads.
import { compile, isTruthy } from '../expression/compile.ts'
import type { Value } from '../expression/parser.ts'
import { jsonText } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { SwitchNode, WorkflowNode } from '../workflow/definition.ts'
import { compileTemplate } from '../workflow/template.ts'
import type { Scope } from '../workflow/template.ts'
import { approvalActivity, activityOf, eventActivity } from './activity.ts'
import { boundOf, nodeFailure } from './bounds.ts'
import type { Activity } from './activity.ts'
import type { EngineSetup } from './setup.ts'
import { mapActivity, parallelActivity } from './within.ts'
import type { Troupe } from './nested-workflow.ts'

export interface Step {
  /** What it calls. */
  readonly activity?: Activity | undefined
  /** What it gives without a call. Throws `workflow-failed` or `expression-failed`. */
  readonly value?: ((scope: Scope) => Json) | undefined
  /** How long it waits. */
  readonly ms?: number | undefined
  /** What it changes, from a scope with `output`. */
  readonly set: readonly (readonly [string, (scope: Scope) => Json])[]
  /** The node after it; nothing after the end. Throws `workflow-failed` where there is none. */
  next(value: Json): string | undefined
}

/** Throws `workflow-invalid` for what it names and is not there. */
export function stepOf(troupe: Troupe, node: WorkflowNode): Step {
  const set = Object.entries(node.set ?? {}).map(([key, template]) => [key, compileTemplate(template)] as const)
  const next = (): string | undefined => ('next' in node ? node.next : undefined)
  const calls = (activity: Activity): Step => ({ activity, set, next })
  const gives = (take: (scope: Scope) => Json): Step => ({ value: boundValue(troupe.setup, node, take), set, next })
  switch (node.type) {
    case 'start':
      return gives((scope) => scope['input'] ?? null)
    case 'end':
      return gives(compileTemplate(node.output ?? null))
    case 'if': {
      const condition = compile(node.condition)
      const step = gives((scope) => isTruthy(condition(scope as Value)))
      return { ...step, next: (value) => (isTruthy(value as Value) ? node.then : node.else) }
    }
    case 'switch': {
      const value = compile(node.value)
      return { ...gives((scope) => value(scope as Value) as Json), next: (got) => caseOf(node, got) }
    }
    case 'parallel':
      return calls(parallelActivity(troupe, node))
    case 'map':
      return calls(mapActivity(troupe, node))
    case 'approval':
      return calls(approvalActivity(troupe.setup, node))
    case 'wait':
      return node.event === undefined
        ? { ms: node.ms ?? 0, set, next }
        : calls(eventActivity(troupe.setup, node, node.event))
    default:
      return calls(activityOf(troupe, node, node.id))
  }
}

function boundValue(setup: EngineSetup, node: WorkflowNode, take: (scope: Scope) => Json): (scope: Scope) => Json {
  const input = boundOf(setup, 'inputSchema', node)
  const output = boundOf(setup, 'outputSchema', node)
  return (scope) => output(input(take(scope)))
}

function caseOf({ cases, default: other }: SwitchNode, got: Json): string {
  const text = typeof got === 'string' ? got : (jsonText(got) ?? '')
  const target = (own(cases, text) as string | undefined) ?? other
  if (target !== undefined) return target
  throw nodeFailure('failed', `no case is ${JSON.stringify(text)}, and there is no default`)
}
