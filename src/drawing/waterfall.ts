// What a finished run did when: spans out of its log.
import type { RunEvent } from '../message/event.ts'
import { own } from '../json/value.ts'
import type { StepStatus } from '../plan/step.ts'
import { statusOf } from './graph.ts'
import { duration, lineOf, textOf } from './words.ts'

/** `approval` is the wait for a person; `node` a step of a plan or a node of a workflow. */
export type SpanKind = 'model' | 'tool' | 'approval' | 'node'

export interface Span {
  /** Which line of the picture it stands in; a call has its waits, its tries and itself in one. */
  readonly row: number
  /** How many rows it stands within: a call within its step, a sub-agent within its call. */
  readonly depth: number
  readonly kind: SpanKind
  readonly name: string
  /** The call ids of the sub-agents above it, outermost first. */
  readonly path: readonly string[]
  /** Milliseconds from the first event. */
  readonly startMs: number
  readonly endMs: number
  /** `pending`: the log ends before it does. */
  readonly status: StepStatus
  /** One fact a line, for whoever wants to know more. */
  readonly facts: readonly string[]
}

export interface Waterfall {
  /** By row, and by time within a row. */
  readonly spans: readonly Span[]
  /** From the first event to the last. */
  readonly totalMs: number
}

interface Bar {
  readonly kind: SpanKind
  readonly start: number
  end?: number | undefined
  status: StepStatus
  readonly facts: string[]
}

interface Row {
  readonly name: string
  readonly path: readonly string[]
  readonly bars: Bar[]
  readonly rows: Row[]
}

interface Reading {
  readonly roots: Row[]
  /** By path, kind and id. */
  readonly rows: Map<string, Row>
  /** Nodes that are under way, by path and id. */
  readonly openNodes: Map<string, Map<string, Row>>
  /** The model call that is under way or was last, by path. */
  readonly steps: Map<string, Row>
}

/**
 * The spans of a run, from its whole log: model calls, tool calls, waits for people, steps of plans and nodes of workflows,
 * nested as they ran. A log may break off, lack events, or come from clocks that go backwards: spans never have a negative
 * length, and what has no end ends with the log.
 */
export function waterfall(events: readonly RunEvent[]): Waterfall {
  const reading: Reading = { roots: [], rows: new Map(), openNodes: new Map(), steps: new Map() }
  const clock = steadyClock()
  let now = 0
  let ending: StepStatus = 'pending'
  for (const event of events) {
    now = clock(event.at)
    read(reading, event, now)
    if (event.type === 'run-start') ending = 'pending'
    if (event.type === 'run-end' && pathOf(event).length === 0) ending = endingOf(event.status)
  }
  return { spans: spansOf(reading.roots, now, ending), totalMs: now }
}

/** Milliseconds since its first time; where the clock is set back, time goes on from where it was. */
function steadyClock(): (at: number) => number {
  let last: number | undefined
  let elapsed = 0
  return (at) => {
    if (!Number.isFinite(at)) return elapsed
    elapsed += Math.max(at - (last ?? at), 0)
    last = at
    return elapsed
  }
}

const endingOf = (status: string): StepStatus => {
  if (status === 'suspended') return 'pending'
  return status === 'failed' ? 'failed' : 'cancelled'
}

const pathOf = ({ path }: RunEvent): readonly string[] => (Array.isArray(path) ? path.map(textOf) : [])

const keyOf = (path: readonly string[], kind: string, id: string): string => JSON.stringify([path, kind, id])

function read(reading: Reading, event: RunEvent, now: number): void {
  const path = pathOf(event)
  switch (event.type) {
    case 'step-start':
      return begin(stepRow(reading, path, event.step), { kind: 'model', start: now, facts: [] })
    case 'tool-call':
    case 'step-end':
      finish(reading.steps.get(JSON.stringify(path)), now, 'ok')
      return
    case 'retry':
      reading.steps
        .get(JSON.stringify(path))
        ?.bars.at(-1)
        ?.facts.push(`retried: ${textOf(event.reason)}`)
      return
    case 'approval-request': {
      const facts = [`asked: ${lineOf(own(event.preview, 'summary') ?? event.reason ?? event.name)}`]
      return begin(callRow(reading, path, event), { kind: 'approval', start: now, facts })
    }
    case 'approval-response':
      return answered(callRow(reading, path, event), now, event)
    case 'tool-start': {
      const row = callRow(reading, path, event)
      // A wait whose answer is lost is over once the tool runs.
      if (row.bars.at(-1)?.kind === 'approval') finish(row, now, 'ok')
      return begin(row, { kind: 'tool', start: now, facts: event.attempt > 1 ? [`attempt: ${event.attempt}`] : [] })
    }
    case 'tool-end':
      return toolEnded(callRow(reading, path, event), now, event)
    case 'node-start': {
      const row = nodeRow(reading, path, event.node)
      openNodes(reading, path).set(textOf(event.node), row)
      return begin(row, { kind: 'node', start: now, facts: [`kind: ${lineOf(event.kind)}`] })
    }
    case 'node-end':
      nodeEnded(nodeRow(reading, path, event.node), now, event)
      openNodes(reading, path).delete(textOf(event.node))
      return
    default:
      return
  }
}

/** What is open goes on: a resumed run asks the same question and starts the same call again. */
function begin(row: Row, bar: Omit<Bar, 'end' | 'status'>): void {
  const last = row.bars.at(-1)
  if (last && last.end === undefined) {
    if (last.kind === bar.kind && bar.kind !== 'tool') return
    last.end = bar.start
    last.status = bar.kind === 'tool' && last.kind === 'tool' ? 'failed' : 'ok'
  }
  row.bars.push({ ...bar, status: 'pending' })
}

