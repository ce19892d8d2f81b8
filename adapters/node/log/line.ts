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
 * `journal-invalid` where a line is broken and others come after it.
 */
export function readLines(bytes: Uint8Array, what: string): readonly ReadLine[] {
  const lines: ReadLine[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(newline, at)
    const value = end < 0 ? undefined : valueOf(bytes.subarray(at, end))
    if (value === undefined) {
      if (end < 0 || !hasWholeLine(bytes, end + 1)) break
      throw new SameloopError('journal-invalid', `Cannot read ${what}: the line at byte ${at} is broken`)
    }
    at = end + 1
    lines.push({ value: value.of, end: at })
  }
  return lines
}

/** Whether something that was written whole comes later: then what is before was once whole, too. */
function hasWholeLine(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < bytes.length;) {
    const end = bytes.indexOf(newline, at)
    if (end < 0) return false
    if (valueOf(bytes.subarray(at, end))) return true
    at = end + 1
  }
  return false
}

function valueOf(line: Uint8Array): { readonly of: unknown } | undefined {
  const head = decoder.decode(line.subarray(0, 32))
  const [, sum, length] = /^([0-9a-f]{8}) (\d{1,15}) /.exec(head) ?? []
  if (sum === undefined || length === undefined) return undefined
  const body = line.subarray(sum.length + length.length + 2)
  if (body.length !== Number(length) || checksum(body) !== sum) return undefined
  const read = parseJson(decoder.decode(body))
  return read.ok ? { of: read.value } : undefined
}
