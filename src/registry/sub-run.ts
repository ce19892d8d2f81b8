// A tool that is a run of its own, such as an agent: it makes its outcome itself, and may wait for people.
import type { Outcome } from '../message/part.ts'
import type { JsonSchema } from '../schema/schema.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolContext } from '../tool/context.ts'
import type { PreparedCall, ReadyCall } from './prepare.ts'
import type { CallScope } from './scope.ts'

export interface SubRun {
  /** Of its value, where it is an object: such a value is the result as it is. */
  readonly output?: JsonSchema | undefined
  /**
   * Rejects where the snapshot of an earlier part of the run, so many runs deep, cannot go on. Gives the calls in it, at
   * any depth, that want an answer.
   */
  check(snapshot: unknown, depth: number): Promise<readonly PreparedCall[]>
  /** `call.continues` is such a snapshot. An outcome `pending` waits for people. */
  run(call: ReadyCall, scope: CallScope, context: ToolContext): Promise<Outcome>
}

const subRunKey: unique symbol = Symbol.for('sameloop.sub-run') as never

export const withSubRun = <Kind extends Tool>(tool: Kind, subRun: SubRun): Kind =>
  Object.assign(tool, { [subRunKey]: subRun })

export const subRunOf = (tool: Tool): SubRun | undefined => (tool as { readonly [subRunKey]?: SubRun })[subRunKey]
