// How often tools may be called in a run: counted by tool, whatever drives the run.
import { own } from '../json/value.ts'
import { failure } from '../message/outcome.ts'
import type { Failure } from '../message/outcome.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import type { Limits } from '../tool/limits.ts'

/** Counts a call in `made`, or says that it is one too many. */
export function countCall(
  made: Map<string, number>,
  limits: readonly Pick<Limits, 'toolCalls'>[],
  call: PreparedCall,
): Failure | undefined {
  // Under whatever name, it is one tool.
  const name = call.entry?.alias ?? call.entry?.name ?? call.name
  const before = made.get(name) ?? 0
  for (const { toolCalls: limit = Infinity } of limits) {
    const isTotal = typeof limit === 'number'
    const allowed = isTotal ? limit : ((own(limit, name) as number | undefined) ?? Infinity)
    const counted = isTotal && limit < Infinity ? [...made.values()].reduce((sum, count) => sum + count, 0) : before
    if (counted >= allowed) return failure('limit', `Not run: the limit is ${allowed} tool calls`)
  }
  made.set(name, before + 1)
  return undefined
}
