// A workflow within a workflow: a tool that is a run of the same engine.
import { runNested } from '../continuation/nested.ts'
import type { Below, Beginning, Ended } from '../continuation/nested.ts'
import { openWithin } from '../continuation/reopen.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { Outcome } from '../message/part.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { checkSnapshot } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { toolOutcome } from '../tool/outcome.ts'
import { ok } from '../tool/tool.ts'
import type { InnerNode } from '../workflow/definition.ts'
import { compileTemplate } from '../workflow/template.ts'
import { entryOf } from './activity.ts'
import type { Cast, Activity } from './activity.ts'
import type { EngineSetup } from './setup.ts'
import { valueOf } from './bounds.ts'
import { runTool } from './run-tool.ts'

/** How a workflow is begun and looked at as a part of another. */
export interface Nesting {
  begin(setup: EngineSetup, of: Inner, below: Below): Beginning<Ended & { readonly output?: Json | undefined }>
  /** The calls in its snapshot that want an answer. Throws where it cannot go on. */
  open(setup: EngineSetup, of: Inner, snapshot: Snapshot): readonly PreparedCall[]
}

export interface Inner {
  readonly node: Extract<InnerNode, { readonly type: 'workflow' }>
  readonly input: Json
}

/** The cast of nodes that may hold others. */
export interface Troupe extends Cast {
  readonly nesting: Nesting
}

export function workflowActivity(troupe: Troupe, node: Inner['node']): Activity {
  const { setup, nesting } = troupe
  const { name } = node.workflow
  const made = runTool(`workflow://${name}`, {
    async check(snapshot, depth) {
      checkSnapshot(snapshot, 'workflow')
      await setup.table.guard?.connect()
      const open = nesting.open(setup, { node, input: null }, snapshot)
      return [...open, ...(await openWithin(open, depth))]
    },
    run(call, scope, context) {
      const begin = (below: Below): ReturnType<Nesting['begin']> =>
        nesting.begin(
          setup,
          { node, input: own(call.value, 'input') as Json },
          { ...below, of: { ...below.of, agent: scope.agent } },
        )
      const outcomeOf = ({ output = null }: { readonly output?: Json | undefined }, details: Json): Outcome =>
        toolOutcome(ok(output, { details }), call.entry)
      return runNested(setup, { call, scope, context }, { what: `workflow "${name}"`, begin, outcomeOf })
    },
  })
  const fill = compileTemplate(node.input ?? {})
  return {
    entry: entryOf(setup, made),
    isOwn: true,
    isFrame: true,
    input: (scope, shared) => ({ input: fill(scope, shared) }),
    value: valueOf(setup, {}, (given) => (own(given, 'result') ?? null) as Json),
  }
}
