// The events of a run on their way to one reader: a plain array with a hand-written iterator.
import { SameloopError } from '../error/error.ts'
import type { RunEvent } from '../message/event.ts'

type Delta = Extract<RunEvent, { readonly delta: string }>

export interface EventQueue {
  items: RunEvent[]
  head: number
  /** Somebody took the events; they may be taken once. */
  taken: boolean
  ended: boolean
  readonly waiters: ((result: IteratorResult<RunEvent, undefined>) => void)[]
  /** An estimate of what is unread: 100 for each event and one for each character of its delta. */
  bytes: number
  dropped: number
  lastDropped: RunEvent | undefined
  drained: (() => void) | undefined
  /** The reader waits for an event that is not there yet. */
  onStarved: () => void
}

const unreadLimit = 1024 * 1024
const highWater = 512

export function eventQueue(onStarved: () => void): EventQueue {
  return {
    items: [],
    head: 0,
    taken: false,
    ended: false,
    waiters: [],
    bytes: 0,
    dropped: 0,
    lastDropped: undefined,
    drained: undefined,
    onStarved,
  }
}

const isDelta = (event: RunEvent): event is Delta => 'delta' in event
const weight = (event: RunEvent): number => 100 + (isDelta(event) ? event.delta.length : 0)

export function pushEvent(queue: EventQueue, event: RunEvent): void {
  const waiter = queue.waiters.shift()
  if (waiter !== undefined) {
    waiter({ done: false, value: event })
    return
  }
  queue.items.push(event)
  if (queue.taken) return
  queue.bytes += weight(event)
  if (queue.bytes > unreadLimit) compact(queue)
}

/** No more events: readers that wait are told. */
export function endEvents(queue: EventQueue): void {
  queue.ended = true
  for (const waiter of queue.waiters.splice(0)) waiter({ done: true, value: undefined })
}

/** Whether the reader is behind so far that the run should wait for it. */
export const isFull = (queue: EventQueue): boolean => queue.taken && queue.items.length - queue.head > highWater

/** Whether a reader is there but has not yet asked for the event that comes next. */
export const isReaderBusy = (queue: EventQueue): boolean => queue.taken && queue.waiters.length === 0

/** Resolves when the reader caught up, or left. */
export function caughtUp(queue: EventQueue): Promise<void> {
  return new Promise((resolve) => {
    queue.drained = resolve
  })
}

/** Hands the events to their one reader; `onLeave` is called when it stops early. */
export function readEvents(queue: EventQueue, onLeave: () => void): AsyncIterableIterator<RunEvent> {
  if (queue.taken) {
    throw new SameloopError('run-already-read', 'The events of a run can be read once: use hooks.onEvent for further listeners')
  }
  queue.taken = true
  noteDropped(queue)
  let left = false
  const iterator: AsyncIterableIterator<RunEvent> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      if (left) return Promise.resolve({ done: true, value: undefined })
      if (queue.head < queue.items.length) return Promise.resolve({ done: false, value: shift(queue) })
      if (queue.ended) return Promise.resolve({ done: true, value: undefined })
      return new Promise((resolve) => {
        queue.waiters.push(resolve)
        queue.onStarved()
      })
    },
    return() {
      if (!left) {
        left = true
        queue.items.length = queue.head = 0
        release(queue)
        for (const waiter of queue.waiters.splice(0)) waiter({ done: true, value: undefined })
        if (!queue.ended) onLeave()
      }
      return Promise.resolve({ done: true, value: undefined })
    },
  }
  return iterator
}

function shift(queue: EventQueue): RunEvent {
  const event = queue.items[queue.head++] as RunEvent
  if (queue.head === queue.items.length) {
    queue.items.length = queue.head = 0
    release(queue)
  }
  return event
}

function release(queue: EventQueue): void {
  queue.drained?.()
  queue.drained = undefined
}

/** Nobody reads: joins adjacent deltas of a block, and if that is not enough drops the oldest ones. */
function compact(queue: EventQueue): void {
  const joined: RunEvent[] = []
  for (const event of queue.items) {
    const last = joined.at(-1)
    if (isDelta(event) && last?.type === event.type && (last as Delta).id === event.id && (last as Delta).step === event.step) {
      // The later `seq`: who resumes after it has read all of the joined text.
      joined[joined.length - 1] = { ...event, delta: (last as Delta).delta + event.delta }
    } else joined.push(event)
  }
  let bytes = joined.reduce((sum, event) => sum + weight(event), 0)
  queue.items = joined.filter((event) => {
    if (bytes <= unreadLimit / 2 || !isDelta(event)) return true
    bytes -= weight(event)
    queue.dropped++
    queue.lastDropped = event
    return false
  })
  queue.bytes = bytes
}

function noteDropped(queue: EventQueue): void {
  const { dropped, lastDropped } = queue
  if (lastDropped === undefined) return
  const { seq, at, run } = lastDropped
  const message = `Nobody read the events for so long that ${dropped} text pieces were dropped; the messages of the result are whole`
  const after = queue.items.findIndex((event) => event.seq > seq)
  queue.items.splice(after, 0, { type: 'warning', code: 'events-dropped', message, data: { count: dropped }, seq, at, run })
}
