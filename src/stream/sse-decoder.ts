// Decodes server-sent events from bytes, pushed as they come (WHATWG HTML, "Interpreting an event stream").
import { SameloopError } from '../error/error.ts'

export interface SseEvent {
  /** `message` where the stream named none. */
  readonly event: string
  /** The data lines, joined by LF. */
  readonly data: string
  /** The last id the stream gave, of this event or an earlier one; empty where it gave none. */
  readonly id: string
  /** The bytes as text, where the whole event lay in one chunk and a `shortcut` may learn from it. */
  readonly raw?: string | undefined
}

export interface SseOptions {
  /** The longest event, in characters; a longer one is `stream-too-large`. Default 16 Mi. */
  readonly maxEventChars?: number | undefined
  /** Told of a reconnection time, in milliseconds. */
  readonly onRetry?: ((ms: number) => void) | undefined
  /**
   * May take whole events off `text` at `from`, where an event begins; returns the position after them, or `from`.
   * What it takes is not decoded.
   */
  readonly shortcut?: ((text: string, from: number) => number) | undefined
}

export interface SseDecoder {
  push(bytes: Uint8Array): void
  /** The event that the end of the stream left without its blank line: the standard discards it, a caller may not. */
  end(): SseEvent | undefined
}

const defaultMaxEventChars = 16 * 2 ** 20

/** The fields of the event that is being read. */
interface Fields {
  /** Takes one line that is not empty. Its length and what was read before must not exceed the limit. */
  line(text: string): void
  /** What a blank line, or the end, makes of them; `undefined` without data. */
  take(raw?: string): SseEvent | undefined
  isEmpty(): boolean
  /** Throws where `chars` more are too many. */
  check(chars: number): void
}

function sseFields({ maxEventChars = defaultMaxEventChars, onRetry }: SseOptions): Fields {
  let data: string | undefined
  let name = ''
  let id = ''
  const check = (chars: number): void => {
    if (chars + (data?.length ?? 0) <= maxEventChars) return
    const details = { data: { limit: maxEventChars } }
    throw new SameloopError('stream-too-large', `Cannot read event: longer than ${maxEventChars} characters`, details)
  }
  return {
    check,
    isEmpty: () => data === undefined && name === '',
    line(text) {
      check(text.length)
      const colon = text.indexOf(':')
      const key = colon < 0 ? text : text.slice(0, colon)
      const value = colon < 0 ? '' : text.slice(text.charCodeAt(colon + 1) === 32 ? colon + 2 : colon + 1)
      if (key === 'data') data = data === undefined ? value : data + '\n' + value
      else if (key === 'event') name = value
      else if (key === 'id') id = value.includes('\0') ? id : value
      else if (key === 'retry' && /^\d+$/.test(value)) onRetry?.(Number(value))
    },
    take(raw) {
      const event = data === undefined ? undefined : { event: name || 'message', data, id, raw }
      data = undefined
      name = ''
      return event
    },
  }
}

/**
 * Calls `onEvent` for each event; work is linear in the bytes, however they are cut. Throws `stream-too-large`.
 * What `onEvent` throws passes through `push`.
 */
export function sseDecoder(onEvent: (event: SseEvent) => void, options: SseOptions = {}): SseDecoder {
  const { shortcut } = options
  // The byte order mark is dropped here and not by the decoder: not every runtime finds one that is cut.
  const utf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  const fields = sseFields(options)
  /** A character that is skipped where it comes next: the byte order mark at the start, LF after a CR. */
  let skip = 0xfeff
  /** A line whose end has not come. It only grows by `+=`, which engines keep as a rope: linear. */
  let line = ''

  const scan = (text: string): void => {
    if (text === '') return
    let at = text.charCodeAt(0) === skip ? 1 : 0
    skip = -1
    // Where the current event began in this text; -1: in an earlier one.
    let start = line === '' && fields.isEmpty() ? at : -1
    // The next line ends; -1: none, -2: not looked for.
    let lf = -2
    let cr = -2
    while (at < text.length) {
      if (shortcut && start === at) {
        const next = shortcut(text, at)
        if (next > at) {
          at = start = next
          continue
        }
      }
      if (lf < at && lf !== -1) lf = text.indexOf('\n', at)
      if (cr < at && cr !== -1) cr = text.indexOf('\r', at)
      const end = lf < 0 || (cr >= 0 && cr < lf) ? cr : lf
      if (end < 0) break
      const whole = line + text.slice(at, end)
      line = ''
      at = end + 1
      if (end === cr && at === text.length) skip = 10
      if (end === cr && text.charCodeAt(at) === 10) at++
      if (whole !== '') {
        fields.line(whole)
        continue
      }
      const event = fields.take(shortcut && start >= 0 && skip < 0 ? text.slice(start, at) : undefined)
      start = at
      if (event) onEvent(event)
    }
    line += text.slice(at)
    fields.check(line.length)
  }

  return {
    push: (bytes) => scan(utf8.decode(bytes, { stream: true })),
    end() {
      scan(utf8.decode())
      fields.line(line)
      line = ''
      return fields.take()
    },
  }
}
