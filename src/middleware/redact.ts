// Keeps personal data from the model: it reads placeholders, people and tools have the real thing.
import { SameloopError } from '../error/error.ts'
import type { Json } from '../json/value.ts'
import { isObject } from '../json/value.ts'
import type { ContentPart, Message, Part } from '../message/part.ts'
import type { Middleware } from './middleware.ts'
import { restoring } from './restore.ts'

export interface RedactOptions {
  /** What to take out, by the name its placeholder has. Default: e-mail addresses, card numbers, IBANs and phone numbers. */
  readonly patterns?: Readonly<Record<string, RegExp>> | undefined
  /**
   * Default true: each thing has its own placeholder, `[email-1]`, and where the model writes it, the real thing stands
   * again, in its answer and in the arguments of tools. False: `[email]`, for ever.
   */
  readonly reversible?: boolean | undefined
}

const usual: Readonly<Record<string, RegExp>> = {
  email: /[\w.+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}/gi,
  iban: /\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){2,7}(?: ?[A-Z\d]{1,3})?\b/g,
  // From 14 digits: 13 are the milliseconds of a date.
  card: /\b\d{4}(?:(?:[ -]?\d{4}){2}[ -]?\d{2,7}|[ -]\d{6}[ -]\d{4,5})\b/g,
  phone: /(?<![\w.])\+\d{1,3}(?:[ ./()-]{0,2}\d{1,4}){3,6}\b/g,
}

/** Numbers in the order of the conversation, so a run that is resumed elsewhere gives the same ones. */
interface Book {
  readonly byText: Map<string, string>
  readonly byPlaceholder: Map<string, string>
}

interface Redacted {
  readonly sources: Message[]
  readonly messages: Message[]
  readonly book: Book
}

/** Throws `config-invalid` for a name that could not be found again. */
function checkNames(patterns: object): void {
  const odd = Object.keys(patterns).find((name) => /[[\]]/.test(name))
  if (odd !== undefined)
    throw new SameloopError(
      'config-invalid',
      `Cannot redact "${odd}": wanted a name without brackets, as it stands in them`,
    )
}

/** Redacts a part, all that a model reads of it. */
function redactor({
  patterns = usual,
  reversible = true,
}: RedactOptions): <Kind extends Part>(part: Kind, book: Book) => Kind {
  checkNames(patterns)
  const named = Object.entries(patterns).map(([name, pattern]) => [name, globally(pattern)] as const)
  // First: what only looks like a placeholder, which somebody wrote to get at what it stands for.
  const all = reversible && named.length > 0 ? [['text', forged(Object.keys(patterns))] as const, ...named] : named

  /** Placeholders stand at odd places: no later pattern looks at them. */
  function replaced(text: string, book: Book): string {
    return all
      .reduce<readonly string[]>(
        (pieces, [name, pattern]) =>
          pieces.flatMap((piece, index) =>
            index % 2 ? [piece] : split(piece, pattern, (found) => standIn(name, found, book)),
          ),
        [text],
      )
      .join('')
  }

  function standIn(name: string, found: string, { byText, byPlaceholder }: Book): string {
    if (!reversible) return `[${name}]`
    const placeholder = byText.get(found) ?? `[${name}-${byText.size + 1}]`
    byText.set(found, placeholder)
    byPlaceholder.set(placeholder, found)
    return placeholder
  }

  const redactJson = (value: Json | undefined, book: Book): Json => {
    if (typeof value === 'string') return replaced(value, book)
    if (typeof value === 'number') {
      const text = String(value)
      const said = replaced(text, book)
      return said === text ? value : said
    }
    if (Array.isArray(value)) return value.map((item: Json) => redactJson(item, book))
    if (!isObject(value)) return value ?? null
    return Object.fromEntries(
      Object.entries(value as Record<string, Json>).map(([key, item]) => [replaced(key, book), redactJson(item, book)]),
    )
  }

  const redactPart = <Kind extends Part>(part: Kind, book: Book): Kind => {
    if (part.type === 'text') return { ...part, text: replaced(part.text, book) }
    if (part.type === 'json') return { ...part, value: redactJson(part.value, book) }
    if (part.type === 'tool-call') return { ...part, input: redactJson(part.input, book) }
    if (part.type === 'file' && part.name !== undefined) return { ...part, name: replaced(part.name, book) }
    if (part.type === 'source')
      return Object.fromEntries(
        Object.entries(part).map(([key, value]) => [
          key,
          key !== 'type' && typeof value === 'string' ? replaced(value, book) : value,
        ]),
      ) as unknown as Kind
    if (part.type === 'tool-result')
      return { ...part, content: part.content.map((one): ContentPart => redactPart(one, book)) }
    return part
  }

  return redactPart
}

/**
 * Messages, tool results and earlier calls are redacted in what the model reads; the run keeps them as they are. Reasoning
 * stays as the model wrote it, as some of it is signed, and so does what is in files. Instructions are yours and stay, and what middleware after this
 * one adds. It is a help against leaks, no proof: what no pattern finds is sent.
 */
export function redact({ patterns = usual, reversible = true }: RedactOptions = {}): Middleware {
  const redactPart = redactor({ patterns, reversible })
  const known = new WeakMap<readonly Message[], Redacted>()

  /** Only what is new is looked at, and the array stays the same: dialects cache what they serialised by it. */
  function redacted(messages: readonly Message[]): Redacted {
    const before = known.get(messages)
    const isGrown = before?.sources.every((message, index) => message === messages[index])
    const state =
      before && isGrown
        ? before
        : {
            sources: [],
            messages: [],
            book: { byText: new Map<string, string>(), byPlaceholder: new Map<string, string>() },
          }
    for (const message of messages.slice(state.sources.length)) {
      state.sources.push(message)
      state.messages.push({ ...message, content: message.content.map((part) => redactPart(part, state.book)) })
    }
    known.set(messages, state)
    return state
  }

  return {
    name: 'redact',
    model(request, next) {
      const { messages, book } = redacted(request.messages)
      const stream = next({ ...request, messages })
      return reversible ? restoring(stream, book.byPlaceholder) : stream
    },
  }
}

/** The text between and the placeholders of what matches, in turn. */
function split(text: string, pattern: RegExp, standIn: (found: string) => string): readonly string[] {
  const pieces: string[] = []
  let from = 0
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (found === '') continue
    pieces.push(text.slice(from, index), standIn(found))
    from = index + found.length
  }
  return [...pieces, text.slice(from)]
}

const forged = (names: readonly string[]): RegExp =>
  new RegExp(`\\[(?:text|${names.map((name) => name.replace(/[^\w ]/g, '\\$&')).join('|')})-\\d+\\]`, 'g')

const globally = (pattern: RegExp): RegExp =>
  pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)
