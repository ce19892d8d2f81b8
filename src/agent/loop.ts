// The loop: ask the model, run its calls, answer, again. Down are calls, up are return values.
import { SameloopError } from '../error/error.ts'
import type { Stop } from '../message/event.ts'
import type { Fold } from '../message/fold.ts'
import { foldedText } from '../message/fold.ts'
import type { Message, Outcome, ToolResultPart } from '../message/part.ts'
import { contentText, messageText } from '../message/text.ts'
import { addUsage } from '../message/usage.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { observe } from '../run/hooks.ts'
import { emit, reportObserver, warn } from '../run/state.ts'
import type { Ending } from '../run/state.ts'
import { saidMessage } from './calls.ts'
import { dispatch } from './dispatch.ts'
import { limitedCalls, noteRepeats, reachedLimit } from './limits.ts'
import { checkOutput } from './output.ts'
import { prepareRequest } from './request.ts'
import { stepState } from './state.ts'
import type { AgentState } from './state.ts'
import { turn } from './turn.ts'
import { failure } from '../tool/outcome.ts'

const done = (stop: Stop): Ending => ({ status: 'done', stop })
const stopped = (stop: Stop): Ending => ({ status: 'stopped', stop })
const aborted: Ending = { status: 'aborted', stop: 'aborted' }

/** Runs steps until the run ends. `open` are the calls that a resumed step still has to answer. */
export async function loop(state: AgentState, open: readonly PreparedCall[] | undefined): Promise<Ending> {
  const { run } = state
  let ending = open === undefined ? undefined : await answer(state, open)
  while (ending === undefined) {
    if (run.aborted) return aborted
    state.messages.push(...run.steering.splice(0))
    const limit = reachedLimit(state)
    ending = limit === undefined ? await step(state, false) : await atLimit(state, limit)
  }
  return ending
}

/** A reached limit ends the run; with `finalAnswer` the model may say one last thing without tools. */
async function atLimit(state: AgentState, limit: Stop): Promise<Ending> {
  const mayAnswer = state.setup.options.finalAnswer === true && (limit === 'steps' || limit === 'tool-calls')
  if (!mayAnswer) return stopped(limit)
  const ending = await step(state, true)
  return ending?.status === 'done' ? stopped(limit) : (ending ?? stopped(limit))
}

/** One model call and what follows from it; `undefined` to go on. */
async function step(state: AgentState, isFinal: boolean): Promise<Ending | undefined> {
  const { run, messages } = state
  run.step++
  emit(run, { type: 'step-start', step: run.step })
  const { model, request } = await prepareRequest(state, isFinal)
  const folded = await halfAnswerKept(state, turn(state, model, request))
  if (folded === undefined) return aborted
  run.usage = addUsage(run.usage, folded.usage)
  state.finish = folded.finish
  emit(run, { type: 'usage', step: run.step, usage: folded.usage })
  const { message, calls } = saidMessage(state, folded)
  state.text = foldedText(folded)
  if (message.content.length > 0) messages.push(message)
  if (folded.finish === 'unknown') warn(run, 'unknown-finish-reason', `The model stopped for an unknown reason: "${folded.rawFinish ?? ''}"`)
  if (calls.length === 0) {
    endStep(state, folded)
    return ended(state, folded, isFinal)
  }
  const isRefused = folded.finish === 'refusal' || folded.finish === 'content-filter' || isFinal
  const ending = await answer(state, isRefused ? calls.map(refused) : limitedCalls(state, calls), folded)
  if (ending === undefined && isRefused && !isFinal) return stopped(folded.finish as Stop)
  return ending
}

const refused = (call: PreparedCall): PreparedCall => ({ ...call, failed: failure('aborted', 'Not run: the answer was broken off') })

/** An abort in the middle of an answer keeps what was said; its unfinished calls are dropped. */
async function halfAnswerKept(state: AgentState, asking: Promise<Fold>): Promise<Fold | undefined> {
  try {
    return await asking
  } catch (thrown) {
    state.text = state.partial
    if (!state.run.aborted) throw thrown
    if (state.partial !== '') state.messages.push({ role: 'assistant', content: [{ type: 'text', text: state.partial }] })
    return undefined
  }
}

