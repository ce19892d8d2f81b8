// Changes of files as bytes: a line of JSON about them, and then what they write.
import { parseJson } from '../json/text.ts'
import { isObject } from '../json/value.ts'
import { normalizePath } from '../vfs/path.ts'
import { joinBytes } from '../stream/bytes.ts'
import type { FileChange } from '../overlay/change.ts'

const newline = 10

export function encodeIntent(changes: readonly FileChange[]): Uint8Array {
  const facts = changes.map(({ type, path, data }) => [type, path, data ? data.length : -1])
  const head = new TextEncoder().encode(`${JSON.stringify({ version: 1, changes: facts })}\n`)
  return joinBytes([head, ...changes.flatMap(({ data }) => data ?? [])])
}

/** `undefined` where it is none, or is cut off. */
export function readIntent(bytes: Uint8Array): readonly FileChange[] | undefined {
  const end = bytes.indexOf(newline)
  const read = parseJson(new TextDecoder().decode(bytes.subarray(0, Math.max(0, end))))
  const head = read.ok ? read.value : undefined
  if (!isObject(head) || head['version'] !== 1 || !Array.isArray(head['changes'])) return undefined
  const changes: FileChange[] = []
  let at = end + 1
  for (const one of head['changes'] as readonly unknown[]) {
    if (!Array.isArray(one)) return undefined
    const [type, path, size] = one as readonly unknown[]
    if (type !== 'add' && type !== 'modify' && type !== 'delete') return undefined
    if (typeof path !== 'string' || typeof size !== 'number' || normalizePath(path) !== path) return undefined
    if (size < 0) changes.push({ type, path })
    else changes.push({ type, path, data: bytes.subarray(at, (at += size)) })
  }
  return at === bytes.length ? changes : undefined
}
