// The JSON payloads of a server-sent event stream, read fast where one event differs from the last in one string only.
import { SameloopError } from '../error/error.ts'
import { parseJson } from '../json/text.ts'
import type { JsonObject } from '../json/value.ts'
import type { Wild } from '../json/wild.ts'
import { wildText } from '../json/wild.ts'
import { sseDecoder, type SseEvent, type SseOptions } from './sse-decoder.ts'

/** Where a payload holds the one string that changes from event to event: its object and key. */
export type Hot = readonly [holder: Wild, key: string]

type Find = (payload: Wild | undefined) => Hot | undefined

export interface JsonEventsOptions extends Pick<SseOptions, 'maxEventChars' | 'isWhole'> {
  /** Finds that string. Pure. */
  readonly hot?: Find | undefined
  /** Data that is no JSON, such as `[DONE]`; returns whether it is known. */
  readonly onText?: ((data: string) => boolean) | undefined
}

export interface JsonEvents {
  push(bytes: Uint8Array): void
  end(): void
}

/** An event's text around its hot string, up to and from the quotes, and its payload. */
interface Template {
  readonly before: string
  /** The quote, the brackets after it without blanks between them, and what is left of the event. */
  readonly brackets: string
  readonly tail: string
  readonly payload: Wild
  readonly hot: Hot
}

// Learning costs a second parse: it begins when a few events in a row had their one string, and ends when nothing
// profits from it.
const fewEvents = 2
const maxVainLessons = 16

/** A string's quote and the brackets after it. Some servers pad with blanks between them. */
function bracketsAt(text: string, at: number): string {
  const brackets = /"[ }\]]*/y
  brackets.lastIndex = at
  return brackets.exec(text)?.[0] ?? ''
}

const squeeze = (text: string): string => text.replaceAll(' ', '')

/**
 * Whether another string in the literal's place changes the payload in that place only is tried, not assumed: the
 * event is parsed once more with a mark there, and the mark must come out where the hot string was.
 */
function learn(
  { raw = '', data }: SseEvent,
  { payload, hot, find }: Pick<Template, 'payload' | 'hot'> & { readonly find: Find },
): Template | undefined {
  const literal = JSON.stringify(hot[0][hot[1]])
  const at = data.lastIndexOf(literal)
  // Data that stands in the text twice, or in several lines, is no template.
  const [head = '', tail, more] = raw.split(data)
  if (at < 0 || tail === undefined || more !== undefined) return undefined
  const before = data.slice(0, at + 1)
  const after = data.slice(at + literal.length - 1)
  const tried = parseJson(`${before}\\u0000mark${after}`)
  const found = tried.ok ? find(tried.value as Wild) : undefined
  if (wildText(found?.[0][found[1]]) !== '\0mark') return undefined
  const brackets = bracketsAt(after, 0)
  return { before: head + before, brackets: squeeze(brackets), tail: after.slice(brackets.length) + tail, payload, hot }
}

/** The position after the rest of a template whose string ends at `quote`; -1 where something else follows. */
function restEnd({ brackets, tail }: Template, text: string, quote: number): number {
  let end = quote + brackets.length
  if (!text.startsWith(brackets, quote) || !text.startsWith(tail, end)) {
    const padded = bracketsAt(text, quote)
    end = quote + padded.length
    if (squeeze(padded) !== brackets || !text.startsWith(tail, end)) return -1
  }
  return end + tail.length
}

/** The position of the quote that ends the string whose text begins at `from`; -1 or a wrong one where it is not sure. */
function stringEnd(text: string, from: number): number {
  let quote = text.indexOf('"', from)
  while (text.charCodeAt(quote - 1) === 92) quote = text.indexOf('"', quote + 1)
  return quote
}

/**
 * Calls `onPayload` for each event with its parsed data and its name. The payload may be the same object again with
 * one string replaced: it must be read at once and neither kept nor changed. Empty data is skipped. Data that is no
 * JSON is `stream-invalid`, retryable; a cut last event counts if it is whole.
 */
export function jsonEvents(
  onPayload: (payload: Wild | undefined, name: string) => void,
  { hot, onText, ...options }: JsonEventsOptions = {},
): JsonEvents {
  let template: Template | undefined
  let name = ''
  let row = 0
  let vain = 0

  const shortcut = (text: string, from: number): number => {
    const start = from + (template?.before.length ?? 0)
    // Faster than `startsWith`, which compares character by character.
    if (!template || text.slice(from, start) !== template.before) return from
    const quote = stringEnd(text, start)
    const end = restEnd(template, text, quote)
    // Parsed, not cut out: what is no literal is found, and the text around it is not kept in memory.
    const literal = end < 0 ? undefined : parseJson(text.slice(start - 1, quote + 1))
    if (!literal?.ok) return from
    vain = 0
    const [holder, key] = template.hot
    ;(holder as JsonObject)[key] = literal.value
    onPayload(template.payload, name)
    return end
  }

  /** Reads an event the long way; returns whether its data is JSON, nothing at all, or known. */
  const take = (event: SseEvent): boolean => {
    // Asked before the data is parsed: a parser that throws is slow.
    if (event.data.trim() === '' || onText?.(event.data)) return true
    const parsed = parseJson(event.data)
    if (!parsed.ok) return false
    const payload = parsed.value as Wild
    onPayload(payload, event.event)
    const found = hot?.(payload)
    row = found ? row + 1 : 0
    if (hot && found && row > fewEvents && vain <= maxVainLessons) {
      vain++
      name = event.event
      template = learn(event, { payload, hot: found, find: hot })
    }
    return true
  }

  const decoder = sseDecoder(
    (event) => {
      if (!take(event))
        throw new SameloopError('stream-invalid', 'Cannot read event: its data is no JSON', { retryable: true })
    },
    { ...options, shortcut: hot && shortcut },
  )
  return {
    push: decoder.push,
    end() {
      const event = decoder.end()
      if (event) take(event)
    },
  }
}
