// The events of a run on their way to one reader: a plain array with a hand-written iterator.
import { SameloopError } from '../error/error.ts'
import type { RunEvent } from '../message/event.ts'

type Delta = Extract<RunEvent, { readonly delta: string }>
type Taker = (result: IteratorResult<RunEvent, undefined>) => void

export interface EventQueue {
  items: RunEvent[]
  /** Somebody took the events; they may be taken once. */
  taken: boolean
  /** No event comes any more, or nobody is there to take it. */
  ended: boolean
  /** Readers that wait for an event that is not there yet. */
  readonly takers: Taker[]
  /** An estimate of what is unread: 100 for each event and one for each character of its delta. */
  bytes: number
  dropped: number
  lastDropped?: RunEvent
  /** Called when the reader caught up, or left. */
  onDrained?: () => void
}

export function eventQueue(): EventQueue {
  return { items: [], taken: false, ended: false, takers: [], bytes: 0, dropped: 0 }
}

const isDelta = (event: RunEvent): event is Delta => 'delta' in event
const weight = (event: RunEvent): number => 100 + (isDelta(event) ? event.delta.length : 0)

export function pushEvent(queue: EventQueue, event: RunEvent): void {
  if (queue.ended) return
  const taker = queue.takers.shift()
  if (taker) return taker({ done: false, value: event })
  queue.items.push(event)
  if (queue.taken) return
  const unreadLimit = 1024 * 1024
  queue.bytes += weight(event)
  if (queue.bytes > unreadLimit) compact(queue, unreadLimit / 2)
}

/** No more events: readers that wait are told. */
export function endEvents(queue: EventQueue): void {
  queue.ended = true
  for (const taker of queue.takers.splice(0)) taker(done)
}

const done = { done: true, value: undefined } as const

/** Whether the reader is behind so far that the run should wait for it. */
export const isFull = (queue: EventQueue): boolean => queue.taken && queue.items.length > 512

/** Resolves when the reader caught up, or left. */
export function drained(queue: EventQueue): Promise<void> {
  return new Promise((resolve) => {
    queue.onDrained = resolve
  })
}

/** Whether a reader is there but has not yet asked for the event that comes next. */
export const isReaderBusy = (queue: EventQueue): boolean => queue.taken && !queue.ended && !queue.takers.length

export interface Reading {
  /** The reader waits for more, or left. */
  onIdle(): void
  /** The reader left before the end. */
  onLeave(): void
}

/** Hands the events to their one reader. */
export function readEvents(queue: EventQueue, reading: Reading): AsyncIterableIterator<RunEvent> {
  if (queue.taken) {
    throw new SameloopError('run-already-read', 'The events of a run can be read once: use hooks.onEvent')
  }
  queue.taken = true
  noteDropped(queue)
  const iterator: AsyncIterableIterator<RunEvent> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      const value = queue.items.shift()
      if (!queue.items.length) queue.onDrained?.()
      if (value) return Promise.resolve({ done: false, value })
      if (queue.ended) return Promise.resolve(done)
      return new Promise((resolve) => {
        queue.takers.push(resolve)
        reading.onIdle()
      })
    },
    async return() {
      queue.items = []
      queue.onDrained?.()
      if (!queue.ended) {
        endEvents(queue)
        reading.onLeave()
        reading.onIdle()
      }
      return done
    },
  }
  return iterator
}

/** Nobody reads: joins adjacent deltas of a block, and if that is not enough drops the oldest ones. */
function compact(queue: EventQueue, room: number): void {
  const joined: RunEvent[] = []
  for (const event of queue.items) {
    const last = joined.at(-1) as Delta | undefined
    if (isDelta(event) && last?.type === event.type && last.id === event.id && last.step === event.step) {
      // The later `seq`: who resumes after it has read all of the joined text.
      joined[joined.length - 1] = { ...event, delta: last.delta + event.delta }
    } else joined.push(event)
  }
  queue.bytes = joined.reduce((sum, event) => sum + weight(event), 0)
  queue.items = joined.filter((event) => {
    if (queue.bytes <= room || !isDelta(event)) return true
    queue.bytes -= weight(event)
    queue.dropped++
    queue.lastDropped = event
    return false
  })
}

function noteDropped({ dropped, lastDropped, items }: EventQueue): void {
  if (!lastDropped) return
  const { seq, at, run } = lastDropped
  const message = 'Text of unread events was dropped; the messages are whole'
  const before = items.filter((event) => event.seq < seq).length
  items.splice(before, 0, { type: 'warning', code: 'events-dropped', message, data: { count: dropped }, seq, at, run })
}
