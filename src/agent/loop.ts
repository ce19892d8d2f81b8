// The loop: ask the model, run its calls, answer, again. Down are calls, up are return values.
import { SameloopError } from '../error/error.ts'
import type { Stop } from '../message/event.ts'
import type { FinishReason } from '../message/model-event.ts'
import { failure } from '../message/outcome.ts'
import type { Message, Outcome, ToolResultPart } from '../message/part.ts'
import { contentText, messageText, textMessage } from '../message/text.ts'
import { resultPart } from '../message/transcript.ts'
import { addUsage, totalTokens } from '../message/usage.ts'
import { execute } from '../registry/call.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { record, saved } from '../run/log.ts'
import { untilAborted } from '../run/machine.ts'
import { handedOn, reconsider } from '../run/requests.ts'
import { callHook, elapsedMs, emit, homeOf, warn } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import { settle } from '../schema/coerce.ts'
import { issueText } from '../schema/standard.ts'
import { parseJson } from '../json/text.ts'
import { limitedCalls, noteRepeats, said } from './calls.ts'
import { stepState } from './state.ts'
import type { AgentState } from './state.ts'
import { turn } from './turn.ts'

/** Runs steps until the run ends. */
export async function loop(state: AgentState): Promise<Stop> {
  const { open } = state
  state.open = undefined
  let stop = open && (await answer(state, open))
  while (!stop) {
    if (state.aborted) return 'aborted'
    state.messages.push(...state.steering)
    state.steering = []
    const limit = reachedLimit(state)
    // The model may say one last thing without tools.
    const mayAnswer = state.options.finalAnswer && (limit === 'steps' || limit === 'tool-calls')
    const saving = saved(state)
    if (saving) await untilAborted(state, saving)
    stop = limit && !mayAnswer ? limit : await step(state, limit)
    if (limit && (!stop || stop === 'end')) stop = limit
  }
  return stop
}

/** The limit that is reached, if any. */
function reachedLimit(state: AgentState): Stop | undefined {
  if (state.stopNext) return state.stopNext
  const { steps = 20 } = state.limits
  const most = state.furtherLimits.reduce((least, limits) => Math.min(least, limits.steps ?? least), steps)
  return state.step >= most ? 'steps' : spentLimit(state)
}

/** The tokens, money and time of a sub-agent are those of the agents above it too. */
export function spentLimit(state: AgentState): Stop | undefined {
  for (const { tokens = Infinity, costUsd = Infinity, milliseconds = Infinity } of [
    state.limits,
    ...state.furtherLimits,
  ]) {
    if (totalTokens(state.usage) >= tokens) return 'tokens'
    if ((state.usage.costUsd ?? 0) >= costUsd) return 'cost'
    if (elapsedMs(state) >= milliseconds) return 'time'
  }
  return state.parent && spentAbove(state.parent.run)
}

/** What drives the run above, or above that, may have limits. */
const spentAbove = (run: RunState): Stop | undefined =>
  run.driver.spent ? run.driver.spent(run) : run.parent && spentAbove(run.parent.run)

const stops: { readonly [finish in FinishReason]?: Stop } = {
  length: 'output-limit',
  'content-filter': 'content-filter',
  refusal: 'refusal',
  'stop-sequence': 'stop-sequence',
}

/** One model call and what follows from it; `undefined` to go on. With a `limit` it is the last. */
async function step(state: AgentState, limit?: Stop): Promise<Stop | undefined> {
  emit(state, { type: 'step-start', step: ++state.step })
  const folded = await turn(state, limit !== undefined)
  if (!folded) return 'aborted'
  const { finish = 'stop', usage, rawFinish } = folded
  state.response = { finish, usage, rawFinish }
  state.usage = addUsage(state.usage, usage)
  emit(state, { type: 'usage', step: state.step, usage })
  const { content, calls } = said(state, folded)
  state.text = messageText({ content })
  if (content.length) state.messages.push({ role: 'assistant', content })
  if (finish === 'unknown') {
    warn(state, 'unknown-finish-reason', `The model stopped for an unknown reason "${rawFinish ?? ''}"`)
  }
  if (!calls.length) {
    endStep(state)
    return ended(state, stops[finish] ?? 'end', limit)
  }
  const isRefused = finish === 'refusal' || finish === 'content-filter'
  const planned = isRefused || limit ? calls.map(refused) : limitedCalls(state, calls)
  recordSaid(state)
  const stop = await answer(state, planned)
  return stop ?? (isRefused ? finish : undefined)
}

/** What was added since the log last knew, and what a step changes beside; results are in the log as events. */
export function recordSaid(state: AgentState): void {
  const { journal, messages, recorded, step, toolCalls, repaired, stopNext, steering } = state
  if (!journal && !homeOf(state).journal) return
  const added = messages.slice(recorded)
  state.recorded = messages.length
  record(state, 'journal-said', {
    step,
    messages: added,
    toolCalls: Object.fromEntries(toolCalls),
    repaired,
    stopNext,
    steering,
  })
}

const refused = (call: PreparedCall): PreparedCall => ({
  ...call,
  failed: failure('aborted', 'Not run: the answer was broken off'),
})

