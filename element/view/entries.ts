// The state of a conversation as a chat shows it, and the two ways its entries change.
import type { Entry } from './entry.ts'

export type ChatStatus = 'idle' | 'starting' | 'running' | 'waiting'

export interface Transcript {
  readonly entries: Entry[]
  status: ChatStatus
  connection: 'ok' | 'lost'
  /** The id of the model of the current or last run. */
  model: string | undefined
  /** The open questions. */
  waiting: number
  /** Records of an earlier visit came since the last look: they are not told again. */
  isOld: boolean
  /** Where an entry is, by its key; made anew when entries are taken out. */
  readonly places: Map<string, number>
}

export function transcript(): Transcript {
  return {
    entries: [],
    status: 'idle',
    connection: 'ok',
    model: undefined,
    waiting: 0,
    isOld: false,
    places: new Map(),
  }
}

export function append(into: Transcript, entry: Entry): void {
  into.places.set(entry.key, into.entries.push(entry) - 1)
}

/** Replaces the entry of this key by what `change` makes of it; nothing where there is none. */
export function replace(into: Transcript, key: string, change: (entry: Entry) => Entry): void {
  const place = into.places.get(key)
  const entry = place === undefined ? undefined : into.entries[place]
  if (place !== undefined && entry !== undefined) into.entries[place] = change(entry)
}
