// What a run did when: rows of a timeline and the figures above it, from its events alone.
import type { RunEvent } from '../../src/message/event.ts'
import type { Usage } from '../../src/message/usage.ts'
import { addUsage } from '../../src/message/usage.ts'
import { isRecord } from '../session/record-shape.ts'
import type { ChatRecord } from '../session/session.ts'

export interface Segment {
  readonly kind: 'model' | 'tool' | 'wait'
  readonly start: number
  /** `undefined` while it goes on. */
  readonly end: number | undefined
  readonly failed?: boolean | undefined
}

export interface Row {
  readonly key: string
  readonly label: string
  readonly step: number
  readonly kind: 'model' | 'tool'
  readonly segments: readonly Segment[]
}

export interface RunPicture {
  readonly run: string | undefined
  readonly rows: readonly Row[]
  readonly steps: number
  readonly toolCalls: number
  readonly usage: Usage
  /** Nothing more will come: the run ended, or waits suspended. */
  readonly ended: boolean
  readonly status: string
}

interface Drawing {
  run: string | undefined
  rows: Map<
    string,
    { readonly label: string; readonly step: number; readonly kind: Row['kind']; readonly segments: Segment[] }
  >
  steps: number
  toolCalls: number
  usage: Usage
  ended: boolean
  status: string
}

const empty = (run?: string): Drawing => ({
  run,
  rows: new Map(),
  steps: 0,
  toolCalls: 0,
  usage: {},
  ended: false,
  status: 'idle',
})

/** The picture of the last run in these records; what lacks a field is left out. */
export function runPicture(records: readonly ChatRecord[]): RunPicture {
  let drawing = empty()
  for (const record of records) {
    if (record.type === 'interrupted') endAll(drawing, 'interrupted')
    if (record.type === 'dropped') endAll(drawing, 'undecided')
    if (record.type !== 'event' || !isRecord(record) || 'delta' in record.event) continue
    const { event } = record
    if (event.path !== undefined && event.path.length > 0) continue
    if (event.type === 'run-start' && event.resumed !== true) drawing = empty(event.run)
    draw(drawing, event)
  }
  return { ...drawing, rows: [...drawing.rows].map(([key, row]) => ({ key, ...row })) }
}

function draw(into: Drawing, event: RunEvent): void {
  switch (event.type) {
    case 'run-start':
      into.ended = false
      into.status = 'running'
      return
    case 'step-start':
      into.steps++
      begin(into, { key: `model ${event.step}`, label: 'model', step: event.step, kind: 'model' }, 'model', event.at)
      return
    case 'usage':
      into.usage = addUsage(into.usage, event.usage)
      finish(into, `model ${event.step}`, event.at)
      return
    case 'approval-request':
      begin(into, rowOf(event), 'wait', event.at)
      return
    case 'approval-response':
      finish(into, event.callId, event.at)
      return
    case 'tool-start':
      into.toolCalls++
      begin(into, rowOf(event), 'tool', event.at)
      return
    case 'tool-end':
      if (!into.rows.has(event.callId)) begin(into, rowOf(event), 'tool', event.at)
      finish(into, event.callId, event.at, !event.outcome.ok)
      return
    case 'run-end':
      into.status = event.status
      into.ended = true
      if (event.status !== 'suspended') endAll(into, event.status, event.at)
  }
}

const rowOf = ({
  callId,
  name,
  step,
}: {
  readonly callId: string
  readonly name: string
  readonly step: number
}): Omit<Row, 'segments'> => ({
  key: callId,
  label: name,
  step,
  kind: 'tool',
})

function begin(into: Drawing, row: Omit<Row, 'segments'>, kind: Segment['kind'], start: number): void {
  const { key, ...facts } = row
  const known = into.rows.get(key) ?? { ...facts, segments: [] }
  into.rows.set(key, known)
  const last = known.segments.at(-1)
  // A resumed run asks about the same call again: it has been waiting all along.
  if (last !== undefined && last.end === undefined) return
  known.segments.push({ kind, start, end: undefined })
}

function finish(into: Drawing, key: string, end: number, failed = false): void {
  const segments = into.rows.get(key)?.segments
  const last = segments?.at(-1)
  if (segments === undefined || last === undefined || last.end !== undefined) return
  segments[segments.length - 1] = { ...last, end, ...(failed ? { failed } : {}) }
}

function endAll(into: Drawing, status: string, at?: number): void {
  into.status = status
  into.ended = true
  for (const [key, { segments }] of into.rows) {
    const last = segments.at(-1)
    if (last !== undefined && last.end === undefined) finish(into, key, at ?? last.start, true)
  }
}
