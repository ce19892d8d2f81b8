// Running `execute` itself: slot, deadline, abort, progress, late results.
import { SameloopError } from '../error/error.ts'
import { failure, thrownFailure } from '../message/outcome.ts'
import type { Json } from '../json/value.ts'
import type { Outcome } from '../message/part.ts'
import type { ToolNext } from '../middleware/middleware.ts'
import type { ToolContext } from '../tool/context.ts'
import { thrownOutcome, toolOutcome } from '../tool/outcome.ts'
import { abortContext, closeContext, isClosed, keepFilesApart } from './context.ts'
import type { Context } from './context.ts'
import { passedOn } from './passed-on.ts'
import { prepare } from './prepare.ts'
import type { CallTerms, PreparedCall, ReadyCall } from './prepare.ts'
import type { Entry } from './table.ts'
import { whenStopped } from './scope.ts'
import type { CallScope, Keeping } from './scope.ts'
import { freeSlots, takeSlots } from './slots.ts'
import { subRunOf } from './sub-run.ts'

/** Answers a call that did not run, or not again. */
export function unrun(call: PreparedCall, scope: CallScope, given: Outcome): Outcome {
  const { interrupted = 'read' } = call
  const isOpen = !given.ok && given.reason === 'aborted' && interrupted !== 'read' && interrupted !== 'local'
  const outcome = isOpen ? failure('unknown-outcome', unknownOutcome(call)) : given
  if (!isPending(outcome)) scope.owner?.report(scope, call, { type: 'tool-end', outcome })
  return outcome
}

export const unknownOutcome = ({ name }: PreparedCall): string =>
  `The run was cut off while tool "${name}" was running: whether it had its effect is unknown`

export const isPending = (outcome: Outcome): boolean => !outcome.ok && outcome.reason === 'pending'

export const tooLate = (): Outcome => failure('aborted', 'Not run: the run ended')

/** Runs an approved call as soon as a slot is free; each try of it has a context of its own. */
export function perform(
  call: ReadyCall,
  scope: CallScope,
  contextOf: (call: ReadyCall) => Context,
): Outcome | Promise<Outcome> {
  const { host, slots } = scope
  const { tool } = call.entry
  const wanted = tool.mode === 'exclusive' ? slots.limit : 1
  // A call that a tool makes runs in that tool's slot, and a run has slots of its own.
  const size = call.depth || subRunOf(tool) ? 0 : wanted
  const start = (): Outcome | Promise<Outcome> => {
    const startedAt = host.now()
    const end = (outcome: Outcome): Outcome => {
      freeSlots(slots, size)
      if (isPending(outcome)) return outcome
      scope.owner?.report(scope, call, { type: 'tool-end', outcome, durationMs: host.now() - startedAt })
      return outcome
    }
    if (scope.stopped) {
      freeSlots(slots, size)
      return unrun(call, scope, tooLate())
    }
    if (!call.continues) scope.owner?.report(scope, call, { type: 'tool-start' })
    // Whoever heard of it may have ended the run.
    if (scope.stopped) return end(tooLate())
    let last: Keeping | undefined
    const close = (outcome: Outcome): Outcome => {
      const ended = end(outcome)
      void last?.done(outcome)
      return ended
    }
    const trying = (tried: ReadyCall): Outcome | Promise<Outcome> =>
      attemptOnce(tried, scope, { context: contextOf(tried), keeping: (last = keepingOf(tried, scope)) })
    const { again } = call.terms ?? {}
    if (again) return tries(call, again, trying).then(close)
    const outcome = trying(call)
    return outcome instanceof Promise ? outcome.then(close) : close(outcome)
  }
  return (size ? takeSlots(slots, size)?.then(start) : undefined) ?? start()
}

/** All tries of a call, in its one slot, with one start and one end. */
async function tries(
  call: ReadyCall,
  again: NonNullable<CallTerms['again']>,
  trying: (call: ReadyCall) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  for (let attempt = call.attempt; ; attempt++) {
    const isFirst = attempt === call.attempt
    const outcome = await trying(isFirst ? call : { ...anew(call), attempt, continues: undefined })
    const last = outcome.ok ? outcome : await again(outcome, attempt - call.attempt + 1)
    if (last) return last
  }
}

/** A tool may have changed what it was given. */
const anew = (call: ReadyCall): ReadyCall => ({
  ...call,
  value: prepare(call, call.input, new Map([[call.name, call.entry]])).value,
})

interface Trying {
  readonly context: Context
  readonly keeping: Keeping | undefined
}

const keepingOf = (call: ReadyCall, scope: CallScope): Keeping | undefined =>
  call.continues ? undefined : scope.owner?.keep?.(scope, call)

/** One try. A store hears of it first, and its changes to files are made when it is known to be good. */
function attemptOnce(call: ReadyCall, scope: CallScope, { context, keeping }: Trying): Outcome | Promise<Outcome> {
  const close = (outcome: Outcome): Outcome => {
    closeContext(context)
    return outcome
  }
  const begin = (): Outcome | Promise<Outcome> => {
    if (scope.stopped) return close(tooLate())
    if (keeping?.fs) keepFilesApart(context, keeping.fs)
    const made = act(call, scope, context)
    const outcome = keeping?.fs
      ? attempt(
          () => made,
          (one) => kept(keeping, one as Outcome, context),
        )
      : made
    return outcome instanceof Promise ? inTime(call, scope, { context, outcome }).then(close) : close(outcome)
  }
  return keeping?.known ? keeping.known.then(begin) : begin()
}

