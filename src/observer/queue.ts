// The events of a run on their way to one reader: a plain array with a hand-written iterator.
import { SameloopError } from '../error/error.ts'
import { isDelta, joinDelta } from '../message/delta.ts'
import type { RunEvent } from '../message/event.ts'

type Taker = (result: IteratorResult<RunEvent, undefined>) => void

export interface EventQueue {
  items: RunEvent[]
  /** Somebody took the events; they may be taken once. */
  taken: boolean
  /** No event comes any more, or nobody is there to take it. */
  ended: boolean
  /** Readers that wait for an event that is not there yet. */
  takers: Taker[]
  /** An estimate of what is unread: 100 for each event and one for each character of its delta. */
  bytes: number
  /** Above it what is unread is made smaller. */
  limit: number
  dropped: number
  lastDropped?: RunEvent
  /** Called when the reader caught up, or left. */
  onDrained?: (() => void) | undefined
}

const unreadLimit = 1024 * 1024

export function eventQueue(): EventQueue {
  return { items: [], taken: false, ended: false, takers: [], bytes: 0, limit: unreadLimit, dropped: 0 }
}

/** What may be dropped where nobody reads: it is only shown. */
const isMinor = (event: RunEvent): boolean =>
  isDelta(event) || event.type === 'tool-progress' || event.type === 'node-start' || event.type === 'node-end'

function weight(event: RunEvent): number {
  if (event.type === 'tool-progress') return 100 + (JSON.stringify(event.value)?.length ?? 0)
  return 100 + (isDelta(event) ? event.delta.length : 0)
}

export function pushEvent(queue: EventQueue, event: RunEvent): void {
  if (queue.ended) return
  const taker = queue.takers.shift()
  if (taker) return taker({ done: false, value: event })
  queue.items.push(event)
  if (queue.taken) return
  queue.bytes += weight(event)
  if (queue.bytes > queue.limit) compact(queue)
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
    // Runs within one run share its reader.
    const { onDrained } = queue
    queue.onDrained = () => {
      queue.onDrained = undefined
      onDrained?.()
      resolve()
    }
  })
}

/** Whether a reader is there but has not yet asked for the event that comes next. */
export const isReaderBusy = (queue: EventQueue): boolean => queue.taken && !queue.ended && !queue.takers.length

/** Hands the events to their one reader. `onIdle` is called when it waits for more, and when it left before the end. */
export function readEvents(queue: EventQueue, onIdle: (hasLeft: boolean) => void): AsyncIterableIterator<RunEvent> {
  if (queue.taken) {
    throw new SameloopError('run-already-read', 'The events of a run can be read once: use hooks.onEvent')
  }
  queue.taken = true
  noteDropped(queue)
  return {
    [Symbol.asyncIterator]: itself,
    next() {
      const value = queue.items.shift()
      if (!queue.items.length) drain(queue)
      if (value) return Promise.resolve({ done: false, value })
      if (queue.ended) return Promise.resolve(done)
      return new Promise((resolve) => {
        // A new list for the usual only one: an array that grew keeps room for more.
        if (queue.takers.length) queue.takers.push(resolve)
        else queue.takers = [resolve]
        onIdle(false)
      })
    },
    async return() {
      drain(queue)
      if (!queue.ended) {
        endEvents(queue)
        onIdle(true)
      }
      return done
    },
  }
}

/** Shared, as a method under a computed key is one of its own with a name of its own. */
function itself(this: AsyncIterableIterator<RunEvent>): AsyncIterableIterator<RunEvent> {
  return this
}

/** Nothing is left to read: a new array, as the old one keeps the room it once needed. */
function drain(queue: EventQueue): void {
  queue.items = []
  queue.onDrained?.()
}

/** Nobody reads: joins adjacent deltas of a block, and if that is not enough drops the oldest ones. */
function compact(queue: EventQueue): void {
  const joined: RunEvent[] = []
  for (const event of queue.items) {
    const both = joinDelta(joined.at(-1), event)
    if (both) joined[joined.length - 1] = both
    else joined.push(event)
  }
  queue.bytes = joined.reduce((sum, event) => sum + weight(event), 0)
  queue.items = joined.filter((event) => {
    if (queue.bytes <= unreadLimit / 2 || !isMinor(event)) return true
    queue.bytes -= weight(event)
    queue.dropped++
    queue.lastDropped = event
    return false
  })
  // What cannot be dropped must not be looked through for every event that follows.
  queue.limit = Math.max(unreadLimit, 2 * queue.bytes)
}

function noteDropped({ dropped, lastDropped, items }: EventQueue): void {
  if (!lastDropped) return
  const { seq, at, run } = lastDropped
  const message = 'Unread text or progress was dropped; the messages are whole'
  items.push({ type: 'warning', code: 'events-dropped', message, data: { count: dropped }, seq, at, run })
  items.sort((left, right) => left.seq - right.seq)
}
