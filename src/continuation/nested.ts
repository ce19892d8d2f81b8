// A run within a run: its place in the one above, its questions and its end.
import type { Json } from '../json/value.ts'
import { cut } from '../json/text.ts'
import { failure } from '../message/outcome.ts'
import type { RunStatus, Stop } from '../message/event.ts'
import type { Outcome } from '../message/part.ts'
import type { Usage } from '../message/usage.ts'
import type { ReadyCall } from '../registry/prepare.ts'
import { whenStopped } from '../registry/scope.ts'
import type { CallScope } from '../registry/scope.ts'
import { stopFatally } from '../run/machine.ts'
import type { RunHandle } from '../run/run.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { pathOf } from '../run/state.ts'
import type { Belonging, RunState } from '../run/state.ts'
import type { ToolContext } from '../tool/context.ts'
import { maxDepth } from './reopen.ts'
import type { GivenToResume } from './resume.ts'
import type { RunnerSetup } from './setup.ts'

/** What every kind of result says of its end. */
export interface Ended {
  readonly status: RunStatus
  readonly stop: Stop
  readonly snapshot: Snapshot
  readonly usage: Usage
  readonly text?: string
  readonly error?: Error | undefined
}

/** One call of a tool that is a run. */
export interface Nesting {
  readonly call: ReadyCall
  readonly scope: CallScope
  readonly context: ToolContext
}

/** A run that is begun and not yet started. */
export interface Beginning<Result> {
  readonly state: RunState
  start(): RunHandle<Result>
}

/** What it is told of the run above. */
export interface Below {
  readonly given: GivenToResume
  readonly of: Belonging
  /** The snapshot that it goes on from. */
  readonly continues: Snapshot | undefined
}

/** Begins a run within another, and makes an outcome of its end. */
export interface Nested<Result> {
  /** What it is called where it failed. Default `agent`. */
  readonly what?: string
  readonly begin: (below: Below) => Beginning<Result>
  readonly outcomeOf: (ended: Result, details: Json) => Outcome | Promise<Outcome>
  /** What a run comes to that failed. Default: its error in words. */
  readonly failureOf?: (ended: Result, details: Json) => Outcome | Promise<Outcome>
}

/** Runs within the call's run. `outcomeOf` is asked where it is done; any other end is a failure. */
export async function runNested<Result extends Ended>(
  { table, options }: RunnerSetup,
  { call, scope, context }: Nesting,
  { what = 'agent', begin, outcomeOf, failureOf }: Nested<Result>,
): Promise<Outcome> {
  // Whoever is asked what they need done has more of a run than the call path knows.
  const parent = scope.owner && { run: scope as RunState, callId: call.callId, depth: call.depth }
  if (parent && pathOf(parent.run).length >= maxDepth)
    return failure('limit', `Not run: agents call agents more than ${maxDepth} deep`)
  await table.guard?.connect()
  const { deps, session, grants } = scope
  const agent = scope.agent === undefined ? call.entry.uri : `${scope.agent} ${call.entry.uri}`
  const { state, start } = begin({
    given: {
      deps: options.deps ?? deps,
      session,
      signal: context.signal,
      trust: call.imported ? 'import' : undefined,
    },
    of: { session, grants, parent, agent },
    continues: call.continues as Snapshot | undefined,
  })
  const stop = (): void => {
    if (parent?.run.fatal) stopFatally(state, parent.run.fatal)
  }
  if (parent) (parent.run.inners ??= new Map()).set(call.callId, state)
  const { result } = start()
  whenStopped(scope, stop)
  const ended = await result.finally(() => scope.listeners?.delete(stop))
  keepChild(call.callId, state, ended)
  // What was cut off is still looked at.
  if (ended.status !== 'aborted') parent?.run.inners?.delete(call.callId)
  const { status, stop: why, usage } = ended
  const details: Json = {
    run: state.id,
    status,
    stop: why,
    steps: state.step,
    usage: { ...usage },
  }
  if (status === 'done') return outcomeOf(ended, details)
  return status === 'failed' && failureOf ? failureOf(ended, details) : { ...failed(ended, what), details }
}

/** A run that waits is kept in the one above, and what it waits for. */
function keepChild(callId: string, { parent, pending }: RunState, { status, snapshot }: Ended): void {
  if (!parent) return
  const { run: above } = parent
  const { [callId]: _, ...others } = above.children ?? {}
  above.children = status === 'suspended' ? { ...others, [callId]: snapshot as unknown as Json } : others
  // The outermost run knows what it waits for; the ones between would go on.
  if (above.parent) above.pending = [...above.pending, ...pending]
}

function failed({ status, stop, text, error }: Ended, what: string): Outcome {
  if (status === 'suspended') return failure('pending', 'Waiting for a person')
  const last = text ? `. It said last: ${text}` : ''
  const why = error ? `: ${error.message}` : last
  return failure(status === 'aborted' ? 'aborted' : 'failed', cut(`The ${what} ended ${status} (${stop})${why}`, 2000))
}