function finish(row: Row | undefined, now: number, status: StepStatus): Bar | undefined {
  const last = row?.bars.at(-1)
  if (!last || last.end !== undefined) return undefined
  last.end = now
  last.status = status
  return last
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

function answered(row: Row, now: number, { decision, reason }: EventOf<'approval-response'>): void {
  const isDenied = textOf(decision).startsWith('deny')
  const bar = finish(row, now, isDenied ? 'cancelled' : 'ok')
  bar?.facts.push(`answer: ${lineOf(decision)}${reason === undefined ? '' : `, ${textOf(reason)}`}`)
}

function toolEnded(row: Row, now: number, { outcome }: EventOf<'tool-end'>): void {
  const reason = own(outcome, 'reason')
  const status = own(outcome, 'ok') === true ? 'ok' : (failures.get(textOf(reason)) ?? 'failed')
  // One that was refused never began: it is a moment, not a bar.
  if (row.bars.at(-1)?.end !== undefined || !row.bars.length) begin(row, { kind: 'tool', start: now, facts: [] })
  if (row.bars.at(-1)?.kind === 'approval') begin(row, { kind: 'tool', start: now, facts: [] })
  const bar = finish(row, now, status)
  if (reason !== undefined) bar?.facts.push(`reason: ${textOf(reason)}`)
}

const failures: ReadonlyMap<string, StepStatus> = new Map([
  ['aborted', 'cancelled'],
  ['pending', 'pending'],
])

function nodeEnded(row: Row, now: number, { status, because }: EventOf<'node-end'>): void {
  // A skipped one never began.
  if (row.bars.at(-1)?.end !== undefined || !row.bars.length) begin(row, { kind: 'node', start: now, facts: [] })
  const bar = finish(row, now, statusOf(status) ?? 'pending')
  if (because !== undefined) bar?.facts.push(`because of: ${textOf(because)}`)
}

function rowIn(reading: Reading, key: string, { parent, ...row }: Pick<Row, 'name' | 'path'> & Within): Row {
  const known = reading.rows.get(key)
  if (known) return known
  const made: Row = { ...row, bars: [], rows: [] }
  reading.rows.set(key, made)
  ;(parent?.rows ?? reading.roots).push(made)
  return made
}

interface Within {
  readonly parent: Row | undefined
}

/** The call or the node that a sub-agent runs in. */
function holderOf({ rows }: Reading, path: readonly string[]): Row | undefined {
  const id = path.at(-1)
  if (id === undefined) return undefined
  const above = path.slice(0, -1)
  return rows.get(keyOf(above, 'call', id)) ?? rows.get(keyOf(above, 'node', id))
}

function stepRow(reading: Reading, path: readonly string[], step: number): Row {
  const parent = holderOf(reading, path)
  const row = rowIn(reading, keyOf(path, 'step', lineOf(step)), { name: `step ${lineOf(step)}`, path, parent })
  reading.steps.set(JSON.stringify(path), row)
  return row
}

const openNodes = ({ openNodes: all }: Reading, path: readonly string[]): Map<string, Row> => {
  const key = JSON.stringify(path)
  const known = all.get(key) ?? new Map<string, Row>()
  all.set(key, known)
  return known
}

function nodeRow(reading: Reading, path: readonly string[], node: string): Row {
  const name = textOf(node)
  return rowIn(reading, keyOf(path, 'node', name), { name: lineOf(name), path, parent: holderOf(reading, path) })
}

function callRow(
  reading: Reading,
  path: readonly string[],
  { callId, name }: { readonly callId: string; readonly name: string },
): Row {
  const full = textOf(callId)
  // The question of a sub-agent has the ids of the calls above it in its own.
  const above = path.map((id) => `${id}/`).join('')
  const id = full.startsWith(above) ? full.slice(above.length) : full
  const key = keyOf(path, 'call', id)
  const known = reading.rows.get(key)
  if (known) return known
  const nodes = openNodes(reading, path)
  const parent = nodeOf(nodes, id) ?? reading.steps.get(JSON.stringify(path)) ?? holderOf(reading, path)
  return rowIn(reading, key, { name: lineOf(name), path, parent })
}

/** The open node that makes a call: the one whose id the call's begins with, else the only one. */
function nodeOf(nodes: ReadonlyMap<string, Row>, callId: string): Row | undefined {
  const exact = nodes.get(callId) ?? nodes.get(/^[\w-]+/.exec(callId)?.[0] ?? '')
  if (exact || nodes.size !== 1) return exact
  const [only] = nodes.values()
  return only
}

/** From the top, each row before those within it. A node that is one call and nothing more shares its row with it. */
function spansOf(roots: readonly Row[], now: number, ending: StepStatus): readonly Span[] {
  const spans: Span[] = []
  const open = roots.map((row) => ({ row, depth: 0 })).reverse()
  let line = 0
  for (let next = open.pop(); next; next = open.pop()) {
    const { row, depth } = next
    const [only, second] = row.rows
    const isOne = row.bars[0]?.kind === 'node' && only !== undefined && !second && !only.rows.length
    const put = ({ name, path, bars }: Row): void => {
      for (const { kind, start, end, status, facts } of bars) {
        const endMs = end ?? now
        spans.push({
          ...{ row: line, depth, kind, name, path, startMs: start, endMs },
          status: end === undefined ? ending : status,
          facts: [...facts, `time: ${duration(endMs - start)}`],
        })
      }
    }
    put(row)
    if (isOne && only) put(only)
    else for (const inner of [...row.rows].reverse()) open.push({ row: inner, depth: depth + 1 })
    line++
  }
  return spans
}