/** What a call that is over did to its files is dropped with it. */
const kept = (keeping: Keeping, outcome: Outcome, context: Context): Outcome | Promise<Outcome> =>
  isClosed(context) ? outcome : keeping.settle(outcome, () => isClosed(context))

/** Runs the tool within its middleware, which sees outcomes, so that the output is checked inside. */
function act(call: ReadyCall, scope: CallScope, context: Context): Outcome | Promise<Outcome> {
  const { wrap, host } = scope
  const { entry, value, effect } = call
  const outcomeOf = (returned: unknown): Outcome => toolOutcome(returned, entry)
  const subRun = subRunOf(entry.tool)
  const execute = (input: unknown): Outcome | Promise<Outcome> => {
    // A sub-agent that goes on was counted when it began.
    if (!call.continues) entry.count.calls++
    if (subRun)
      return attempt(
        () => subRun.run({ ...call, value: input }, scope, context),
        (made) => made as Outcome,
      )
    return attempt(
      () => {
        const returned: unknown = entry.tool.execute?.(input, context)
        return isGenerator(returned) ? drained(returned, context) : returned
      },
      (returned) => spilled(returned, entry, scope, context),
      (thrown) => thrownOutcome(thrown, entry),
    )
  }
  if (!wrap) return execute(value)
  const { name, uri } = entry
  const ours: Outcome[] = []
  const next: ToolNext = async ({ input }) => {
    const outcome = isClosed(context) ? failure('aborted', 'Not run: the call is over') : await execute(input)
    ours.push(outcome)
    return outcome
  }
  return attempt(
    () => wrap(next)({ name, uri, effect, input: value, context, host, outcomeOf }),
    // A call that waits for a person is not over, whatever is made of it.
    (made) => ours.find((outcome) => outcome === made || isPending(outcome)) ?? passedOn(made),
  )
}

/** The outcome, its texts that are too long for a model whole in the environment's files, where it has some. */
export function spilled(
  returned: unknown,
  entry: Entry,
  { host, capabilities }: CallScope,
  context: ToolContext,
): Outcome | Promise<Outcome> {
  const { fs } = capabilities
  if (!fs) return toolOutcome(returned, entry)
  const root = (fs.capabilities.root ?? '').replace(/\/$/, '')
  const kept: { readonly path: string; readonly text: string }[] = []
  const outcome = toolOutcome(returned, entry, (text) => {
    // Nothing that a model or a snapshot says is in the name, so no result takes the place of another.
    const path = `${root}/.tool-results/${host.id('result_')}.txt`
    kept.push({ path, text })
    return path
  })
  if (!kept.length) return outcome
  const writes = kept.map(({ path, text }) =>
    fs.write(path, new TextEncoder().encode(text), { parents: true, signal: context.signal }),
  )
  // Where it cannot be kept, nobody is told that it was.
  return Promise.all(writes).then(
    () => outcome,
    () => toolOutcome(returned, entry),
  )
}

/** At once where `make` is synchronous; a throw anywhere is a failure. */
export function attempt(
  make: () => unknown,
  toOutcome: (made: unknown) => Outcome | Promise<Outcome>,
  toFailure: (thrown: unknown) => Outcome = thrownFailure,
): Outcome | Promise<Outcome> {
  try {
    const made = make()
    return isPromise(made) ? Promise.resolve(made).then(toOutcome).catch(toFailure) : toOutcome(made)
  } catch (thrown) {
    return toFailure(thrown)
  }
}

interface Running {
  readonly context: Context
  readonly outcome: Promise<Outcome>
}

/** Waits for a tool, never longer than its time or the run's life: a tool that ignores its signal is left behind. */
function inTime(call: ReadyCall, scope: CallScope, running: Running): Promise<Outcome> {
  const { timeoutMs = call.entry.tool.timeoutMs ?? 60_000 } = call.terms ?? {}
  return new Promise((resolve) => {
    let isOpen = true
    const close = (settled: Outcome): void => {
      isOpen = false
      stopTimer?.()
      scope.listeners?.delete(onStop)
      resolve(settled)
    }
    const giveUp = (reason: 'timeout' | 'aborted', what: string): void => {
      const text = `Tool "${call.name}" ${what}${call.effect === 'read' ? '' : '; it may have had its effect'}`
      // First what the tool began, so that no call within it ends after it.
      abortContext(running.context, new SameloopError(`tool-${reason}`, text))
      close(failure(reason, text))
    }
    const onTimeout = (): void => giveUp('timeout', `did not finish within ${timeoutMs} ms`)
    const stopTimer = timeoutMs < Infinity ? scope.host.timer(timeoutMs, onTimeout) : undefined
    const onStop = (): void => {
      if (scope.aborted) giveUp('aborted', 'was aborted with the run')
    }
    // At once, where the tool aborted its own run.
    whenStopped(scope, onStop)
    void running.outcome.then((settled) =>
      isOpen ? close(settled) : scope.owner?.report(scope, call, { type: 'late-result', outcome: settled }),
    )
  })
}

/** Drives a generator to its return value; each yield is progress for people. It stops once its call is over. */
async function drained(generator: AsyncGenerator<Json, unknown, void>, context: Context): Promise<unknown> {
  for (;;) {
    const { done, value } = await generator.next()
    if (done) return value
    if (context.signal.aborted) return (await generator.return(undefined)).value
    context.progress(value)
  }
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

const isGenerator = (value: unknown): value is AsyncGenerator<Json, unknown, void> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value && 'return' in value && 'next' in value
