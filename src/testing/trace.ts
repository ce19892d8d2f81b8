// The canonical trace: what two runs of the same scenario must have in common, byte for byte, in every runtime.
import { joinDelta } from '../message/delta.ts'
import type { RunEvent } from '../message/event.ts'
import { hex } from '../stream/bytes.ts'
import { sha256 } from './sha256.ts'

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

/**
 * Events as lines of JSON: adjacent deltas of one block joined (under the last one's `seq`, so that it does not matter
 * which were joined before), without `at` and `durationMs`, keys sorted.
 */
export function canonicalTrace(events: Iterable<object>): readonly string[] {
  const joined: RunEvent[] = []
  for (const event of events as Iterable<RunEvent>) {
    const delta = joinDelta(joined.at(-1), event)
    if (delta === undefined) joined.push(event)
    else joined[joined.length - 1] = delta
  }
  return joined.map((event) =>
    canonicalJson(Object.fromEntries(Object.entries(event).filter(([key]) => !clockFields.has(key)))),
  )
}

/** SHA-256 of the lines, in hexadecimal. */
export function traceHash(lines: Iterable<string>): string {
  return hex(sha256(new TextEncoder().encode([...lines].join('\n'))))
}
