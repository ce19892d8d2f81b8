// Secrets taken out of what a server sent or an engine threw.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import { jsonText, plainJson, wellFormed } from '../json/text.ts'
import { isObject } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import { base64 } from '../stream/base64.ts'

export type Scrub = (text: string) => string

/**
 * Takes secrets out of a text that a server sent: as they are, in capitals or not, as Base64, and with any of their
 * characters as JSON, a URL, a form or HTML may write it. Shorter ones than four characters stay, as they would take half
 * of any text along.
 */
export function scrubber(secrets: readonly string[]): Scrub {
  // A header is sent without the line break that a file gave it.
  const all = secrets.flatMap((secret) => [secret, secret.trim()]).filter((secret) => secret.length > 3)
  const forms = [...new Set(all.flatMap(writtenForms).map(inLowerCase))]
  if (forms.length === 0) return (text) => text
  return (text) => {
    const rest = without(forms, text, text, undefined)
    const { plain, places } = unescaped(rest)
    return places ? without(forms, rest, plain, places) : rest
  }
}

/** What the other forms are once they are unescaped; and Base64. */
const writtenForms = (secret: string): readonly string[] => [
  secret,
  wellFormed(secret),
  secret.replaceAll(' ', '+'),
  ...base64Forms(secret),
]

/** What of Base64 depends on the secret alone, wherever in the bytes it begins; of a short one that is too little. */
function base64Forms(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.length < 6) return []
  return [0, 1, 2].flatMap((offset) => {
    const shifted = new Uint8Array(offset + bytes.length)
    shifted.set(bytes, offset)
    const code = base64(shifted).slice(Math.ceil((offset * 8) / 6), Math.floor((shifted.length * 8) / 6))
    return [code, code.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

/** Of the same length, as places in it are places in the text. */
function inLowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}

/** The text without what stands for a form; `plain` is how it reads, and `places` where its characters are in the text. */
function without(forms: readonly string[], text: string, plain: string, places: Uint32Array | undefined): string {
  const lower = inLowerCase(plain)
  const found: (readonly [start: number, end: number])[] = []
  for (const form of forms)
    for (let at = lower.indexOf(form); at >= 0; at = lower.indexOf(form, at + form.length)) {
      let end = at + form.length
      // What was escaped as one goes as one.
      while (places && places[end] === places[end - 1]) end++
      found.push(places ? [places[at]!, places[end]!] : [at, end])
    }
  let rest = ''
  let done = 0
  for (const [start, end] of found.sort(([left], [right]) => left - right)) {
    if (start >= done) rest += `${text.slice(done, start)}…`
    done = Math.max(done, end)
  }
  return rest + text.slice(done)
}

// In JSON within JSON a backslash stands before another.
const escapes =
  /\\{1,4}(?:u([\da-f]{4})|(["\\/nrt]))|((?:%[89a-f][\da-f])+|%[0-7][\da-f])|&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  n: '\n',
  r: '\r',
  t: '\t',
}

/** How a text reads, whichever way it was escaped, and where each character of that begins; no places where nothing was. */
function unescaped(text: string): { readonly plain: string; readonly places?: Uint32Array } {
  const parts: string[] = []
  let places: Uint32Array | undefined
  let count = 0
  let done = 0
  const upTo = (end: number): void => {
    parts.push(text.slice(done, end))
    while (done < end) places![count++] = done++
  }
  for (const match of text.matchAll(escapes)) {
    places ??= new Uint32Array(text.length + 1)
    upTo(match.index)
    const characters = meant(match)
    parts.push(characters)
    places.fill(match.index, count, (count += characters.length))
    done += match[0].length
  }
  if (!places) return { plain: text }
  upTo(text.length)
  places[count] = text.length
  return { plain: parts.join(''), places }
}

function meant([whole, unit, letter, bytes, decimal, hex, name]: RegExpMatchArray): string {
  if (bytes !== undefined) return guarded(() => decodeURIComponent(bytes), whole)
  if (unit !== undefined) return String.fromCharCode(parseInt(unit, 16))
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal)
  if (code <= 0x10ffff) return String.fromCodePoint(code)
  const key = (name ?? letter ?? '').toLowerCase()
  return Object.hasOwn(named, key) ? (named[key] as string) : (letter ?? whole)
}

/** The same in JSON, keys included. Each text is looked at as it reads, however it was escaped. */
export function scrubbedJson(value: Json, scrub: Scrub): Json {
  if (typeof value === 'string') return scrub(value)
  if (typeof value === 'number') return scrub(String(value)) === String(value) ? value : scrub(String(value))
  if (Array.isArray(value)) return value.map((item: Json) => scrubbedJson(item, scrub))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, item]) => [scrub(key), scrubbedJson(item, scrub)]),
  )
}

/** What was thrown, without secrets. The text of an engine may quote a whole URL, and its cause too. */
export function scrubbedError(thrown: unknown, scrub: Scrub): unknown {
  for (let at: unknown = thrown, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const said = `${at.message}${at.stack}${jsonText(isSameloopError(at) ? at.data : undefined) ?? ''}`
    if (scrub(said) === said) continue
    const { message } = thrown as Error
    if (!isSameloopError(thrown)) return new Error(scrub(message))
    const { code, data, retryable } = thrown
    const plain = scrubbedJson(plainJson(data) ?? {}, scrub) as Readonly<Record<string, unknown>>
    return new SameloopError(code, scrub(message), { data: plain, retryable })
  }
  return thrown
}
