// What a chat talks to: one conversation, wherever its agent runs.
import type { Decision } from '../../src/message/decision.ts'
import type { RunEvent } from '../../src/message/event.ts'
import type { Message } from '../../src/message/part.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'

/** One thing that happened in a conversation. The whole of them, in order, is all a chat needs to draw it. */
export type ChatRecord =
  | { readonly type: 'user'; readonly id: string; readonly text: string }
  | { readonly type: 'event'; readonly event: RunEvent }
  /** What went wrong outside of a run: it could not start, the worker refused. */
  | { readonly type: 'failure'; readonly id: string; readonly code: string; readonly message: string }
  /** The page went away in the middle of a run; what had finished is kept. */
  | { readonly type: 'interrupted'; readonly id: string }
  /** Open questions were let go undecided. */
  | { readonly type: 'dropped'; readonly id: string }
  /** Older records were not kept. */
  | { readonly type: 'cut'; readonly id: string }
  | { readonly type: 'connection'; readonly state: 'lost' | 'back' }

/** A conversation as `<sameloop-chat>` uses it. `localSession` and `remoteSession` make one. */
export interface ChatSession {
  readonly id: string
  /** All records so far. */
  readonly records: readonly ChatRecord[]
  /** Whether the records that come now are those of an earlier visit. */
  readonly isRestoring?: boolean | undefined
  /** Whether `send` may add to a run that works. */
  readonly steers: boolean
  /** Tells of each new record, at once. Returns the end of it. */
  subscribe(listener: (record: ChatRecord) => void): () => void
  /** Starts a run, or adds to the one that works. What goes wrong becomes a record; it never rejects. */
  send(text: string): Promise<void>
  /** Answers an open request. Rejects with words for a person where the answer is refused. */
  decide(decision: Decision): Promise<void>
  /** Ends the run that works; lets go of questions that wait. */
  stop(): void
  /** Goes on after a stop, a failure or an interruption, where that is possible. */
  continue?: (() => Promise<void>) | undefined
  /** Begins another conversation in the place of this one, where this one cannot be gone on with. */
  renew?: (() => void) | undefined
  /** The clock of its events, in milliseconds since the epoch. Default: the clock of the page. */
  now?: (() => number) | undefined
  /** Lets go of connections; a local run is stopped. */
  close(): void
}

/** A conversation as plain JSON, from which `localSession` goes on. */
export interface SavedChat {
  readonly version: 1
  readonly id: string
  readonly records: readonly ChatRecord[]
  readonly messages: readonly Message[]
  /** The run that waits for a decision. */
  readonly snapshot?: Snapshot | undefined
  /** A run was at work when this was saved. */
  readonly running: boolean
}
