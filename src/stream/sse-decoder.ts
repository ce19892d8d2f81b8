// Decodes server-sent events from bytes, pushed as they come (WHATWG HTML, "Interpreting an event stream").
import { SameloopError } from '../error/error.ts'

export interface SseEvent {
  /** `message` where the stream named none. */
  readonly event: string
  /** The data lines, joined by LF. */
  readonly data: string
  /** The last id the stream gave, of this event or an earlier one; empty where it gave none. */
  readonly id: string
  /** The event's text, line ends as LF, where it lay in one chunk: a `shortcut` may learn from it. */
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
  /** The bytes are no events but the data of one, which `end` gives. */
  readonly isWhole?: boolean | undefined
}

export interface SseDecoder {
  push(bytes: Uint8Array): void
  /** The event that the end of the stream left without its blank line: the standard discards it, a caller may not. */
  end(): SseEvent | undefined
}

function tooLarge(limit: number): SameloopError {
  return new SameloopError('stream-too-large', `Cannot read event: longer than ${limit} characters`, {
    data: { limit },
  })
}

/** The name and the value of a line. */
function fieldOf(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':')
  return colon < 0 ? [line, ''] : [line.slice(0, colon), line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))]
}

/**
 * Calls `onEvent` for each event; work is linear in the bytes, however they are cut. Throws `stream-too-large`.
 * What `onEvent` throws passes through `push`.
 */
export function sseDecoder(onEvent: (event: SseEvent) => void, options: SseOptions = {}): SseDecoder {
  const { maxEventChars = 16 * 2 ** 20, onRetry, shortcut, isWhole } = options
  // The byte order mark is dropped here and not by the decoder: not every runtime finds one that is cut.
  const utf8 = new TextDecoder('utf-8', { fatal: false, ignoreBOM: true })
  /** A character that is skipped where it comes next: the byte order mark at the start, LF after a CR. */
  let skip = 0xfeff
  /** A line whose end has not come. It only grows by `+=`, which engines keep as a rope: linear. */
  let line = isWhole ? 'data:' : ''
  let data: string | undefined
  let name = ''
  let id = ''

  const check = (chars: number): void => {
    if (chars + (data?.length ?? 0) > maxEventChars) throw tooLarge(maxEventChars)
  }
  const field = (text: string): void => {
    check(text.length)
    const [key, value] = fieldOf(text)
    if (key === 'data') data = data === undefined ? value : data + '\n' + value
    else if (key === 'event') name = value
    else if (key === 'id') id = value.includes('\0') ? id : value
    else if (key === 'retry' && /^\d+$/.test(value)) onRetry?.(Number(value))
  }

  const take = (raw?: string): SseEvent | undefined => {
    const event = data === undefined ? undefined : { event: name || 'message', data, id, raw }
    data = undefined
    name = ''
    return event
  }

  const scan = (decoded: string): void => {
    let at = decoded.charCodeAt(0) === skip ? 1 : 0
    if (decoded !== '') skip = decoded.endsWith('\r') ? 10 : -1
    const text = decoded.includes('\r') ? decoded.replace(/\r\n?/g, '\n') : decoded
    // Where the current event began in this text; -1: in an earlier one.
    let start = line === '' && data === undefined && name === '' ? at : -1
    while (at < text.length) {
      const next = shortcut && start === at ? shortcut(text, at) : at
      if (next > at) {
        at = start = next
        continue
      }
      const end = isWhole ? -1 : text.indexOf('\n', at)
      if (end < 0) break
      const whole = line + text.slice(at, end)
      line = ''
      at = end + 1
      if (whole !== '') field(whole)
      else {
        const event = take(start < 0 ? undefined : text.slice(start, at))
        start = at
        if (event) onEvent(event)
      }
    }
    line += text.slice(at)
    check(line.length)
  }

  return {
    push: (bytes) => scan(utf8.decode(bytes, { stream: true })),
    end() {
      scan(utf8.decode())
      field(line)
      return take()
    },
  }
}
