// JSON text: parsing what comes from outside, writing what a provider reads, and a few words of it for messages.
import type { Json } from './value.ts'

/** `value` is plain JSON. An own `__proto__` key is kept as data: copy it only by spreading. */
export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false }

/** Deeper nesting than this is refused: what walks the value afterwards may recurse. */
export const maxJsonDepth = 500

/** Parses JSON text; never throws, and refuses what nests deeper than 500. */
export function parseJson(text: string): ParsedJson {
  try {
    const value: unknown = JSON.parse(text)
    // A text this short cannot nest so deep.
    if (text.length < 2 * maxJsonDepth || !isDeeper(value, maxJsonDepth)) return { ok: true, value }
  } catch {
    // It is no JSON.
  }
  return { ok: false }
}

const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (!levels || Object.values(value).some((inner) => isDeeper(inner, levels - 1)))

/** The text with each lone surrogate replaced by U+FFFD. */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/.test(text) ? text.replace(/[\ud800-\udfff]/gu, '\ufffd') : text
}

/**
 * JSON text that every strict parser takes: a lone surrogate, which `JSON.stringify` writes as an escape that providers
 * refuse, becomes U+FFFD. `undefined` becomes `null`.
 */
export function stringifyJson(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  if (!text.includes('\\ud')) return text
  // An escaped backslash is matched first, so that the letters after it are left alone.
  return text.replace(/\\(?:\\|ud[89a-f][0-9a-f]{2})/g, (escape) => (escape === '\\\\' ? escape : '\ufffd'))
}

/** A text of at most `limit` characters, never half of a surrogate pair. */
export function cut(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** The value as JSON, or `undefined` where it is none: nothing, a function, a cycle, a bigint, what throws when read. */
export function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** A copy as plain JSON, or `undefined` where the value is none. */
export function plainJson(value: unknown): Json | undefined {
  const text = jsonText(value)
  return text && (JSON.parse(text) as Json)
}

/** A value in a few words for a message; a cycle or a bigint by its type. */
export function excerpt(value: unknown): string {
  // As JSON, NaN and Infinity would be null.
  return cut(
    (typeof value === 'number' ? String(value) : jsonText(value)) ?? (value === undefined ? 'nothing' : typeof value),
    80,
  )
}
