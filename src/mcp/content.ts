// What MCP servers send as content becomes parts: text, files, and links as text. Anything may be wrong with it.
import { cut, excerpt } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { ContentPart, FilePart } from '../message/part.ts'
import { textPart } from '../message/text.ts'

const maxBlocks = 1000
const maxNameChars = 500

/** Blocks that are no content are named in their place, so that a model knows that there was something. */
export function contentParts(content: unknown): readonly ContentPart[] {
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [content ?? []].flat()
  const parts = blocks.slice(0, maxBlocks).map((block) => partOf(block) ?? unreadable(block))
  return blocks.length > maxBlocks ? [...parts, textPart(`[${blocks.length - maxBlocks} more were left out]`)] : parts
}

/** The parts of what `resources/read` gives. */
export const resourceParts = (contents: unknown): readonly ContentPart[] =>
  contentParts(Array.isArray(contents) ? contents.map((resource: unknown) => ({ type: 'resource', resource })) : [])

/** The texts of content, joined. */
export const textsOf = (parts: readonly ContentPart[]): string =>
  parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join('\n')

const unreadable = (block: unknown): ContentPart => textPart(`[${excerpt(own(block, 'type'))}: not readable here]`)

function partOf(block: unknown): ContentPart | undefined {
  const text = own(block, 'text')
  switch (own(block, 'type')) {
    case 'text':
      return typeof text === 'string' ? textPart(text) : undefined
    case 'image':
    case 'audio':
      return fileOf(own(block, 'data'), own(block, 'mimeType'))
    case 'resource':
      return embedded(own(block, 'resource'))
    case 'resource_link':
      return link(block)
    default:
      return undefined
  }
}

function embedded(resource: unknown): ContentPart | undefined {
  const text = own(resource, 'text')
  if (typeof text === 'string') return textPart(text)
  const file = fileOf(own(resource, 'blob'), own(resource, 'mimeType') ?? 'application/octet-stream')
  const uri = own(resource, 'uri')
  return file && typeof uri === 'string' ? { ...file, name: cut(uri, maxNameChars) } : file
}

function fileOf(data: unknown, mediaType: unknown): FilePart | undefined {
  const isRight = typeof data === 'string' && /^[\w+/-]*={0,2}$/.test(data)
  const isNamed = typeof mediaType === 'string' && /^[\w.+-]{1,80}\/[\w.+-]{1,80}(?:\s*;.{0,80})?$/.test(mediaType)
  return isRight && isNamed ? { type: 'file', mediaType: mediaType.split(';')[0] ?? mediaType, data } : undefined
}

/** Not fetched: it may lead anywhere, and a model that wants it can ask for it. */
function link(block: unknown): ContentPart | undefined {
  const uri = own(block, 'uri')
  if (typeof uri !== 'string') return undefined
  const [name, description] = [own(block, 'title') ?? own(block, 'name'), own(block, 'description')].map((value) =>
    typeof value === 'string' ? cut(value, maxNameChars) : '',
  )
  return textPart(`[Resource${name ? ` "${name}"` : ''}: ${cut(uri, 2000)}${description ? ` (${description})` : ''}]`)
}
