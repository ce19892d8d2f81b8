// Numbers and values in a few characters, for people.
import type { Json } from '../../src/json/value.ts'

export function duration(ms: number): string {
  if (ms < 1) return '<1 ms'
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1000)} s`
}

export function byteSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  if (bytes < 999_500) return `${(bytes / 1000).toFixed(bytes < 9950 ? 1 : 0)} kB`
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}

export function count(value: number): string {
  return value < 10_000 ? String(value) : `${(value / 1000).toFixed(value < 99_950 ? 1 : 0)}k`
}

const longestSummary = 120

/** Arguments in one line: the value alone where there is only one, else `key: value`. */
export function argumentLine(input: Json | undefined): string {
  if (input === undefined || input === null) return ''
  if (typeof input !== 'object' || Array.isArray(input)) return short(input)
  const entries = Object.entries(input).filter(([, value]) => value !== undefined)
  const [only] = entries
  if (entries.length === 1 && only !== undefined) return short(only[1])
  return cut(entries.map(([key, value]) => `${key}: ${short(value)}`).join(', '))
}

/** Of a text that still grows, only the beginning is looked at. */
const short = (value: unknown): string =>
  cut(
    typeof value === 'string' ? value.slice(0, 4 * longestSummary).replace(/\s+/g, ' ') : (JSON.stringify(value) ?? ''),
  )

const cut = (text: string): string => (text.length > longestSummary ? `${text.slice(0, longestSummary)}…` : text)
