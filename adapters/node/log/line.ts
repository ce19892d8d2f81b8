// Lines of a log: a checksum, a length and JSON, so that a line that was torn is known for one.
import { SameloopError } from '../../../src/error/error.ts'
import { parseJson } from '../../../src/json/text.ts'
import { checksum } from './checksum.ts'

const newline = 10
const encoder = new TextEncoder()
/** A mark at the beginning is a letter like others. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** One line, with its end. */
export function encodeLine(value: unknown): Uint8Array {
  const body = encoder.encode(JSON.stringify(value))
  const head = encoder.encode(`${checksum(body)} ${body.length} `)
  const line = new Uint8Array(head.length + body.length + 1)
  line.set(head)
  line.set(body, head.length)
  line[line.length - 1] = newline
  return line
}

export interface ReadLine {
  readonly value: unknown
  /** Bytes from the beginning to the end of this line. */
  readonly end: number
}

/**
 * The whole lines. A last one that is torn is left out: whoever wrote it did not hear that it was written. Throws
 * `journal-invalid` where a line is broken and anything comes after it: only what was whole is written after.
 */
export function readLines(bytes: Uint8Array, what: string): readonly ReadLine[] {
  const lines: ReadLine[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(newline, at)
    const value = end < 0 ? undefined : valueOf(bytes.subarray(at, end))
    if (value === undefined) {
      if (isTorn(bytes.subarray(at), end - at)) break
      throw new SameloopError('journal-invalid', `Cannot read ${what}: the line at byte ${at} is broken`)
    }
    at = end + 1
    lines.push({ value: value.of, end: at })
  }
  return lines
}

/** What the first line holds, whatever comes after it; `undefined` where it is broken. */
export const firstOf = (bytes: Uint8Array): unknown => valueOf(bytes.subarray(0, bytes.indexOf(newline)))?.of

/** Whether a broken line may be one that was being written: it is the last, and no longer than it says. */
function isTorn(rest: Uint8Array, end: number): boolean {
  if (end >= 0 && end + 1 < rest.length) return false
  const head = headOf(rest)
  return !head || rest.length <= head.sum.length + head.length.length + 3 + Number(head.length)
}

interface LineHead {
  readonly sum: string
  readonly length: string
}

function headOf(line: Uint8Array): LineHead | undefined {
  const [, sum, length] = /^([0-9a-f]{8}) (\d{1,15}) /.exec(decoder.decode(line.subarray(0, 32))) ?? []
  return sum === undefined || length === undefined ? undefined : { sum, length }
}

function valueOf(line: Uint8Array): { readonly of: unknown } | undefined {
  const head = headOf(line)
  const body = head && line.subarray(head.sum.length + head.length.length + 2)
  if (!body || body.length !== Number(head.length) || checksum(body) !== head.sum) return undefined
  const read = parseJson(decoder.decode(body))
  return read.ok ? { of: read.value } : undefined
}
