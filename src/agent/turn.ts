// One model call: events in, one assistant message and its prepared calls out. A half answer is never kept twice.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { ModelEvent } from '../message/model-event.ts'
import { fold, foldEvent, foldedText } from '../message/fold.ts'
import type { Fold } from '../message/fold.ts'
import { wrapModel } from '../middleware/middleware.ts'
import type { ModelNext } from '../middleware/middleware.ts'
import type { Model, ModelCall, ModelRequest } from '../model/model.ts'
import { observe } from '../run/hooks.ts'
import { runSignal, untilAborted } from '../run/machine.ts'
import { caughtUp, isFull } from '../run/queue.ts'
import { emit, emitDelta, onAbort, reportObserver, warn } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import type { AgentState } from './state.ts'

const maxResets = 2
const resetDelayMs = 500

/** Asks the model, repeating the step when a stream breaks in its middle. Rejects when the run is aborted. */
export async function turn(state: AgentState, model: Model, request: ModelRequest): Promise<Fold> {
  const { run, setup } = state
  const { onModelRequest } = run.hooks
  if (onModelRequest !== undefined) {
    observe(
      () => onModelRequest(request, run.step),
      (message) => reportObserver(run, 'onModelRequest', message),
    )
  }
  const ask = wrapModel(setup.middleware, (asked) => model.stream(asked, modelCall(run)))
  for (let resets = 0; ; resets++) {
    const folded = fold()
    try {
      await untilAborted(run, consume(run, ask, request, folded))
      return folded
    } catch (thrown) {
      state.partial = foldedText(folded)
      const mayRepeat = !run.aborted && folded.items.length > 0 && resets < maxResets
      if (!mayRepeat || !isSameloopError(thrown) || !thrown.retryable) throw thrown
      emit(run, { type: 'step-reset', step: run.step, reason: thrown.message })
      await untilAborted(run, pause(run, resetDelayMs * 2 ** resets))
    }
  }
}

function modelCall(run: RunState): ModelCall {
  return {
    host: run.host,
    get signal() {
      return runSignal(run)
    },
    onWarning: (code, message, data) => {
      if (run.ended === undefined) warn(run, code, message, data)
    },
    onRetry: (attempt, delayMs, reason) => {
      if (run.ended === undefined) emit(run, { type: 'retry', step: run.step, attempt, delayMs, reason })
    },
  }
}

async function consume(run: RunState, ask: ModelNext, request: ModelRequest, into: Fold): Promise<void> {
  for await (const events of ask(request)) {
    // The run went on without this stream; leaving the loop closes it.
    if (run.aborted) return
    for (const event of events) take(run, into, event)
    if (isFull(run.queue)) await roomOrAbort(run)
  }
  if (into.finish === undefined) {
    throw new SameloopError('model-truncated', 'The answer of the model ended without saying that it is finished', { retryable: true })
  }
}

async function roomOrAbort(run: RunState): Promise<void> {
  const room = caughtUp(run.queue)
  const forget = onAbort(run, () => run.queue.drained?.())
  await room
  forget()
}

function take(run: RunState, into: Fold, event: ModelEvent): void {
  foldEvent(into, event)
  switch (event.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return emitDelta(run, event.type, event.id, event.delta)
    case 'tool-input-delta':
      return emitDelta(run, event.type, blockId(event.index), event.delta)
    case 'text-start':
    case 'text-end':
    case 'reasoning-start':
    case 'reasoning-end':
      return emit(run, { type: event.type, step: run.step, id: event.id })
    case 'tool-input-start': {
      const { type, index, callId, name } = event
      return emit(run, { type, step: run.step, id: blockId(index), callId, name })
    }
    case 'source':
      return emit(run, { type: 'source', step: run.step, source: event.source })
    case 'file':
      return emit(run, { type: 'file', step: run.step, file: event.file })
  }
}

/** The block a call's arguments stream in. */
export const blockId = (index: number): string => `call-${index}`

function pause(run: RunState, ms: number): Promise<void> {
  return new Promise((resolve) => {
    run.host.timer(ms, resolve)
  })
}
