// One model call: what the model is asked, its events in, one response out. A half answer is never kept twice.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { fold, foldEvent } from '../message/fold.ts'
import type { Fold } from '../message/fold.ts'
import type { ModelEvent, ToolDefinition } from '../message/model-event.ts'
import { messageText, textMessage } from '../message/text.ts'
import { wrapModel } from '../middleware/middleware.ts'
import type { Model, ModelCall, ModelRequest } from '../model/model.ts'
import { signalOf } from '../registry/context.ts'
import { toolList } from '../registry/table.ts'
import type { Entry } from '../registry/table.ts'
import type { Telling } from '../run/driver.ts'
import { untilAborted } from '../run/machine.ts'
import { drained, isFull } from '../observer/queue.ts'
import { callHook, emit, warn } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import { asksForEffects, stepFacts, stepState } from './state.ts'
import type { AgentState } from './state.ts'

/**
 * Asks the model, repeating the step when a stream breaks in its middle; with `isLast` the model may not call tools.
 * `undefined` when the run is aborted: what was said is kept, unfinished calls are dropped.
 */
export async function turn(state: AgentState, isLast: boolean): Promise<Fold | undefined> {
  const maxResets = 2
  const resetDelayMs = 500
  const { options } = state
  const { model, request } = await prepareRequest(state, isLast)
  callHook(state, 'onModelRequest', request, state.step)
  const call = modelCall(state)
  const ask = wrapModel(options.middleware ?? [], (asked) => model.stream(asked, call), call)
  for (let resets = 0; ; resets++) {
    const folded = fold()
    let events: AsyncIterator<readonly ModelEvent[]> | undefined
    try {
      events = ask(request)[Symbol.asyncIterator]()
      await untilAborted(state, consume(state, events, folded))
      if (folded.finish) return folded
      throw new SameloopError('model-truncated', 'The answer of the model ended without a finish', { retryable: true })
    } catch (thrown) {
      // Also a stream that is silent for ever hears of the abort.
      leave(events)
      state.text = messageText({ content: folded.parts })
      if (state.aborted) {
        if (state.text !== '') state.messages.push(textMessage('assistant', state.text))
        return undefined
      }
      const isFinal = resets === maxResets || !folded.parts.length
      if (isFinal || !isSameloopError(thrown) || !thrown.retryable) throw thrown
      emit(state, { type: 'step-reset', step: state.step, reason: thrown.message })
      await untilAborted(state, new Promise<void>((resolve) => state.host.timer(resetDelayMs * 2 ** resets, resolve)))
    }
  }
}

/** Nobody waits for it, and whatever it gives is no concern of the run. */
function leave(events: AsyncIterator<unknown> | undefined): void {
  const left = async (): Promise<unknown> => events?.return?.()
  left().catch(() => {})
}

async function consume(run: RunState, events: AsyncIterator<readonly ModelEvent[]>, into: Fold): Promise<void> {
  for (;;) {
    const { done, value } = await events.next()
    if (done || run.aborted) return
    for (const event of value) {
      const body = foldEvent(into, event, run.step)
      if (body) emit(run, body)
    }
    if (isFull(run.queue)) await drained(run.queue)
  }
}

const modelCall = (run: RunState): ModelCall => ({
  host: run.host,
  signal: signalOf(run),
  onWarning: (...warning) => warn(run, ...warning),
  onRetry: (attempt, delayMs, reason) => {
    if (!run.ended) emit(run, { type: 'retry', step: run.step, attempt, delayMs, reason })
  },
  onCompaction: (before, after) => {
    if (!run.ended) emit(run, { type: 'compaction', step: run.step, before, after })
  },
})

/** Instructions, transcript, tools, settings. Also sets the tools of the step. */
async function prepareRequest(
  state: AgentState,
  isLast: boolean,
): Promise<{ readonly model: Model; readonly request: ModelRequest }> {
  const { options } = state
  const { prepareStep } = options
  const connecting = state.table.guard?.connect()
  if (connecting) await untilAborted(state, connecting)
  const changes = (prepareStep && (await untilAborted(state, prepareStep(stepState(state))))) ?? {}
  chooseTools(state, changes.activeTools)
  // The same object where nothing changed: it is what a dialect's cache knows.
  const settings = changes.settings ? { ...state.settings, ...changes.settings } : state.settings
  const { model = options.model, instructions = options.instructions } = changes
  state.asksForEffects = asksForEffects(model)
  return {
    model,
    request: {
      messages: state.messages,
      instructions:
        typeof instructions === 'function' ? await untilAborted(state, instructions(stepState(state))) : instructions,
      tools: state.advertised,
      settings: isLast ? { ...settings, toolChoice: 'none' } : settings,
      output: state.schema?.json as ModelRequest['output'],
    },
  }
}

/** Who says which tools are told of; those of the runs above speak too. */
export function tellersOf({ options, table, parent }: AgentState): readonly Telling[] {
  const { policy, middleware = [] } = options
  return [policy, table.guard, ...middleware, ...tellersAbove(parent)].filter((one) => one !== undefined)
}

const tellersAbove = (parent: RunState['parent']): readonly Telling[] =>
  parent ? (parent.run.driver.tellers?.(parent.run) ?? tellersAbove(parent.run.parent)) : []

/** The tools a call may find, and those the model is told: what policy hides is found, for its rule to say why not. */
export function chooseTools(state: AgentState, active?: readonly string[]): void {
  const { entries, definitions } = toolList(state.table)
  const { middleware = [] } = state.options
  const facts = stepFacts(state)
  const registered = (name: string): Pick<Entry, 'name' | 'uri'> => entries.get(name) ?? { name, uri: '' }
  const isActive = ({ name }: ToolDefinition): boolean =>
    active?.includes(name) !== false || active.includes(registered(name).name)
  const tellers = tellersOf(state)
  const isTold = ({ name }: ToolDefinition): boolean =>
    tellers.every((teller) => teller.advertises?.(registered(name).name, registered(name).uri, facts) !== false)
  const filters = middleware.flatMap((one) => one.definitions ?? [])
  const chosen = filters.reduce<readonly ToolDefinition[]>(
    (list, filter) => filter(list, facts),
    definitions.filter(isActive),
  )
  // An alias is not told of, and found where its tool is.
  const uris = new Set(chosen.map(({ name }) => registered(name).uri))
  const kept = [...entries].filter(([, { uri }]) => uris.has(uri))
  state.tools = kept.length < entries.size ? new Map(kept) : entries
  const told = chosen.filter(isTold)
  // The earlier array where nothing changed: it is what a dialect's cache knows.
  const isSame = told.length === state.advertised.length && told.every((one, index) => one === state.advertised[index])
  if (!isSame) state.advertised = told
}