/** Runs the calls of a step and stores their results; `undefined` to go on. */
async function answer(state: AgentState, calls: readonly PreparedCall[]): Promise<Stop | undefined> {
  const { messages } = state
  const answers = dispatch(state, calls)
  // Nothing waits where nothing has to.
  const isLater = answers.some(isPromise)
  const outcomes = (
    isLater ? await handedOn(state, Promise.all(answers as Promise<Outcome>[])) : answers
  ) as readonly Outcome[]
  messages.push(resultMessage(messages, calls, outcomes))
  state.recorded = messages.length
  // After a crash all calls may have been answered before.
  if (calls.length) noteRepeats(state, calls, outcomes)
  if (state.aborted) return 'aborted'
  if (state.fatal) throw state.fatal
  const { pending } = state
  if (pending.length) return pending.every(({ wants }) => wants === 'result') ? 'client-tool' : 'approval'
  endStep(state)
  const unknown = outcomes.find((outcome) => !outcome.ok && outcome.reason === 'not-found')
  if (unknown && state.options.onUnknownTool === 'throw')
    throw new SameloopError('tool-not-found', contentText(unknown.parts))
  // Somebody who steered wants an answer.
  return !state.steering.length && answeredDirectly(state) ? 'return-direct' : wishedStop(state)
}

/** Runs the calls of one step side by side, their outcomes in call order; one that waits for a person is `pending`. */
function dispatch(state: AgentState, calls: readonly PreparedCall[]): readonly (Outcome | Promise<Outcome>)[] {
  const home = homeOf(state)
  home.working += calls.length
  const settled = (outcome: Outcome): Outcome => {
    home.working--
    reconsider(home)
    return outcome
  }
  return calls.map((call) => {
    const outcome = execute(call, state)
    return isPromise(outcome) ? outcome.then(settled) : settled(outcome)
  })
}

const isPromise = <Value>(value: Value | Promise<Value>): value is Promise<Value> => value instanceof Promise

/** The tool message of the step. On a resume it takes the place of the one with pending results. */
function resultMessage(messages: Message[], calls: readonly PreparedCall[], outcomes: readonly Outcome[]): Message {
  const results = calls.map((call, index) => resultPart(call, outcomes[index] as Outcome))
  if (messages.at(-1)?.role !== 'tool') return { role: 'tool', content: results }
  const { content } = messages.pop() as Message
  return {
    role: 'tool',
    content: content.map(
      (part) => results.find(({ callId }) => part.type === 'tool-result' && part.callId === callId) ?? part,
    ),
  }
}

/** Whether all successful calls of the last step were return-direct, and at least one was. */
function answeredDirectly(state: AgentState): boolean {
  const { content } = state.messages.at(-1) as Message
  const good = content.filter((part): part is ToolResultPart => part.type === 'tool-result' && part.ok)
  const isDirect = good.length > 0 && good.every(({ name }) => state.tools.get(name)?.tool.returnDirect === true)
  if (isDirect) state.text = good.map((part) => contentText(part.content)).join('\n')
  return isDirect
}

function endStep(state: AgentState): void {
  const { finish = 'tool-calls', rawFinish, usage = {} } = state.response ?? {}
  emit(state, { type: 'step-end', step: state.step, finish, rawFinish, usage })
  // A copy of all that was added is made only for somebody.
  if (state.options.hooks?.onStep) callHook(state, 'onStep', state.step, state.messages.slice(state.addedFrom))
}

async function wishedStop(state: AgentState): Promise<Stop | undefined> {
  const { stopWhen } = state.options
  const isWished = stopWhen && (await untilAborted(state, stopWhen(stepState(state))))
  return isWished ? 'custom' : undefined
}

/** The end of a step without calls: the answer, unless somebody steered, the answer does not fit, or it was cut. */
async function ended(state: AgentState, stop: Stop, limit: Stop | undefined): Promise<Stop | undefined> {
  if (stop !== 'end' && stop !== 'stop-sequence') return stop
  if (limit) return 'end'
  if (state.steering.length) return undefined
  const wished = await wishedStop(state)
  if (wished) return wished
  const complaint = checkOutput(state)
  if (!complaint) return stop
  state.messages.push(textMessage('user', complaint))
  return undefined
}

/** `undefined` when the answer fits (or none is asked for); else what to tell the model. Fails the second time. */
function checkOutput(state: AgentState): string | undefined {
  const { schema, text } = state
  if (!schema) return undefined
  // Models like to fence JSON although they are asked not to.
  const parsed = parseJson(/^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text)
  const settled = parsed.ok ? settle(schema, parsed.value) : undefined
  if (settled?.ok) {
    state.output = settled.value
    return undefined
  }
  const why = parsed.ok && settled ? issueText(settled.issues, parsed.value) : 'it is not JSON'
  const message = `The answer does not fit the output schema: ${why}`
  if (state.repaired) throw new SameloopError('schema-mismatch', message, { data: { text: text.slice(0, 1000) } })
  state.repaired = true
  return `${message}. Answer again with the JSON alone`
}
