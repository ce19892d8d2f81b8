// Joins a conversation to its drawing: folds records as they come, and asks for a new drawing once a frame.
import { signal } from '@preact/signals'
import type { Signal } from '@preact/signals'
import type { ChatSession } from '../session/session.ts'
import { transcript } from './entries.ts'
import type { Transcript } from './entries.ts'
import { foldRecord } from './transcript.ts'

export interface ChatModel {
  readonly transcript: Transcript
  /** Counts drawings: it changes once a frame at most. */
  readonly version: Signal<number>
  close(): void
}

export function chatModel(session: ChatSession): ChatModel {
  const folded = transcript()
  for (const record of session.records) foldRecord(folded, record)
  const version = signal(0)
  const frame = frames(() => version.value++)
  const leave = session.subscribe((record) => {
    foldRecord(folded, record)
    if (session.isRestoring === true) folded.isOld = true
    frame.ask()
  })
  return {
    transcript: folded,
    version,
    close: () => {
      leave()
      frame.close()
    },
  }
}

/** A page in the background gets no frames; a question should still be there when it is looked at. */
const hiddenDelayMs = 100

function frames(draw: () => void): { ask(): void; close(): void } {
  let cancel: (() => void) | undefined
  const run = (): void => {
    cancel = undefined
    draw()
  }
  return {
    ask() {
      if (cancel !== undefined) return
      if (document.hidden) {
        const timer = setTimeout(run, hiddenDelayMs)
        cancel = () => clearTimeout(timer)
      } else {
        const frame = requestAnimationFrame(run)
        cancel = () => cancelAnimationFrame(frame)
      }
    },
    close: () => cancel?.(),
  }
}
