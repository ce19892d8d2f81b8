// Reading text out of parts.
import type { ContentPart, Message, Part } from './part.ts'

/** The text parts of a message, joined. */
export function messageText(message: Message): string {
  let text = ''
  for (const part of message.content) if (part.type === 'text') text += part.text
  return text
}

/** What a model without file support reads of a tool's answer: text as it is, JSON as text, the rest named. */
export function contentText(parts: readonly (ContentPart | Part)[]): string {
  return parts.map(partText).join('\n')
}

function partText(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text
  if (part.type === 'json') return JSON.stringify(part.value)
  if (part.type === 'file') return `[file ${part.name ?? part.url ?? part.mediaType}]`
  if (part.type === 'source') return `[source ${part.title ?? part.url ?? part.document ?? ''}]`
  return ''
}
