// Secrets taken out of what a server sent or an engine threw.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { jsonText, plainJson, wellFormed } from '../json/text.ts'
import { isObject } from '../json/value.ts'
import type { Json } from '../json/value.ts'

/**
 * Takes secrets out of a text that a server sent: as they are, and as JSON, a URL, a form and HTML write them. Shorter
 * ones than four characters stay, as they would take half of any text along.
 */
export function scrubber(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    // A header is sent without the line break that a file gave it.
    .flatMap((secret) => [secret, secret.trim()])
    .filter((secret) => secret.length > 3)
    .flatMap(writtenForms)
    .sort((left, right) => right.length - left.length)
  const all = [...new Set(forms)]
  return (text) => all.reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

function writtenForms(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  const url = encodeURIComponent(wellFormed(secret))
  const html = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const escaped = [url, form].flatMap((text) => [text, text.replace(/%../g, (code) => code.toLowerCase())])
  return [secret, json, json.replaceAll('/', '\\/'), html, html.replaceAll('"', '&quot;'), ...escaped]
}

/** The same in JSON, keys included. Each text is looked at as it reads, however it was escaped. */
export function scrubbedJson(value: Json, scrub: (text: string) => string): Json {
  if (typeof value === 'string') return scrub(value)
  if (typeof value === 'number') return scrub(String(value)) === String(value) ? value : scrub(String(value))
  if (Array.isArray(value)) return value.map((item: Json) => scrubbedJson(item, scrub))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value as Record<string, Json>).map(([key, item]) => [scrub(key), scrubbedJson(item, scrub)]),
  )
}

/** What was thrown, without secrets. The text of an engine may quote a whole URL, and its cause too. */
export function scrubbedError(thrown: unknown, scrub: (text: string) => string): unknown {
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
