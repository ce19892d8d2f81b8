// Running `execute` itself: slot, context, deadline, abort, progress, late results.
import { SameloopError } from '../error/error.ts'
import type { Json, Outcome } from '../message/part.ts'
import { failure, thrownFailure, toolOutcome } from '../tool/outcome.ts'
import { abortContext, toolContext } from './context.ts'
import type { CallAnother, Context } from './context.ts'
import type { PreparedCall } from './prepare.ts'
import type { CallScope } from './scope.ts'
import type { Entry } from './table.ts'

const defaultTimeoutMs = 60_000

/** Runs an approved call as soon as a slot is free. */
export function perform(call: PreparedCall, entry: Entry, scope: CallScope, another: CallAnother): Outcome | Promise<Outcome> {
  const wait = scope.acquire(entry)
  return wait === undefined ? start(call, entry, scope, another) : wait.then(() => start(call, entry, scope, another))
}

function start(call: PreparedCall, entry: Entry, scope: CallScope, another: CallAnother): Outcome | Promise<Outcome> {
  const startedAt = scope.host.now()
  if (scope.stopped()) {
    scope.release(entry)
    const outcome = failure('aborted', 'The run ended before this call started')
    scope.onEnd(call, outcome, { durationMs: 0, ran: false })
    return outcome
  }
  scope.onStart(call)
  const context = toolContext(call, entry, scope, another)
  const end = (outcome: Outcome): Outcome => {
    scope.release(entry)
    scope.onEnd(call, outcome, { durationMs: scope.host.now() - startedAt, ran: true })
    return outcome
  }
  let returned: unknown
  try {
    returned = scope.wrap === undefined ? entry.tool.execute?.(call.value, context) : wrapped(call, entry, scope, context)
  } catch (thrown) {
    return end(thrownFailure(thrown))
  }
  if (isPromise(returned)) return settleLater(call, entry, scope, { context, end, promise: returned })
  if (isGenerator(returned)) return settleLater(call, entry, scope, { context, end, promise: drained(call, scope, returned), generator: returned })
  return end(checked(returned, entry))
}

/** Middleware sees outcomes, so its innermost function checks the output as well. */
async function wrapped(call: PreparedCall, entry: Entry, scope: CallScope, context: Context): Promise<Outcome> {
  const inner = async (input: unknown): Promise<Outcome> => {
    try {
      const returned: unknown = entry.tool.execute?.(input, context)
      return checked(isGenerator(returned) ? await drained(call, scope, returned) : await returned, entry)
    } catch (thrown) {
      return thrownFailure(thrown)
    }
  }
  return scope.wrap === undefined ? inner(call.value) : scope.wrap(inner)(call.value, context)
}

interface Running {
  readonly context: Context
  readonly end: (outcome: Outcome) => Outcome
  readonly promise: PromiseLike<unknown>
  readonly generator?: AsyncGenerator<Json, unknown, void> | undefined
}

/** Waits for a tool, but never longer than its time or the run's life: a tool that ignores its signal is left behind. */
function settleLater(call: PreparedCall, entry: Entry, scope: CallScope, running: Running): Promise<Outcome> {
  const { context, end, promise, generator } = running
  const timeoutMs = entry.tool.timeoutMs ?? defaultTimeoutMs
  return new Promise((resolve) => {
    let open = true
    const close = (outcome: Outcome): void => {
      if (!open) return
      open = false
      stopTimer()
      stopListening()
      resolve(end(outcome))
    }
    const giveUp = (outcome: Outcome, why: SameloopError): void => {
      close(outcome)
      abortContext(context, why)
      // A generator that is waiting for its own promise answers `return` late or never; nobody waits for it.
      generator?.return(undefined).catch(ignore)
    }
    const perhaps = call.effect === 'read' ? '' : '; it may have had its effect all the same'
    const stopTimer = Number.isFinite(timeoutMs)
      ? scope.host.timer(timeoutMs, () => {
          const text = `Tool "${call.name}" did not finish within ${timeoutMs} ms${perhaps}`
          giveUp(failure('timeout', text), new SameloopError('tool-timeout', text))
        })
      : ignore
    const stopListening = scope.onAbort(() => {
      const text = `The run was aborted while tool "${call.name}" was running${perhaps}`
      giveUp(failure('aborted', text), new SameloopError('tool-aborted', text))
    })
    const settle = (outcome: Outcome): void => {
      if (open) close(outcome)
      else scope.onLate(call, outcome)
    }
    promise.then(
      (value) => settle(scope.wrap === undefined ? checked(value, entry) : (value as Outcome)),
      (thrown: unknown) => settle(thrownFailure(thrown)),
    )
  })
}

/** Drives a generator to its return value; each yield is progress for people. */
async function drained(call: PreparedCall, scope: CallScope, generator: AsyncGenerator<Json, unknown, void>): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next()
    if (done === true) return value
    scope.onProgress(call, value)
  }
}

function checked(returned: unknown, entry: Entry): Outcome {
  try {
    return toolOutcome(returned, entry.result)
  } catch (thrown) {
    return thrownFailure(thrown)
  }
}

const ignore = (): void => {}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

const isGenerator = (value: unknown): value is AsyncGenerator<Json, unknown, void> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'return' in value && 'next' in value
