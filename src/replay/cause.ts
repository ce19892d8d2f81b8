// What made an event of a log happen, done again.
import { SameloopError } from '../error/error.ts'
import { failure } from '../message/outcome.ts'
import { contentText, textPart } from '../message/text.ts'
import { tooLate } from '../registry/perform.ts'
import type { EventBody, RunEvent } from '../message/event.ts'
import type { Message, Outcome } from '../message/part.ts'
import type { Run, RunHandle } from '../run/run.ts'
import { emit, reportObserver } from '../run/state.ts'
import type { RunState } from '../run/state.ts'
import type { ReplayModel } from './model.ts'
import { approvalWaitMs } from './world.ts'
import type { ReplayWorld } from './world.ts'
import { decisionOf } from './decision-of.ts'
import { comingEvent, eventOf, nextOf, pieces } from './script.ts'
import type { Script } from './script.ts'

export interface Again {
  readonly script: Script
  readonly state: RunState
  readonly world: ReplayWorld
  readonly voice: ReplayModel | undefined
  readonly run: RunHandle<unknown>
}

/** Whether something was done. */
export function cause(again: Again): boolean {
  const { script, state, run, voice, world } = again
  const record = nextOf(script)
  if (!record) return false
  if (record.type === 'journal-abort' || record.type === 'journal-steer') {
    // What had begun by then must have begun again.
    if (record.type === 'journal-abort' && !isTooEarly(script) && saved(world)) return true
    script.next++
    if (record.type === 'journal-abort') abort(again)
    else for (const message of record.data['messages'] as readonly Message[]) (run as Run<unknown>).steer(message)
    return true
  }
  if (saved(world)) return true
  const event = eventOf(record)
  if (isFromWithin(event)) return tell(state, event)
  if (voice?.speak(state.seq)) return true
  return causeOwn(again, event)
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

function tell(state: RunState, event: RunEvent): boolean {
  const { seq } = event
  // What the run adds to each, it adds again.
  const said: EventBody = event
  const all = 'delta' in said ? pieces(said.delta, seq - state.seq).map((delta) => ({ ...said, delta })) : [{ ...said }]
  for (const one of all) emit(state, one)
  return true
}

/** What answered too late did so at once: afterwards nobody hears it. */
function abort({ script, run, world }: Again): void {
  run.abort()
  for (const { data } of script.records.slice(script.next)) {
    const event = data as unknown as RunEvent
    if (event.type !== 'warning' || event.code !== 'late-result') continue
    const { callId, ok } = event.data as { readonly callId: string; readonly ok: boolean }
    const parts = [textPart(event.message.replace(/^Tool "[^"]*" answered too late: /, ''))]
    settle(world, callId, ok ? { ok, value: undefined, parts, final: false } : { ok, reason: 'failed', parts })
  }
}

function causeOwn({ script, state, world, run }: Again, event: RunEvent): boolean {
  switch (event.type) {
    case 'tool-progress':
      world.running.get(event.callId)?.context.progress(event.value)
      return world.running.has(event.callId)
    case 'tool-end':
      return settleTogether(script, world)
    case 'approval-response':
      run.decide(decisionOf(script.records, event))
      return true
    case 'observer-error':
      reportObserver(state, event.observer, new Error(event.message))
      // Hooks do not hear of what went wrong in hooks.
      script.next++
      return true
    case 'approval-request':
    case 'tool-start':
      return open(world, event.callId, event.name) || fire(world, ({ ms }) => ms < approvalWaitMs)
    case 'retry':
    case 'warning':
      return tell(state, event)
    case 'run-end':
      return event.status === 'suspended' && suspend(script, state, world)
    default:
      return fire(world, ({ ms }) => ms < approvalWaitMs)
  }
}

/** Those that ended one right after the other did so before anything followed from the first. */
function settleTogether(script: Script, world: ReplayWorld): boolean {
  let settled = 0
  for (const record of script.records.slice(script.next)) {
    const event = eventOf(record)
    if (event.type !== 'tool-end' || !settle(world, event.callId, outcomeOf(script, event))) break
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
