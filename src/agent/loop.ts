// The loop: ask the model, run its calls, answer, again. Down are calls, up are return values.
import { SameloopError } from '../error/error.ts'
import type { Stop } from '../message/event.ts'
import type { FinishReason } from '../message/model-event.ts'
import { failure } from '../message/outcome.ts'
import type { Message, Outcome } from '../message/part.ts'
import { contentText, messageText, textMessage } from '../message/text.ts'
import { resultPart } from '../message/transcript.ts'
import { addUsage } from '../message/usage.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { untilAborted } from '../run/machine.ts'
import { callHook, emit, warn } from '../run/state.ts'
import { said } from './calls.ts'
import { dispatch } from './dispatch.ts'
import { limitedCalls, noteRepeats, reachedLimit } from './limits.ts'
import { checkOutput } from './output.ts'
import { prepareRequest } from './request.ts'
import { stepState } from './state.ts'
import type { AgentState } from './state.ts'
import { turn } from './turn.ts'

/** Runs steps until the run ends. `open` are the calls that a resumed step still has to answer. */
export async function loop(state: AgentState, open: readonly PreparedCall[] | undefined): Promise<Stop> {
  const { run } = state
  let stop = open && (await answer(state, open))
  while (!stop) {
    if (run.aborted) return 'aborted'
    state.messages.push(...run.steering.splice(0))
    const limit = reachedLimit(state)
    // The model may say one last thing without tools.
    const mayAnswer = state.options.finalAnswer && (limit === 'steps' || limit === 'tool-calls')
    stop = limit && !mayAnswer ? limit : await step(state, limit)
    if (limit && (!stop || stop === 'end')) stop = limit
  }
  return stop
}

const stops: { readonly [finish in FinishReason]?: Stop } = {
  length: 'output-limit',
  'content-filter': 'content-filter',
  refusal: 'refusal',
  'stop-sequence': 'stop-sequence',
}

/** One model call and what follows from it; `undefined` to go on. With a `limit` it is the last. */
async function step(state: AgentState, limit?: Stop): Promise<Stop | undefined> {
  const { run } = state
  emit(run, { type: 'step-start', step: ++run.step })
  const { model, request } = await untilAborted(run, prepareRequest(state, limit !== undefined))
  const folded = await turn(state, model, request)
  if (!folded) return 'aborted'
  state.folded = folded
  const { finish = 'stop', usage, rawFinish = '' } = folded
  run.usage = addUsage(run.usage, usage)
  emit(run, { type: 'usage', step: run.step, usage })
  const { content, calls } = said(state, folded)
  state.text = messageText({ content })
  if (content.length) state.messages.push({ role: 'assistant', content })
  if (finish === 'unknown') warn(run, 'unknown-finish-reason', `The model stopped for an unknown reason "${rawFinish}"`)
  if (!calls.length) {
    endStep(state)
    return ended(state, stops[finish] ?? 'end', limit)
  }
  const isRefused = finish === 'refusal' || finish === 'content-filter'
  const stop = await answer(state, isRefused || limit ? calls.map(refused) : limitedCalls(state, calls))
  return stop ?? (isRefused ? finish : undefined)
}

const refused = (call: PreparedCall): PreparedCall => ({
  ...call,
  failed: failure('aborted', 'Not run: the answer was broken off'),
})

/** Runs the calls of a step and stores their results; `undefined` to go on. */
async function answer(state: AgentState, calls: readonly PreparedCall[]): Promise<Stop | undefined> {
  const { run, messages } = state
  const waiting = dispatch(state, calls)
  const outcomes = waiting instanceof Promise ? await waiting : waiting
  messages.push(resultMessage(messages, calls, outcomes))
  noteRepeats(state, calls, outcomes)
  if (run.aborted) return 'aborted'
  if (run.fatal) throw run.fatal
  if (run.pending.length) return run.pending.every(({ wants }) => wants === 'result') ? 'client-tool' : 'approval'
  endStep(state)
  const unknown = outcomes.find((outcome) => !outcome.ok && outcome.reason === 'not-found')
  if (unknown && state.options.onUnknownTool === 'throw')
    throw new SameloopError('tool-not-found', contentText(unknown.parts))
  // Somebody who steered wants an answer.
  return !run.steering.length && answeredDirectly(state) ? 'return-direct' : wishedStop(state)
}

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
  const good = content.filter((part) => part.type === 'tool-result').filter(({ ok }) => ok)
  const isDirect = good.length > 0 && good.every(({ name }) => state.tools.get(name)?.tool.returnDirect === true)
  if (isDirect) state.text = good.map((part) => contentText(part.content)).join('\n')
  return isDirect
}

function endStep(state: AgentState): void {
  const { run } = state
  const { finish = 'tool-calls', rawFinish, usage = {} } = state.folded ?? {}
  emit(run, { type: 'step-end', step: run.step, finish, rawFinish, usage })
  // A copy of all that was added is made only for somebody.
  if (state.options.hooks?.onStep) callHook(run, 'onStep', run.step, state.messages.slice(state.addedFrom))
}

async function wishedStop(state: AgentState): Promise<Stop | undefined> {
  const { stopWhen } = state.options
  const isWished = stopWhen && (await untilAborted(state.run, Promise.resolve(stopWhen(stepState(state)))))
  return isWished ? 'custom' : undefined
}

/** The end of a step without calls: the answer, unless somebody steered, the answer does not fit, or it was cut. */
async function ended(state: AgentState, stop: Stop, limit: Stop | undefined): Promise<Stop | undefined> {
  if (stop !== 'end' && stop !== 'stop-sequence') return stop
  if (limit) return 'end'
  if (state.run.steering.length) return undefined
  const wished = await wishedStop(state)
  if (wished) return wished
  const complaint = checkOutput(state)
  if (!complaint) return stop
  state.messages.push(textMessage('user', complaint))
  return undefined
}
