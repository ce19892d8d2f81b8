// When a run must stop before its next model call, and which calls are too many.
import { sameJson } from '../message/equal.ts'
import type { Stop } from '../message/event.ts'
import { failure } from '../message/outcome.ts'
import type { Failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import { totalTokens } from '../message/usage.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { elapsedMs } from '../run/state.ts'
import { own } from '../json/value.ts'
import type { AgentState, Repeat } from './state.ts'

/** The limit that is reached, if any. */
export function reachedLimit({ stopNext, limits, run }: AgentState): Stop | undefined {
  const { steps = 20, tokens = Infinity, costUsd = Infinity, milliseconds = Infinity } = limits
  if (stopNext) return stopNext
  if (run.step >= steps) return 'steps'
  if (totalTokens(run.usage) >= tokens) return 'tokens'
  if ((run.usage.costUsd ?? 0) >= costUsd) return 'cost'
  return elapsedMs(run) >= milliseconds ? 'time' : undefined
}

/** The calls of a step, those that are too many or too much the same marked as failed before anything runs. */
export function limitedCalls(state: AgentState, calls: readonly PreparedCall[]): readonly PreparedCall[] {
  return calls.map((call) => {
    const failed = repeated(state, call) ?? call.failed ?? surplus(state, call)
    return failed ? { ...call, failed } : call
  })
}

/** Counts a call, or says that it is one too many. */
export function surplus(state: AgentState, call: PreparedCall): Failure | undefined {
  const { toolCalls } = state
  const limit = state.limits.toolCalls ?? Infinity
  const name = call.entry?.name ?? call.name
  const made = toolCalls.get(name) ?? 0
  const isTotal = typeof limit === 'number'
  const allowed = isTotal ? limit : (own(limit, name) as number | undefined)
  const counted = isTotal ? [...toolCalls.values()].reduce((sum, count) => sum + count, 0) : made
  if (allowed === undefined || counted < allowed) {
    toolCalls.set(name, made + 1)
    return undefined
  }
  state.stopNext = 'tool-calls'
  return failure('limit', `Not run: the limit is ${allowed} tool calls`)
}

function repeated(state: AgentState, call: PreparedCall): Failure | undefined {
  const { repeatedCalls = 3 } = state.limits
  const count = findRepeat(state, call)?.count ?? 0
  if (count === 0 || count < repeatedCalls - 1 || call.entry?.tool.repeatable) return undefined
  if (count < repeatedCalls) {
    return failure('limit', 'Not run: the same call gave the same result before; use it, or try something else')
  }
  state.stopNext = 'repeated-calls'
  return failure('limit', 'Not run: the same call again')
}

const findRepeat = (state: AgentState, call: PreparedCall): Repeat | undefined =>
  state.repeats.find((one) => one.name === call.name && sameJson(one.input, call.input))

/** Notes what a step's calls gave, for the next step to compare. Equal calls within one step count once. */
export function noteRepeats(state: AgentState, calls: readonly PreparedCall[], outcomes: readonly Outcome[]): void {
  state.repeats = calls.map((call, index) => {
    const outcome = outcomes[index] as Outcome
    const earlier = findRepeat(state, call)
    const isWarned = earlier && !outcome.ok && outcome.reason === 'limit'
    const content = isWarned ? earlier.content : outcome.parts
    const isSame = earlier && sameJson(earlier.content, content)
    return { name: call.name, input: call.input, content, count: isSame ? earlier.count + 1 : 1 }
  })
}
