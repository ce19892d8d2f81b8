import { describe, expect, it } from 'vitest'
import { transcript } from '../../element/view/entries.ts'
import type { Transcript } from '../../element/view/entries.ts'
import { foldRecord } from '../../element/view/transcript.ts'
import type { ToolEntry } from '../../element/view/entry.ts'
import type { ChatRecord } from '../../element/session/session.ts'
import { callEvents, parts, runRecords, said } from './events.ts'

function folded(records: readonly ChatRecord[]): Transcript {
  const into = transcript()
  for (const record of records) foldRecord(into, record)
  return into
}

const kinds = ({ entries }: Transcript): readonly string[] => entries.map(({ kind }) => kind)
const toolOf = ({ entries }: Transcript): ToolEntry => entries.find((entry) => entry.kind === 'tool') as ToolEntry

const asking = (callId: string) =>
  ({
    type: 'approval-request',
    step: 1,
    callId,
    name: 'fs_write',
    input: { path: 'a' },
    wants: 'decision',
    why: 'tool',
    effect: 'local',
  }) as const

const call = (callId: string) =>
  ({ type: 'tool-call', step: 1, callId, name: 'fs_write', input: { path: 'a' } }) as const

describe('foldRecord()', () => {
  it('shows a message, who answers and what was said', () => {
    const view = folded([
      said('hi'),
      ...runRecords('r', [
        { type: 'run-start', model: 'local-planner' },
        { type: 'text-start', step: 1, id: 't' },
        { type: 'text-delta', step: 1, id: 't', delta: 'Hel' },
        { type: 'text-delta', step: 1, id: 't', delta: 'lo' },
        { type: 'text-end', step: 1, id: 't' },
        { type: 'run-end', status: 'done', stop: 'end' },
      ]),
    ])
    expect(kinds(view)).toEqual(['user', 'by', 'text'])
    expect(view.entries[2]).toMatchObject({ text: 'Hello', done: true })
    expect(view.status).toBe('idle')
    expect(view.model).toBe('local-planner')
  })

  it('replaces an entry that changes and keeps the others', () => {
    const into = transcript()
    const records = runRecords('r', [
      { type: 'text-start', step: 1, id: 'a' },
      { type: 'text-start', step: 1, id: 'b' },
      { type: 'text-delta', step: 1, id: 'b', delta: 'x' },
    ])
    foldRecord(into, records[0] as ChatRecord)
    foldRecord(into, records[1] as ChatRecord)
    const [first, second] = into.entries
    foldRecord(into, records[2] as ChatRecord)
    expect(into.entries[0]).toBe(first)
    expect(into.entries[1]).not.toBe(second)
  })

  it('makes one card of a call, from its streaming arguments to its result', () => {
    const events = callEvents('c1', 'fs_read', { path: 'notes.md' })
    const records = runRecords('r', events)
    const writing = toolOf(folded(records.slice(0, 2)))
    expect(writing).toMatchObject({ state: 'writing', text: '{"path":"notes.md"}' })
    const done = toolOf(folded(records))
    expect(done).toMatchObject({
      state: 'done',
      callId: 'c1',
      input: { path: 'notes.md' },
      durationMs: 4,
      key: writing.key,
    })
    expect(folded(records).entries.length).toBe(1)
  })

  it('waits for a person, and says what was decided', () => {
    const records = runRecords('r', [{ type: 'run-start' }, call('c1'), asking('c1')])
    const waiting = folded(records)
    expect(waiting.status).toBe('waiting')
    expect(waiting.waiting).toBe(1)
    const answered = folded([
      ...records,
      ...runRecords('r', [
        { type: 'approval-response', step: 1, callId: 'c1', name: 'fs_write', decision: 'edit', input: { path: 'b' } },
      ]),
    ])
    expect(answered.status).toBe('running')
    expect(toolOf(answered)).toMatchObject({ state: 'planned', decision: { word: 'edit' }, input: { path: 'b' } })
  })

  it('goes on waiting when the run suspends, and is told once when the resumed run asks again', () => {
    const records = runRecords('r', [
      { type: 'run-start' },
      call('c1'),
      asking('c1'),
      { type: 'run-end', status: 'suspended', stop: 'approval' },
      { type: 'run-start', resumed: true },
      asking('c1'),
    ])
    expect(folded(records.slice(0, 4)).status).toBe('waiting')
    const view = folded(records)
    expect(kinds(view)).toEqual(['by', 'tool'])
    expect(view.status).toBe('waiting')
  })

  it('leaves a dropped question undecided', () => {
    const view = folded([
      ...runRecords('r', [call('c1'), asking('c1'), { type: 'run-end', status: 'suspended', stop: 'approval' }]),
      { type: 'dropped', id: 'd' },
    ])
    expect(toolOf(view)).toMatchObject({ state: 'failed', reason: 'undecided' })
    expect(view.status).toBe('idle')
  })

  it('says of a call that ran when the page went away that its outcome is unknown', () => {
    const view = folded([
      ...runRecords('r', [
        { type: 'run-start' },
        call('c1'),
        { type: 'tool-start', step: 1, callId: 'c1', name: 'fs_write', attempt: 1 },
        call('c2'),
      ]),
      { type: 'interrupted', id: 'i' },
    ])
    const reasons = view.entries.flatMap((entry) => (entry.kind === 'tool' ? [entry.reason] : []))
    expect(reasons).toEqual(['unknown-outcome', 'aborted'])
    expect(view.entries.at(-1)).toMatchObject({ kind: 'end', status: 'interrupted' })
    expect(view.status).toBe('idle')
  })

  it('drops the half answer of a step that begins again', () => {
    const view = folded(
      runRecords('r', [
        { type: 'text-start', step: 1, id: 'a' },
        { type: 'text-end', step: 1, id: 'a' },
        { type: 'text-start', step: 2, id: 'a' },
        { type: 'text-delta', step: 2, id: 'a', delta: 'half' },
        { type: 'step-reset', step: 2, reason: 'broke off' },
        { type: 'text-start', step: 2, id: 'a' },
        { type: 'text-delta', step: 2, id: 'a', delta: 'whole' },
      ]),
    )
    expect(view.entries.flatMap((entry) => (entry.kind === 'text' ? [entry.text] : []))).toEqual(['', 'whole'])
  })

  it('shows an error with its code, and no second line for the failed end', () => {
    const view = folded(
      runRecords('r', [
        { type: 'run-start' },
        { type: 'error', code: 'model-request', message: 'no' },
        { type: 'run-end', status: 'failed', stop: 'failed' },
      ]),
    )
    expect(kinds(view)).toEqual(['by', 'error'])
  })

  it('says why a run stopped early, and closes its open text', () => {
    const view = folded(
      runRecords('r', [
        { type: 'text-start', step: 1, id: 'a' },
        { type: 'run-end', status: 'aborted', stop: 'aborted' },
      ]),
    )
    expect(view.entries[0]).toMatchObject({ done: true })
    expect(view.entries[1]).toMatchObject({ kind: 'end', stop: 'aborted' })
  })

  it('hears a failed outcome in its own words', () => {
    const view = folded(
      runRecords('r', [
        call('c1'),
        {
          type: 'tool-end',
          step: 1,
          callId: 'c1',
          name: 'x',
          durationMs: 0,
          outcome: { ok: false, reason: 'denied', parts: parts('no') },
        },
      ]),
    )
    expect(toolOf(view)).toMatchObject({ state: 'failed', reason: 'denied' })
  })

  it('ignores what it does not know', () => {
    const strange = {
      type: 'event',
      event: { type: 'from-the-future', seq: 1, at: 1, run: 'r' },
    } as unknown as ChatRecord
    expect(folded([strange]).entries).toEqual([])
  })

  it('keeps connection and failures apart from the run', () => {
    const view = folded([
      said('x'),
      { type: 'failure', id: 'f', code: 'offline', message: 'away' },
      { type: 'connection', state: 'lost' },
    ])
    expect(view.status).toBe('idle')
    expect(view.connection).toBe('lost')
    expect(kinds(view)).toEqual(['user', 'error'])
  })
})
