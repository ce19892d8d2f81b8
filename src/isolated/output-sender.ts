// What a program prints, on its way out of a Worker: soon while it is little, in larger pieces when it is much.
import type { Host } from '../host/host.ts'
import type { Stream } from '../confined/output.ts'
import type { Pieces } from './worker-message.ts'

export interface OutputSenderOptions {
  readonly host: Pick<Host, 'now' | 'timer'>
  /** Characters after which no more is sent: the other end will have ended the program by then. */
  readonly room: number
  readonly send: (pieces: Pieces) => void
}

export interface OutputSender {
  readonly add: (stream: Stream, text: string) => void
  readonly flush: () => void
}

const windowMs = 50
/** Messages at once in each window: a program that prints a little and then computes for ever is seen to have printed. */
const soonest = 64
const maxPieces = 512
const maxChars = 2 ** 15

export function outputSender({ host, room, send }: OutputSenderOptions): OutputSender {
  let pieces: [Stream, string][] = []
  let chars = 0
  let left = room
  let windowStart = -Infinity
  let sent = 0
  let isTimed = false
  const flush = (): void => {
    if (!pieces.length) return
    const ready = pieces
    pieces = []
    chars = 0
    send(ready)
  }
  const mayGo = (): boolean => {
    const now = host.now()
    if (now - windowStart >= windowMs) {
      windowStart = now
      sent = 0
    }
    return sent++ < soonest
  }
  const later = (): void => {
    if (isTimed) return
    isTimed = true
    host.timer(0, () => {
      isTimed = false
      flush()
    })
  }
  return {
    flush,
    add: (stream, text) => {
      if (left < 0 || text === '') return
      // One more than there is room for, so that the other end sees that it is too much.
      const kept = text.slice(0, left + 1)
      left -= text.length
      const last = pieces.at(-1)
      if (last?.[0] === stream) last[1] += kept
      else pieces.push([stream, kept])
      chars += kept.length
      // What fills the room is told at once: a program that computes for ever leaves no time for it later.
      if (left < 0 || chars >= maxChars || pieces.length >= maxPieces || mayGo()) flush()
      else later()
    },
  }
}
