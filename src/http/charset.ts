// Bytes of a page as text: the charset is said by a mark at their beginning, the server, or the page itself.
import { guarded } from '../error/guard.ts'

export interface PageDecoder {
  decode(bytes: Uint8Array): string
  end(): string
}

/** A page says it at its beginning or not at all. */
const enough = 4096

/** UTF-8 where nothing, or nothing known, is said. */
export function pageDecoder(contentType: string): PageDecoder {
  let head: Uint8Array[] = []
  let size = 0
  let decoder: TextDecoder | undefined
  const begin = (): string => {
    decoder = new TextDecoder(charsetOf(contentType, head))
    const text = head.map((bytes) => decoder!.decode(bytes, { stream: true })).join('')
    head = []
    return text
  }
  return {
    decode: (bytes) => {
      if (decoder !== undefined) return decoder.decode(bytes, { stream: true })
      head.push(bytes)
      size += bytes.length
      return size < enough ? '' : begin()
    },
    end: () => (decoder === undefined ? begin() : '') + decoder!.decode(),
  }
}

function charsetOf(contentType: string, pieces: readonly Uint8Array[]): string {
  const start = pieces.map((bytes) => String.fromCharCode(...bytes.subarray(0, enough))).join('')
  if (start.startsWith('\xff\xfe')) return 'utf-16le'
  if (start.startsWith('\xfe\xff')) return 'utf-16be'
  if (start.startsWith('\xef\xbb\xbf')) return 'utf-8'
  const [, said] = /;\s*charset\s*=\s*["']?([\w:.-]+)/i.exec(contentType) ?? []
  const [, inPage] = /<meta\s[^>]{0,300}?charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(start) ?? []
  // A page that could be read this far is not in UTF-16, whatever it says.
  const own = /^utf-?16/i.test(inPage ?? '') ? 'utf-8' : inPage
  return [said, own, 'utf-8'].find((label) => label !== undefined && isKnown(label)) ?? 'utf-8'
}

const isKnown = (label: string): boolean => guarded(() => new TextDecoder(label).encoding !== '', false)
