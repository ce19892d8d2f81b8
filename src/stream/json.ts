// The one place that parses JSON from outside, and the one that writes it for a provider.

/** `value` is plain JSON. An own `__proto__` key is kept as data: copy it only by spreading. */
export type ParsedJson = { readonly ok: true; readonly value: unknown } | { readonly ok: false }

/**
 * Parsed JSON of unknown make: any key may be asked with `?.`, no answer is sure, and `null` is possible everywhere.
 * Only keys that no prototype has.
 */
export interface Wild {
  readonly [key: string]: Wild | undefined
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const nothing: readonly (Wild | undefined)[] = []

export const wildList = (value: Wild | undefined): readonly (Wild | undefined)[] =>
  Array.isArray(value) ? value : nothing

export const wildText = (value: Wild | undefined): string => (typeof value === 'string' ? value : '')

export const wildNumber = (value: Wild | undefined): number | undefined =>
  typeof value === 'number' ? value : undefined

const invalid: ParsedJson = { ok: false }

/** Deeper nesting than this is refused: what walks the value afterwards may recurse. */
export const maxJsonDepth = 500

function isTooDeep(text: string): boolean {
  // A text this short cannot nest so deep.
  if (text.length < 2 * maxJsonDepth) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 34) {
      for (i++; i < text.length && text.charCodeAt(i) !== 34; i++) if (text.charCodeAt(i) === 92) i++
      continue
    }
    // `[` and `{` differ in one bit only, so do `]` and `}`.
    if ((code | 32) === 123) {
      if (++depth > maxJsonDepth) return true
    } else if ((code | 32) === 125) depth--
  }
  return false
}

/** Parses JSON text; never throws, and refuses what nests deeper than 500. */
export function parseJson(text: string): ParsedJson {
  if (isTooDeep(text)) return invalid
  try {
    return { ok: true, value: JSON.parse(text) }
  } catch {
    return invalid
  }
}

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
