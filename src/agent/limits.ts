// When a run must stop before its next model call, and which calls are too many.
import { sameJson } from '../message/equal.ts'
import type { Stop } from '../message/event.ts'
import type { Outcome } from '../message/part.ts'
import { totalTokens } from '../message/usage.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { elapsedMs } from '../run/state.ts'
import { failure } from '../tool/outcome.ts'
import type { AgentState, Repeat } from './state.ts'

const defaultSteps = 20
const defaultRepeats = 3

/** The limit that is reached, if any. */
export function reachedLimit(state: AgentState): Stop | undefined {
  const { limits, run } = state
  if (state.stopNext !== undefined) return state.stopNext
  if (run.step >= (limits.steps ?? defaultSteps)) return 'steps'
  if (limits.tokens !== undefined && totalTokens(run.usage) >= limits.tokens) return 'tokens'
  if (limits.costUsd !== undefined && (run.usage.costUsd ?? 0) >= limits.costUsd) return 'cost'
  if (limits.milliseconds !== undefined && elapsedMs(run) >= limits.milliseconds) return 'time'
  return undefined
}

/** The calls of a step, those that are too many or too much the same marked as failed before anything runs. */
export function limitedCalls(state: AgentState, calls: readonly PreparedCall[]): readonly PreparedCall[] {
  const wanted = state.limits.repeatedCalls ?? defaultRepeats
  return calls.map((call) => {
    if (call.failed !== undefined) return call
    const repeated = repeatFailure(state, call, wanted)
    if (repeated !== undefined) return { ...call, failed: repeated }
    const surplus = countCall(state, call.entry?.name ?? call.name)
    return surplus === undefined ? call : { ...call, failed: surplus }
  })
}

/** Counts a call, or says that it is one too many. */
function countCall(state: AgentState, name: string): Outcome | undefined {
  const { toolCalls: limit } = state.limits
  const { toolCalls } = state
  if (limit !== undefined) {
    const allowed = typeof limit === 'number' ? limit : own(limit, name)
    const made = typeof limit === 'number' ? sum(toolCalls.values()) : (toolCalls.get(name) ?? 0)
    if (allowed !== undefined && made >= allowed) {
      state.stopNext = 'tool-calls'
      return failure('limit', `Not run: the limit of ${allowed} tool calls is reached`)
    }
  }
  toolCalls.set(name, (toolCalls.get(name) ?? 0) + 1)
  return undefined
}

const own = (record: Readonly<Record<string, number>>, name: string): number | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const number of numbers) total += number
  return total
}

function repeatFailure(state: AgentState, call: PreparedCall, wanted: number): Outcome | undefined {
  if (call.entry?.tool.repeatable === true) return undefined
  const earlier = findRepeat(state.repeats, call)
  if (earlier === undefined || earlier.count < wanted - 1) return undefined
  if (earlier.count >= wanted) {
    state.stopNext = 'repeated-calls'
    return failure('limit', 'Not run: the same call was made again after a warning')
  }
  const times = earlier.count === 1 ? 'once' : `${earlier.count} times in a row`
  return failure('limit', `Not run: this call was already made ${times} with the same result. Use that result, or try something else`)
}

const findRepeat = (repeats: readonly Repeat[], call: PreparedCall): Repeat | undefined =>
  repeats.find((one) => one.name === call.name && sameJson(one.input, call.input))

/** Notes what a step's calls gave, for the next step to compare. Equal calls within one step count once. */
export function noteRepeats(state: AgentState, calls: readonly PreparedCall[], outcomes: readonly Outcome[]): void {
  if ((state.limits.repeatedCalls ?? defaultRepeats) === Infinity) return
  state.repeats = calls.map((call, index) => {
    const outcome = outcomes[index] as Outcome
    const earlier = findRepeat(state.repeats, call)
    const isWarning = !outcome.ok && outcome.reason === 'limit'
    const again = earlier !== undefined && (isWarning || sameJson(earlier.content, outcome.parts))
    const content = isWarning && earlier !== undefined ? earlier.content : outcome.parts
    return { name: call.name, input: call.input, content, count: again ? earlier.count + 1 : 1 }
  })
}