/** Runs the calls of a step and stores their results; `undefined` to go on. */
async function answer(state: AgentState, calls: readonly PreparedCall[], folded?: Fold): Promise<Ending | undefined> {
  const { run } = state
  const waiting = dispatch(state, calls)
  const outcomes = waiting instanceof Promise ? await waiting : waiting
  state.messages.push(resultMessage(state, calls, outcomes))
  noteRepeats(state, calls, outcomes)
  if (run.aborted) return aborted
  if (run.fatal !== undefined) return { status: 'failed', stop: 'failed', error: run.fatal }
  if (run.pending.length > 0) {
    return { status: 'suspended', stop: run.pending.every(({ wants }) => wants === 'result') ? 'client-tool' : 'approval' }
  }
  endStep(state, folded)
  const unknown = state.setup.options.onUnknownTool === 'throw' && outcomes.find((outcome) => !outcome.ok && outcome.reason === 'not-found')
  if (unknown) throw new SameloopError('tool-not-found', contentText(unknown.parts))
  if (isDirect(state)) return done('return-direct')
  return (await wantsStop(state)) ? stopped('custom') : undefined
}

/** The tool message of the step. On a resume it takes the place of the one with pending results. */
function resultMessage(state: AgentState, calls: readonly PreparedCall[], outcomes: readonly Outcome[]): Message {
  const results = calls.map((call, index) => resultPart(call, outcomes[index] as Outcome))
  const last = state.messages.at(-1)
  if (last?.role !== 'tool') return { role: 'tool', content: results }
  state.messages.pop()
  const byCall = new Map(results.map((part) => [part.callId, part]))
  return { role: 'tool', content: last.content.map((part) => (part.type === 'tool-result' ? (byCall.get(part.callId) ?? part) : part)) }
}

function resultPart({ callId, name }: PreparedCall, outcome: Outcome): ToolResultPart {
  const { ok, parts: content } = outcome
  return { type: 'tool-result', callId, name, ok, reason: outcome.ok ? undefined : outcome.reason, content }
}

/** Whether all successful calls of the last step were return-direct, and at least one was. */
function isDirect(state: AgentState): boolean {
  const results = (state.messages.at(-1) as Message).content.filter((part) => part.type === 'tool-result')
  const good = results.filter((part) => part.ok)
  if (good.length === 0 || !good.every(({ name }) => state.tools.get(name)?.tool.returnDirect === true)) return false
  state.text = good.map(({ content }) => contentText(content)).join('\n')
  return true
}

function endStep(state: AgentState, folded: Fold | undefined): void {
  const { run } = state
  const { finish = 'tool-calls' } = state
  emit(run, { type: 'step-end', step: run.step, finish, rawFinish: folded?.rawFinish, usage: folded?.usage ?? {} })
  const { onStep } = run.hooks
  if (onStep === undefined) return
  observe(
    () => onStep(run.step, state.messages.slice(state.addedFrom)),
    (message) => reportObserver(run, 'onStep', message),
  )
}

async function wantsStop(state: AgentState): Promise<boolean> {
  const { stopWhen } = state.setup.options
  return stopWhen === undefined ? false : await stopWhen(stepState(state))
}

const endings: Readonly<Record<string, Ending>> = {
  length: stopped('output-limit'),
  'content-filter': stopped('content-filter'),
  refusal: stopped('refusal'),
  'stop-sequence': done('stop-sequence'),
}

/** The end of a step without calls: the answer, unless somebody steered, the answer does not fit, or it was cut. */
async function ended(state: AgentState, folded: Fold, isFinal: boolean): Promise<Ending | undefined> {
  const ending = endings[folded.finish ?? 'stop']
  if (ending?.status === 'stopped') return ending
  if (isFinal) return done('end')
  if (state.run.steering.length > 0) return undefined
  if (await wantsStop(state)) return stopped('custom')
  const complaint = checkOutput(state)
  if (complaint === undefined) return ending ?? done('end')
  state.messages.push({ role: 'user', content: [{ type: 'text', text: complaint }] })
  return undefined
}

/** The text of the last answer, for a run that said nothing since it was resumed. */
export function lastText(messages: readonly Message[]): string {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? messageText(last) : ''
}
