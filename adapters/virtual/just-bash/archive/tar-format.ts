// The bytes of a tar archive: ustar, with the long names of pax and GNU.
import { joinBytes } from '../../../../src/stream/bytes.ts'
import { maxPath } from '../vfs-bridge.ts'
import { ArchiveError } from './gzip.ts'

export interface Entry {
  /** Of a directory with a `/` at the end. */
  readonly name: string
  readonly isDirectory: boolean
  readonly mode: number
  /** Since the epoch. */
  readonly seconds: number
  readonly data: Uint8Array
}

const block = 512
/** Bytes of an entry that says more of the next one, such as its long name. */
const maxHead = 65_536
const encoder = new TextEncoder()
const decoder = new TextDecoder()

export function archived(entries: readonly Entry[]): Uint8Array {
  const parts: Uint8Array[] = []
  for (const entry of entries) {
    const name = encoder.encode(entry.name)
    // A name that does not fit goes before, as an entry of its own.
    if (name.length > 100) parts.push(...packed(longName, { ...entry, data: joinBytes([name, Uint8Array.of(0)]) }, 'L'))
    parts.push(...packed(name.slice(0, 100), entry, entry.isDirectory ? '5' : '0'))
  }
  // Two empty blocks end it.
  return joinBytes([...parts, new Uint8Array(2 * block)])
}

const longName = encoder.encode('././@LongLink')

function packed(name: Uint8Array, { mode, seconds, data }: Entry, type: string): readonly Uint8Array[] {
  const head = new Uint8Array(block)
  const put = (at: number, text: string): void => head.set(encoder.encode(text), at)
  const octal = (value: number, digits: number): string =>
    Math.max(0, Math.floor(value)).toString(8).padStart(digits, '0')
  head.set(name)
  put(100, `${octal(mode & 0o7777, 7)}\0${octal(0, 7)}\0${octal(0, 7)}\0`)
  put(124, `${octal(data.length, 11)}\0${octal(seconds, 11)}\0${' '.repeat(8)}${type}`)
  put(257, 'ustar\x0000')
  put(
    148,
    `${octal(
      head.reduce((sum, byte) => sum + byte, 0),
      6,
    )}\0 `,
  )
  return [head, data, new Uint8Array((block - (data.length % block)) % block)]
}

/** What an archive holds; `ArchiveError` for what is none. Links and devices are left out. */
export function entriesOf(bytes: Uint8Array, maxEntries: number): readonly Entry[] {
  const entries: Entry[] = []
  let longer: string | undefined
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0;) {
    const head = bytes.subarray(at, at + block)
    const size = numberAt(head, 124, 12)
    if (checksum(head) !== numberAt(head, 148, 8) || at + block + size > bytes.length)
      throw new ArchiveError('This does not look like a tar archive')
    const data = bytes.slice(at + block, at + block + size)
    const type = String.fromCharCode(head[156] ?? 0)
    at += block + Math.ceil(size / block) * block
    if ((type === 'L' || type === 'x') && size > maxHead) throw new ArchiveError('a name in it is too long')
    if (type === 'L') longer = untilZero(decoder.decode(data))
    else if (type === 'x') longer = paxPath(decoder.decode(data)) ?? longer
    else if (type === '0' || type === '\0' || type === '5') {
      const name = longer ?? nameOf(head)
      if (name.length > maxPath) throw new ArchiveError('a name in it is too long')
      longer = undefined
      entries.push({
        name,
        isDirectory: type === '5' || name.endsWith('/'),
        mode: numberAt(head, 100, 8),
        seconds: numberAt(head, 136, 12),
        data,
      })
      if (entries.length > maxEntries) throw new ArchiveError(`more than ${maxEntries} files`)
    }
  }
  if (entries.length === 0 && bytes.some((byte) => byte !== 0))
    throw new ArchiveError('This does not look like a tar archive')
  return entries
}

const textAt = (head: Uint8Array, at: number, length: number): string =>
  untilZero(decoder.decode(head.subarray(at, at + length)))

const untilZero = (text: string): string => text.split('\0', 1)[0] ?? ''

const numberAt = (head: Uint8Array, at: number, length: number): number =>
  Number.parseInt(textAt(head, at, length).trim() || '0', 8) || 0

const checksum = (head: Uint8Array): number =>
  head.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0)

function nameOf(head: Uint8Array): string {
  const [name, prefix] = [textAt(head, 0, 100), textAt(head, 257, 5) === 'ustar' ? textAt(head, 345, 155) : '']
  return prefix === '' ? name : `${prefix}/${name}`
}

const paxPath = (text: string): string | undefined => /^\d+ path=(.*)$/m.exec(text)?.[1]
