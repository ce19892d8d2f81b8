// Running `execute` itself: slot, deadline, abort, progress, late results.
import { SameloopError } from '../error/error.ts'
import { failure, thrownFailure } from '../message/outcome.ts'
import type { Json, Outcome } from '../message/part.ts'
import { own } from '../schema/json.ts'
import { toolOutcome } from '../tool/outcome.ts'
import { abortContext } from './context.ts'
import type { Context } from './context.ts'
import type { PreparedCall, ReadyCall } from './prepare.ts'
import type { CallScope } from './scope.ts'
import { freeSlots, takeSlots } from './slots.ts'
import type { Entry } from './table.ts'

/** Answers a call that did not run. */
export function unrun(call: PreparedCall, scope: CallScope, outcome: Outcome): Outcome {
  if (outcome.ok || outcome.reason !== 'pending') scope.report?.(call, { type: 'tool-end', outcome })
  return outcome
}

export const tooLate = (): Outcome => failure('aborted', 'The run ended before this call started')

/** Runs an approved call as soon as a slot is free. */
export function perform(call: ReadyCall, scope: CallScope, context: Context): Outcome | Promise<Outcome> {
  const { slots } = scope.run
  const size = call.entry.tool.mode === 'exclusive' ? slots.limit : 1
  const free = (): void => freeSlots(slots, size)
  const wait = takeSlots(slots, size)
  return wait === undefined ? start(call, scope, { context, free }) : wait.then(() => start(call, scope, { context, free }))
}

interface Running {
  readonly context: Context
  readonly free: () => void
}

function start(call: ReadyCall, scope: CallScope, { context, free }: Running): Outcome | Promise<Outcome> {
  if (scope.run.stopped) {
    free()
    return unrun(call, scope, tooLate())
  }
  const startedAt = scope.host.now()
  const end = (outcome: Outcome): Outcome => {
    free()
    scope.report?.(call, { type: 'tool-end', outcome, durationMs: scope.host.now() - startedAt })
    return outcome
  }
  scope.report?.(call, { type: 'tool-start' })
  const outcome = act(call, scope, context)
  return outcome instanceof Promise ? withDeadline(call, scope, { context, outcome, end }) : end(outcome)
}

/** Runs the tool within its middleware, which sees outcomes, so that the output is checked inside. */
function act({ entry, value }: ReadyCall, { wrap }: CallScope, context: Context): Outcome | Promise<Outcome> {
  const { tool } = entry
  const execute = (input: unknown): Outcome | Promise<Outcome> =>
    settled(
      () => {
        const returned: unknown = tool.execute?.(input, context)
        return isGenerator(returned) ? drained(returned, context) : returned
      },
      (returned) => toolOutcome(returned, entry),
    )
  return wrap === undefined
    ? execute(value)
    : settled(
        () => wrap(async (input) => execute(input))(value, context),
        (outcome) => outcome as Outcome,
      )
}

/** At once where `make` is synchronous; a throw anywhere is a failure. */
function settled(make: () => unknown, toOutcome: (returned: unknown) => Outcome): Outcome | Promise<Outcome> {
  try {
    const returned = make()
    return isPromise(returned) ? Promise.resolve(returned).then(toOutcome).catch(thrownFailure) : toOutcome(returned)
  } catch (thrown) {
    return thrownFailure(thrown)
  }
}

/** The outcome of what a client gave for a call: a JSON value, or `{ parts }`. */
export function clientOutcome(value: unknown, entry: Entry): Outcome {
  const parts = own(value, 'parts')
  const returned = Array.isArray(parts) ? parts : value
  return settled(() => undefined, () => toolOutcome(returned, entry)) as Outcome
}

interface Pending {
  readonly context: Context
  readonly outcome: Promise<Outcome>
  readonly end: (outcome: Outcome) => Outcome
}

/** Waits for a tool, but never longer than its time or the run's life: a tool that ignores its signal is left behind. */
function withDeadline(call: ReadyCall, scope: CallScope, { context, outcome, end }: Pending): Promise<Outcome> {
  const { timeoutMs = 60_000 } = call.entry.tool
  const { abortListeners } = scope.run
  return new Promise((resolve) => {
    let isOpen = true
    const close = (outcome: Outcome): void => {
      isOpen = false
      stopTimer?.()
      abortListeners.delete(onAbort)
      resolve(end(outcome))
    }
    const giveUp = (reason: 'timeout' | 'aborted', what: string): void => {
      const effect = call.effect === 'read' ? '' : '; it may have had its effect all the same'
      const text = `Tool "${call.name}" ${what}${effect}`
      close(failure(reason, text))
      abortContext(context, new SameloopError(`tool-${reason}`, text))
    }
    const onAbort = (): void => giveUp('aborted', 'was running when the run was aborted')
    const onTimeout = (): void => giveUp('timeout', `did not finish within ${timeoutMs} ms`)
    const stopTimer = timeoutMs < Infinity ? scope.host.timer(timeoutMs, onTimeout) : undefined
    abortListeners.add(onAbort)
    outcome.then((late) => (isOpen ? close(late) : scope.report?.(call, { type: 'late-result', outcome: late })))
  })
}

/** Drives a generator to its return value; each yield is progress for people. It stops once its call is over. */
async function drained(generator: AsyncGenerator<Json, unknown, void>, context: Context): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next()
    if (done === true) return value
    if (context.signal.aborted) return (await generator.return(undefined)).value
    context.progress(value)
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

const isGenerator = (value: unknown): value is AsyncGenerator<Json, unknown, void> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'return' in value && 'next' in value
