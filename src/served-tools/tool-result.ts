// The outcome of a call as a client reads it: content for its model, and the value for its code.
import { outputSchemaOf } from '../catalog/view.ts'
import { jsonText, plainJson, stringifyJson } from '../json/text.ts'
import { isObject } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import type { ProtocolVersion } from '../mcp-protocol/version.ts'
import type { ContentPart, FilePart, Outcome, SourcePart } from '../message/part.ts'
import type { Entry } from '../registry/table.ts'

/** A result is no longer than this, in characters of JSON. */
const maxResultChars = 8 * 2 ** 20

/** A failure is a result, too: the client's model is to read it. */
export function toolResult(outcome: Outcome, entry: Entry, version: ProtocolVersion): JsonObject {
  const content = outcome.parts.map((part) => contentOf(part, version))
  if (!outcome.ok) return { content, isError: true }
  const value = outputSchemaOf(entry) && plainJson(outcome.value)
  const result = { content, ...(isObject(value) && { structuredContent: value }) }
  const size = jsonText(result)?.length ?? 0
  return size <= maxResultChars
    ? result
    : failedResult(`The result has ${size} characters, and at most ${maxResultChars} can be sent`)
}

export const failedResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }], isError: true })

function contentOf(part: ContentPart, version: ProtocolVersion): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'json') return { type: 'text', text: stringifyJson(part.value) }
  if (part.type === 'file' && part.data !== undefined) return fileContent(part, part.data)
  return linkContent(part, version)
}

function fileContent({ mediaType, name = 'file' }: FilePart, data: string): JsonObject {
  const [kind] = mediaType.split('/')
  if (kind === 'image' || kind === 'audio') return { type: kind, data, mimeType: mediaType }
  const uri = `attachment:${encodeURIComponent(name)}`
  return { type: 'resource', resource: { uri, mimeType: mediaType, blob: data } }
}

function linkContent(part: FilePart | SourcePart, version: ProtocolVersion): JsonObject {
  const name = (part.type === 'file' ? part.name : part.title) ?? part.url ?? ''
  const { url: uri } = part
  if (uri === undefined)
    return { type: 'text', text: [name, part.type === 'source' && part.document].filter(Boolean).join(': ') }
  // The oldest revision knows no links.
  if (version === '2025-03-26') return { type: 'text', text: name === uri ? uri : `${name}: ${uri}` }
  return { type: 'resource_link', uri, name, ...(part.type === 'file' && { mimeType: part.mediaType }) }
}
