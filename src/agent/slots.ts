// Slots for running tools: a cap on how many run at once, first come first served, and exclusive tools alone.

interface Waiting {
  readonly exclusive: boolean
  readonly go: () => void
}

export interface Slots {
  readonly limit: number
  running: number
  exclusive: boolean
  readonly waiting: Waiting[]
}

export function slots(limit: number): Slots {
  return { limit, running: 0, exclusive: false, waiting: [] }
}

/** Takes a slot: `undefined` when it is free at once, else a promise of it. */
export function takeSlot(from: Slots, exclusive: boolean): Promise<void> | undefined {
  if (from.waiting.length === 0 && fits(from, exclusive)) {
    occupy(from, exclusive)
    return undefined
  }
  return new Promise((go) => {
    from.waiting.push({ exclusive, go })
  })
}

export function freeSlot(from: Slots): void {
  from.running--
  from.exclusive = false
  letIn(from)
}

/** Lets everyone in at once: the run was aborted, and whoever waits must be answered now. */
export function openSlots(from: Slots): void {
  for (const { go } of from.waiting.splice(0)) {
    from.running++
    go()
  }
}

function letIn(from: Slots): void {
  for (let next = from.waiting[0]; next !== undefined && fits(from, next.exclusive); next = from.waiting[0]) {
    from.waiting.shift()
    occupy(from, next.exclusive)
    next.go()
  }
}

const fits = (from: Slots, exclusive: boolean): boolean =>
  exclusive ? from.running === 0 : !from.exclusive && from.running < from.limit

function occupy(from: Slots, exclusive: boolean): void {
  from.running++
  from.exclusive = exclusive
}
