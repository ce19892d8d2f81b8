import { describe, expect, it } from 'vitest'
import { runPicture } from '../../element/view/spans.ts'
import { timeAxis } from '../../element/view/time-axis.ts'
import { parts, runRecords } from './events.ts'

const ended = { ok: true, parts: parts('x'), final: false } as const

const records = runRecords('r', [
  { type: 'run-start', at: 0 },
  { type: 'step-start', step: 1, at: 0 },
  { type: 'usage', step: 1, usage: { input: 10, output: 2 }, at: 100 },
  { type: 'tool-call', step: 1, callId: 'c', name: 'write', input: {} },
  {
    type: 'approval-request',
    step: 1,
    callId: 'c',
    name: 'write',
    input: {},
    wants: 'decision',
    why: 'tool',
    effect: 'local',
    at: 100,
  },
  { type: 'run-end', status: 'suspended', stop: 'approval', at: 101 },
  { type: 'run-start', resumed: true, at: 10_100 },
  { type: 'approval-response', step: 1, callId: 'c', name: 'write', decision: 'approve', at: 10_100 },
  { type: 'tool-start', step: 1, callId: 'c', name: 'write', attempt: 1, at: 10_100 },
  { type: 'tool-end', step: 1, callId: 'c', name: 'write', outcome: ended, durationMs: 50, at: 10_150 },
  { type: 'step-start', step: 2, at: 10_150 },
  { type: 'usage', step: 2, usage: { input: 20, output: 3 }, at: 10_200 },
  { type: 'run-end', status: 'done', stop: 'end', at: 10_200 },
])

describe('runPicture()', () => {
  it('draws model, tool and waiting from the events, over a suspend', () => {
    const picture = runPicture(records)
    expect(
      picture.rows.map(({ label, segments }) => [label, segments.map(({ kind, start, end }) => [kind, start, end])]),
    ).toEqual([
      ['model', [['model', 0, 100]]],
      [
        'write',
        [
          ['wait', 100, 10_100],
          ['tool', 10_100, 10_150],
        ],
      ],
      ['model', [['model', 10_150, 10_200]]],
    ])
    expect(picture).toMatchObject({
      steps: 2,
      toolCalls: 1,
      usage: { input: 30, output: 5 },
      ended: true,
      status: 'done',
    })
  })

  it('takes a question that is asked again for the same wait', () => {
    const asked = {
      type: 'approval-request',
      step: 1,
      callId: 'c',
      name: 'write',
      input: {},
      wants: 'decision',
      why: 'tool',
      effect: 'local',
    } as const
    const picture = runPicture(
      runRecords('r', [
        { type: 'run-start' },
        { ...asked, at: 100 },
        { type: 'run-end', status: 'suspended', stop: 'approval' },
        { type: 'run-start', resumed: true },
        { ...asked, at: 900 },
        { type: 'approval-response', step: 1, callId: 'c', name: 'write', decision: 'approve', at: 950 },
      ]),
    )
    expect(picture.rows[0]?.segments).toEqual([{ kind: 'wait', start: 100, end: 950 }])
  })

  it('shows the last run only', () => {
    const picture = runPicture([
      ...records,
      ...runRecords('r2', [{ type: 'run-start' }, { type: 'step-start', step: 1 }]),
    ])
    expect(picture).toMatchObject({ run: 'r2', steps: 1, ended: false })
    expect(picture.rows).toHaveLength(1)
  })

  it('marks what failed, and ends what was open when the run ended', () => {
    const picture = runPicture(
      runRecords('r', [
        { type: 'run-start' },
        { type: 'step-start', step: 1, at: 5 },
        { type: 'run-end', status: 'aborted', stop: 'aborted', at: 9 },
      ]),
    )
    expect(picture.rows[0]?.segments).toEqual([{ kind: 'model', start: 5, end: 9, failed: true }])
  })
})

describe('timeAxis()', () => {
  it('counts work without waiting and draws the wait short', () => {
    const axis = timeAxis(runPicture(records).rows, 10_200)
    expect(axis.workMs).toBe(200)
    expect(axis.at(0)).toBe(0)
    expect(axis.at(10_200)).toBe(1)
    expect(axis.at(10_100) - axis.at(100)).toBeCloseTo(0.3)
  })

  it('keeps time in order, and work that goes on reaches the end', () => {
    const { rows } = runPicture(runRecords('r', [{ type: 'run-start' }, { type: 'step-start', step: 1, at: 100 }]))
    const axis = timeAxis(rows, 400)
    expect(axis.workMs).toBe(300)
    expect([axis.at(50), axis.at(100), axis.at(250), axis.at(400)]).toEqual([0, 0, 0.5, 1])
  })
})
