// What made an event of a log happen, done again.
import { SameloopError } from '../error/error.ts'
import { failure } from '../message/outcome.ts'
import { contentText } from '../message/text.ts'
import { tooLate } from '../registry/perform.ts'
import type { EventBody, RunEvent } from '../message/event.ts'
import type { Message, Outcome } from '../message/part.ts'
import { abortRun } from '../run/machine.ts'
import { decide } from '../run/requests.ts'
import { emit, reportObserver } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import type { ReplayModel } from './model.ts'
import { approvalWaitMs } from './world.ts'
import type { ReplayWorld } from './world.ts'
import { decisionOf } from './decision-of.ts'
import { comingEvent, eventOf, nextOf, pass, pieces } from './script.ts'
import type { Script } from './script.ts'

type Telling = Pick<Again, 'script' | 'state'>

export interface Again {
  readonly script: Script
  readonly state: RunState
  readonly world: ReplayWorld
  readonly voice: ReplayModel | undefined
}

/** Whether something was done. */
export function cause(again: Again): boolean {
  const { script, state, voice, world } = again
  const record = nextOf(script)
  if (!record) return false
  if (fromOutside(again)) return true
  if (saved(world)) return true
  const event = eventOf(record)
  if (isFromWithin(event)) return tell({ script, state }, event)
  if (voice?.speak()) return true
  return causeOwn(again, event)
}

/** What came from outside next comes again; not before what had begun by then has begun again. */
export function fromOutside(again: Again): boolean {
  const { script, state } = again
  const record = nextOf(script)
  if (record?.type === 'journal-abort') {
    if (hasWaitingCall(again) && !isTooEarly(script)) return false
    pass(script)
    abortRun(state, undefined)
    return true
  }
  if (record?.type !== 'journal-steer') return false
  pass(script)
  state.steering = [...state.steering, ...(record.data['messages'] as readonly Message[])]
  return true
}

/** Whether a call has been told of that does not run yet. */
function hasWaitingCall({ script, world }: Again): boolean {
  const begun = new Set<string>()
  for (const record of script.records.slice(0, script.next)) {
    const event = eventOf(record)
    if (event.type === 'tool-start') begun.add(event.callId)
    if (event.type === 'tool-end') begun.delete(event.callId)
  }
  return [...begun].some((callId) => !callId.includes('/') && !world.running.has(callId))
}

/** Whether the abort came while a call waited for the log: it never began. */
function isTooEarly(script: Script): boolean {
  const end = comingEvent(script, 'tool-end')
  return end !== undefined && contentText(end.outcome.parts) === contentText(tooLate().parts)
}

/** Lets the run go on where it waits for its log. */
function saved({ commits }: ReplayWorld): boolean {
  const waiting = [...commits]
  commits.clear()
  for (const resolve of waiting) resolve()
  return waiting.length > 0
}

/** What happens within a call is not done again. */
const isFromWithin = (event: RunEvent): boolean =>
  event.path !== undefined || ('callId' in event && typeof event.callId === 'string' && event.callId.includes('/'))

/** Makes an event of the log one of the run. */
function tell({ script, state }: Telling, event: RunEvent): boolean {
  // What the run adds to each, it adds again.
  const said: EventBody = event
  const all = 'delta' in said ? pieces(script, said.delta).map((delta) => ({ ...said, delta })) : [{ ...said }]
  for (const one of all) emit(state, one)
  return true
}

export function tellAside({ script, state }: Telling, event: RunEvent): void {
  if (event.type !== 'observer-error') return void tell({ script, state }, event)
  reportObserver(state, event.observer, new Error(event.message))
  // Hooks do not hear of what went wrong in hooks.
  pass(script)
}

function causeOwn({ script, state, world }: Again, event: RunEvent): boolean {
  switch (event.type) {
    case 'tool-progress':
      world.running.get(event.callId)?.context.progress(event.value)
      return world.running.has(event.callId)
    case 'tool-end':
      return settleTogether(script, world)
    case 'approval-response':
      // What was decided before it was asked about is not asked about.
      return decideTogether(script, state) || open(world, event.callId, event.name)
    case 'approval-request':
    case 'tool-start':
      return open(world, event.callId, event.name) || fire(world, ({ ms }) => ms < approvalWaitMs)
    case 'retry':
    case 'warning':
      return tell({ script, state }, event)
    case 'run-end':
      return event.status === 'suspended' && suspend(script, state, world)
    default:
      return fire(world, ({ ms }) => ms < approvalWaitMs)
  }
}

/** Those that were made one right after the other were made before anything followed from the first. */
function decideTogether(script: Script, state: RunState): boolean {
  let decided = 0
  for (let record = nextOf(script); record && !script.differs; record = nextOf(script)) {
    const event = eventOf(record)
    if (event.type !== 'approval-response' || isFromWithin(event) || !isAsked(state, event.callId)) return decided > 0
    decide(state, decisionOf(script, event))
    decided++
  }
  return decided > 0
}

const isAsked = ({ requests }: RunState, callId: string): boolean =>
  requests.some(
    ({ request, waiting }) => request.callId === callId || waiting.some(({ call }) => call.callId === callId),
  )

/** Those that ended one right after the other did so before anything followed from the first. */
function settleTogether(script: Script, world: ReplayWorld): boolean {
  let settled = 0
  const { records, next } = script
  for (let index = next; index < records.length; index++) {
    const event = eventOf(records[index] as (typeof records)[number])
    if (isFromWithin(event) || event.type !== 'tool-end') break
    if (!settle(world, event.callId, outcomeOf(script, event))) break
    settled++
  }
  return settled > 0
}

function settle({ running }: ReplayWorld, callId: string, outcome: Outcome): boolean {
  const call = running.get(callId)
  running.delete(callId)
  call?.settle(outcome)
  return call !== undefined
}

/** Lets a tool say whether it wants to be asked about, and what there is to be shown. */
function open({ gates }: ReplayWorld, callId: string, name: string): boolean {
  const gate = [...gates].find((one) => one.callId === callId) ?? [...gates].find((one) => one.name === name)
  if (!gate) return false
  gates.delete(gate)
  gate.open()
  return true
}

function outcomeOf(script: Script, { callId, outcome }: Extract<RunEvent, { readonly type: 'tool-end' }>): Outcome {
  if (outcome.ok) return { ...outcome, value: script.values.get(callId) }
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
