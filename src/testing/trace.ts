// The canonical trace: what two runs of the same scenario must have in common, byte for byte, in every runtime.
import { hex, sha256 } from './sha256.ts'

type Fields = { readonly [key: string]: unknown }

/** Facts of the clock, which differ between two honest runs. */
const clockFields = new Set(['at', 'durationMs'])

const isPlain = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function sorted(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: hex(value) }
  if (Array.isArray(value)) return value.map(sorted)
  if (!isPlain(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}

/** One value as JSON with sorted keys; `undefined` counts as `null`. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value)) ?? 'null'
}

const sameBlock = (one: Fields, other: Fields): boolean =>
  typeof one['delta'] === 'string' &&
  typeof other['delta'] === 'string' &&
  ['type', 'id', 'step', 'run'].every((key) => one[key] === other[key]) &&
  canonicalJson(one['path']) === canonicalJson(other['path'])

/**
 * Events as lines of JSON: without `at` and `durationMs`, adjacent deltas of one block joined (they keep the first
 * one's `seq`), keys sorted.
 */
export function canonicalTrace(events: Iterable<object>): readonly string[] {
  const joined: Fields[] = []
  for (const event of events) {
    const fields = Object.fromEntries(Object.entries(event).filter(([key]) => !clockFields.has(key)))
    const last = joined.at(-1)
    if (last !== undefined && sameBlock(last, fields)) {
      joined[joined.length - 1] = { ...last, delta: String(last['delta']) + String(fields['delta']) }
    } else joined.push(fields)
  }
  return joined.map(canonicalJson)
}

/** SHA-256 of the lines, in hexadecimal. */
export function traceHash(lines: Iterable<string>): string {
  return hex(sha256(new TextEncoder().encode([...lines].join('\n'))))
}
