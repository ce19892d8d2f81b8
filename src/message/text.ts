// Text as parts, and parts as text.
import type { ContentPart, FilePart, Message, Part, SourcePart, TextPart } from './part.ts'

export const textPart = (text: string): TextPart => ({ type: 'text', text })

/** A message of one text. */
export const textMessage = (role: Message['role'], text: string): Message => ({ role, content: [textPart(text)] })

/** The text parts of a message, joined. */
export function messageText({ content }: { readonly content: readonly { readonly type: string }[] }): string {
  let text = ''
  for (const part of content) if (part.type === 'text') text += (part as TextPart).text
  return text
}

/** What a model without file support reads of a tool's answer: text as it is, JSON as text, the rest named. */
export function contentText(parts: readonly (ContentPart | Part)[]): string {
  return parts.map(partText).join('\n')
}

function partText(part: Part): string {
  const { type } = part
  if (type === 'text' || type === 'reasoning') return part.text
  if (type === 'json') return JSON.stringify(part.value)
  if (type !== 'file' && type !== 'source') return ''
  const named: Partial<Omit<FilePart, 'type'> & Omit<SourcePart, 'type'>> = part
  return `[${type} ${named.name ?? named.title ?? named.url ?? named.document ?? named.mediaType ?? ''}]`
}
