// Events of a made-up run, for tests: the sequence number and the time count up by themselves.
import type { ChatRecord } from '../../element/session/session.ts'
import type { EventBody, RunEvent } from '../../src/message/event.ts'

type Timed = EventBody & { readonly at?: number }

/** Records of a run; each event comes 10 ms after the one before unless it says `at`. */
export function runRecords(run: string, events: readonly Timed[]): ChatRecord[] {
  let at = 1000
  return events.map((event, index) => {
    at = event.at ?? at + 10
    return { type: 'event', event: { ...event, seq: index + 1, at, run } as RunEvent }
  })
}

export const said = (text: string): ChatRecord => ({ type: 'user', id: `user ${text}`, text })

export const parts = (text: string) => [{ type: 'text', text }] as const

/** A whole call, from its first letter to its end. */
export function callEvents(callId: string, name: string, input: Record<string, string>): readonly Timed[] {
  return [
    { type: 'tool-input-start', step: 1, id: 'call-0', callId, name },
    { type: 'tool-input-delta', step: 1, id: 'call-0', delta: JSON.stringify(input) },
    { type: 'usage', step: 1, usage: { input: 5, output: 7 } },
    { type: 'tool-call', step: 1, id: 'call-0', callId, name, input },
    { type: 'tool-start', step: 1, callId, name, attempt: 1 },
    {
      type: 'tool-end',
      step: 1,
      callId,
      name,
      durationMs: 4,
      outcome: { ok: true, parts: parts('fine'), final: false },
    },
  ]
}
