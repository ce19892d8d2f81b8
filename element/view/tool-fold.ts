// Folds the events of tool calls: one entry a call, from the first letter of its arguments to its outcome.
import { requestOf } from '../../src/message/decision.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { append, replace } from './entries.ts'
import type { Transcript } from './entries.ts'
import type { ToolEntry } from './entry.ts'

const callKey = (run: string, callId: string): string => `tool ${run} ${callId}`
const draftKey = ({ run, step, id }: { readonly run: string; readonly step: number; readonly id: string }): string =>
  `draft ${run} ${step} ${id}`

/** Calls of sub-agents are named as the questions about them are: `outer/inner`. */
function outermost(event: RunEvent): RunEvent {
  const { path = [] } = event
  if (path.length === 0 || event.type.startsWith('approval-')) return event
  const named = event as RunEvent & { readonly callId?: string; readonly id?: string }
  const { callId, id } = named
  const within = (name: string): string => [...path, name].join('/')
  return { ...named, ...(callId && { callId: within(callId) }), ...(id && { id: within(id) }) } as RunEvent
}

/** Takes an event of a call in; other events are ignored. */
export function foldTool(into: Transcript, given: RunEvent): void {
  const event = outermost(given)
  switch (event.type) {
    case 'tool-input-start': {
      const { run, step, callId = '', name } = event
      append(into, { kind: 'tool', key: draftKey(event), run, step, callId, name, state: 'writing', text: '' })
      return
    }
    case 'tool-input-delta':
      change(into, draftKey(event), (entry) => ({ ...entry, text: entry.text + event.delta }))
      return
    case 'tool-call':
      plan(into, event)
      return
    case 'approval-request':
      ask(into, event)
      return
    case 'approval-response':
      answer(into, event)
      return
    case 'tool-start': {
      const { attempt, at: startedAt } = event
      change(into, callKey(event.run, event.callId), (entry) => ({ ...entry, state: 'running', attempt, startedAt }))
      return
    }
    case 'tool-progress':
      change(into, callKey(event.run, event.callId), (entry) => ({ ...entry, progress: event.value }))
      return
    case 'tool-end': {
      const { outcome, durationMs } = event
      change(into, callKey(event.run, event.callId), (entry) =>
        outcome.ok
          ? { ...entry, state: 'done', outcome, durationMs }
          : { ...entry, state: 'failed', reason: outcome.reason, outcome, durationMs },
      )
    }
  }
}

type Named<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

function change(into: Transcript, key: string, by: (entry: ToolEntry) => ToolEntry): void {
  replace(into, key, (entry) => (entry.kind === 'tool' ? by(entry) : entry))
}

/** The call is known: its draft, where it streamed in, becomes the call itself. */
function plan(into: Transcript, event: Named<'tool-call'>): void {
  const { run, step, callId, name, input, malformed, coercions, id } = event
  const known: ToolEntry = {
    kind: 'tool',
    key: callKey(run, callId),
    run,
    step,
    callId,
    name,
    state: 'planned',
    text: '',
    input,
    malformed,
    coercions,
  }
  const draft = id === undefined ? undefined : draftKey({ run, step, id })
  const place = draft === undefined ? undefined : into.places.get(draft)
  if (draft === undefined || place === undefined) {
    append(into, known)
    return
  }
  // The key of the drawing stays, so that an opened card stays open.
  into.entries[place] = { ...known, key: draft }
  into.places.set(known.key, place)
}

function ask(into: Transcript, event: Named<'approval-request'>): void {
  const { run, step, callId, name, input } = event
  const request = requestOf(event)
  const key = callKey(run, callId)
  if (!into.places.has(key))
    append(into, { kind: 'tool', key, run, step, callId, name, state: 'planned', text: '', input })
  change(into, key, (entry) => ({ ...entry, state: 'waiting', request, decision: undefined }))
}

/** Identical calls are asked about once; the answer holds for all of them, and their own events follow. */
function answer(into: Transcript, event: Named<'approval-response'>): void {
  const { run, callId, decision: word, reason, input } = event
  change(into, callKey(run, callId), (entry) => ({
    ...entry,
    state: 'planned',
    decision: { word, reason },
    ...(input === undefined ? {} : { input }),
  }))
}

/** Calls that will get no outcome any more: the page went away, or nobody decided. */
export function endOpenTools(into: Transcript, why: 'interrupted' | 'dropped' | 'ended'): void {
  into.entries.forEach((entry, index) => {
    if (entry.kind !== 'tool' || entry.state === 'done' || entry.state === 'failed') return
    const reason = why === 'interrupted' && entry.state === 'running' ? 'unknown-outcome' : 'aborted'
    into.entries[index] = { ...entry, state: 'failed', reason: entry.state === 'waiting' ? 'undecided' : reason }
  })
}
