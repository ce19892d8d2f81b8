// The JSON payloads of a server-sent event stream, read fast where one event differs from the last in one string only.
import { SameloopError } from '../error/error.ts'
import { parseJson } from '../json/text.ts'
import type { Wild } from '../json/wild.ts'
import { wildText } from '../json/wild.ts'
import { sseDecoder, type SseDecoder, type SseEvent, type SseOptions } from './sse-decoder.ts'

/** Where a payload holds the one string that changes from event to event: its object and key. */
export type Hot = readonly [holder: Wild, key: string]

export interface JsonEventsOptions extends Pick<SseOptions, 'maxEventChars'> {
  /** Finds that string. Pure. */
  readonly hot?: Find | undefined
  /** Data that is no JSON, such as `[DONE]`; returns whether it is known. */
  readonly onText?: ((data: string) => boolean) | undefined
}

type Find = (payload: Wild | undefined) => Hot | undefined

/** An event's text around its hot string, and the payload in which the string is replaced. */
interface Template {
  readonly before: string
  readonly after: string
  /** `after` ends the JSON and nothing more: blanks may stand between its characters, as some servers pad with them. */
  readonly loose: boolean
  readonly payload: Wild | undefined
  readonly hot: Hot
}

// Learning costs a second parse: it begins when a few events in a row had their one string, and ends when nothing
// profits from it.
const fewEvents = 2
const maxVainLessons = 16

/**
 * Whether another string in the literal's place changes the payload in that place only is tried, not assumed: the
 * event is parsed once more with a mark there, and the mark must come out where the hot string was.
 */
function learn(
  { raw = '', data }: SseEvent,
  hot: Hot,
  how: Pick<Template, 'payload'> & { find: Find },
): Template | undefined {
  const { payload, find } = how
  const literal = JSON.stringify(hot[0][hot[1]])
  const at = data.lastIndexOf(literal)
  const base = raw.indexOf(data)
  // Data that stands in the text twice, or in several lines, is no template.
  if (at < 0 || literal.length < 3 || base < 0 || raw.includes(data, base + 1)) return undefined
  const tried = parseJson(`${data.slice(0, at)}"\\u0000mark"${data.slice(at + literal.length)}`)
  const found = tried.ok ? find(tried.value as Wild) : undefined
  if (wildText(found?.[0][found[1]]) !== '\0mark') return undefined
  const after = raw.slice(base + at + literal.length - 1)
  const loose = /^"[\s}\]]*$/.test(after)
  return { before: raw.slice(0, base + at + 1), after: loose ? after.replaceAll(' ', '') : after, loose, payload, hot }
}

/** The position after the rest of a template whose string ends at `at`; -1 where something else follows. */
function restEnd({ after, loose }: Template, text: string, at: number): number {
  if (!loose) return text.startsWith(after, at) ? at + after.length : -1
  let end = at
  for (let i = 0; i < after.length; i++) {
    // Not after a line end: there a blank would begin a line that is not empty.
    while (text.charCodeAt(end) === 32 && after.charCodeAt(i - 1) > 32) end++
    if (text.charCodeAt(end++) !== after.charCodeAt(i)) return -1
  }
  return end
}

/** The position of the quote that ends the JSON string literal whose text begins at `from`; -1 where there is none. */
function literalEnd(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 34) return i
    if (code === 92) i++
    else if (code < 32) break
  }
  return -1
}

/**
 * Calls `onPayload` for each event with its parsed data and its name. The payload may be the same object again with
 * one string replaced: it must be read at once and neither kept nor changed. Empty data is skipped. Data that is no
 * JSON is `stream-invalid`, retryable; a cut last event counts if it is whole.
 */
export function jsonEvents(
  onPayload: (payload: Wild | undefined, name: string) => void,
  options: JsonEventsOptions = {},
): { push(bytes: Uint8Array): void; end(): void } {
  const { hot, onText } = options
  let template: Template | undefined
  let name = ''
  let row = 0
  let vain = 0

  const shortcut = (text: string, from: number): number => {
    if (!template || !text.startsWith(template.before, from)) return from
    const start = from + template.before.length
    const quote = literalEnd(text, start)
    const end = quote < 0 ? -1 : restEnd(template, text, quote)
    if (end < 0) return from
    let value = text.slice(start, quote)
    if (value.includes('\\')) {
      const parsed = parseJson(`"${value}"`)
      if (!parsed.ok) return from
      value = parsed.value as string
    }
    vain = 0
    const holder = template.hot[0] as Record<string, unknown>
    holder[template.hot[1]] = value
    onPayload(template.payload, name)
    return end
  }

  const take = (event: SseEvent, cut: boolean): void => {
    if (event.data === '' || onText?.(event.data)) return
    const parsed = parseJson(event.data)
    if (!parsed.ok) {
      if (cut || event.data.trim() === '') return
      throw new SameloopError('stream-invalid', 'Cannot read event: its data is no JSON', { retryable: true })
    }
    const payload = parsed.value as Wild
    onPayload(payload, event.event)
    const found = hot?.(payload)
    row = found ? row + 1 : 0
    if (!hot || !found || row <= fewEvents || vain > maxVainLessons) return
    vain++
    name = event.event
    template = learn(event, found, { payload, find: hot })
  }

  const decoder: SseDecoder = sseDecoder((event) => take(event, false), {
    maxEventChars: options.maxEventChars,
    shortcut: hot && shortcut,
  })
  return {
    push: decoder.push,
    end: () => {
      const event = decoder.end()
      if (event) take(event, true)
    },
  }
}
