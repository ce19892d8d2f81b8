// One model call: events in, one response out. A half answer is never kept twice.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import { fold, foldEvent } from '../message/fold.ts'
import type { Fold } from '../message/fold.ts'
import { messageText, textMessage } from '../message/text.ts'
import { wrapModel } from '../middleware/middleware.ts'
import type { ModelNext } from '../middleware/middleware.ts'
import type { Model, ModelCall, ModelRequest } from '../model/model.ts'
import { signalOf } from '../registry/context.ts'
import { untilAborted } from '../run/machine.ts'
import { drained, isFull } from '../run/queue.ts'
import { callHook, emit, warn } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import type { AgentState } from './state.ts'

/**
 * Asks the model, repeating the step when a stream breaks in its middle. `undefined` when the run is aborted: what was
 * said is kept, unfinished calls are dropped.
 */
export async function turn(state: AgentState, model: Model, request: ModelRequest): Promise<Fold | undefined> {
  const maxResets = 2
  const resetDelayMs = 500
  const { run, middleware } = state
  callHook(run, 'onModelRequest', request, run.step)
  const ask = wrapModel(middleware, (asked) => model.stream(asked, modelCall(run)))
  for (let resets = 0; ; resets++) {
    const folded = fold()
    try {
      await untilAborted(run, consume(run, ask(request), folded))
      return folded
    } catch (thrown) {
      state.text = messageText({ content: folded.parts })
      if (run.aborted) {
        if (state.text !== '') state.messages.push(textMessage('assistant', state.text))
        return undefined
      }
      const isFinal = resets === maxResets || !folded.parts.length
      if (isFinal || !isSameloopError(thrown) || !thrown.retryable) throw thrown
      emit(run, { type: 'step-reset', step: run.step, reason: thrown.message })
      await untilAborted(run, new Promise<void>((resolve) => run.host.timer(resetDelayMs * 2 ** resets, resolve)))
    }
  }
}

function modelCall(run: RunState): ModelCall {
  return {
    host: run.host,
    get signal() {
      return signalOf(run)
    },
    onWarning: (...warning) => warn(run, ...warning),
    onRetry: (attempt, delayMs, reason) => {
      if (!run.ended) emit(run, { type: 'retry', step: run.step, attempt, delayMs, reason })
    },
  }
}

async function consume(run: RunState, stream: ReturnType<ModelNext>, into: Fold): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]()
  // Also a stream that is silent for ever hears of the abort.
  const leave = (): void => void guarded(() => iterator.return?.(), undefined)?.catch(() => {})
  run.abortListeners.add(leave)
  try {
    for (;;) {
      const { done, value: events } = await iterator.next()
      if (done || run.aborted) break
      for (const event of events) {
        const body = foldEvent(into, event, run.step)
        if (body) emit(run, body)
      }
      if (isFull(run.queue)) await drained(run.queue)
    }
  } catch (thrown) {
    leave()
    throw thrown
  } finally {
    run.abortListeners.delete(leave)
  }
  if (run.aborted) return leave()
  if (!into.finish) {
    throw new SameloopError('model-truncated', 'The answer of the model ended without a finish', { retryable: true })
  }
}
