// What made an event of a log happen, done again.
import { SameloopError } from '../error/error.ts'
import { failure } from '../message/outcome.ts'
import type { EventBody, RunEvent } from '../message/event.ts'
import type { Message, Outcome } from '../message/part.ts'
import type { Run } from '../run/run.ts'
import { emit, reportObserver } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import type { ReplayModel } from './model.ts'
import { approvalWaitMs } from './world.ts'
import type { ReplayWorld } from './world.ts'
import { decisionOf } from './decision-of.ts'
import { comingEvent, eventOf, nextOf } from './script.ts'
import type { Script } from './script.ts'

export interface Again {
  readonly script: Script
  readonly state: RunState
  readonly world: ReplayWorld
  readonly voice: ReplayModel | undefined
  readonly run: Run<unknown>
}

/** Whether something was done. */
export function cause(again: Again): boolean {
  const { script, state, run, voice } = again
  const record = nextOf(script)
  if (!record) return false
  if (record.type === 'journal-abort' || record.type === 'journal-steer') {
    script.next++
    if (record.type === 'journal-abort') run.abort()
    else for (const message of record.data['messages'] as readonly Message[]) run.steer(message)
    return true
  }
  const event = eventOf(record)
  if (isFromWithin(event)) return tell(state, event)
  if (voice?.speak()) return true
  return causeOwn(again, event)
}

/** What happens within a call is not done again. */
const isFromWithin = (event: RunEvent): boolean =>
  event.path !== undefined || ('callId' in event && typeof event.callId === 'string' && event.callId.includes('/'))

function tell(state: RunState, { seq: _, at: __, run: ___, ...body }: RunEvent): boolean {
  emit(state, body as EventBody)
  return true
}

function causeOwn({ script, state, world, run }: Again, event: RunEvent): boolean {
  switch (event.type) {
    case 'tool-progress':
      world.running.get(event.callId)?.context.progress(event.value)
      return world.running.has(event.callId)
    case 'tool-end':
      return settle(world, event.callId, outcomeOf(script, event))
    case 'approval-response':
      run.decide(decisionOf(script.records, event))
      return true
    case 'observer-error':
      reportObserver(state, event.observer, new Error(event.message))
      return true
    case 'retry':
    case 'warning':
      return tell(state, event)
    case 'run-end':
      return event.status === 'suspended' && suspend(script, state, world)
    default:
      return fire(world, ({ ms }) => ms < approvalWaitMs)
  }
}

function settle({ running }: ReplayWorld, callId: string, outcome: Outcome): boolean {
  const call = running.get(callId)
  running.delete(callId)
  call?.settle(outcome)
  return call !== undefined
}

function outcomeOf(script: Script, { outcome }: Extract<RunEvent, { readonly type: 'tool-end' }>): Outcome {
  if (outcome.ok) return { ...outcome, value: undefined }
  const fatal = comingEvent(script, 'error', ({ code }) => code === 'tool-fatal')
  const isCause = fatal && JSON.stringify(outcome.parts).includes(JSON.stringify(fatal.message).slice(1, -1))
  return isCause ? { ...outcome, cause: new SameloopError('tool-fatal', fatal.message) } : outcome
}

/** Nobody answers any more: runs within are put away, then this one. */
function suspend(script: Script, state: RunState, world: ReplayWorld): boolean {
  if (world.running.size > 0) {
    const asked = script.records.map(eventOf).filter((event) => event.type === 'approval-request')
    state.pending = [...state.pending, ...asked.filter(({ path }) => path !== undefined)]
    for (const callId of [...world.running.keys()]) settle(world, callId, failure('pending', 'Waiting for a person'))
    return true
  }
  return fire(world, ({ ms }) => ms === approvalWaitMs)
}

function fire({ timers }: ReplayWorld, which: (timer: { readonly ms: number }) => boolean): boolean {
  const due = [...timers].filter(which)
  for (const timer of due) {
    timers.delete(timer)
    timer.fire()
  }
  return due.length > 0
}
