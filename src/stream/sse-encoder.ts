// Encodes server-sent events as text.

export interface SseMessage {
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly data?: string | undefined
  /** Milliseconds a client waits before it connects again. */
  readonly retry?: number | undefined
  /** A line readers skip: keeps a connection busy. */
  readonly comment?: string | undefined
}

const breaks = /\r\n|\r|\n/

// A line break in a one-line field would start another field; NUL makes readers drop the id.
const oneLine = (text: string): string => text.replace(/[\r\n\0]/g, ' ')

const lines = (field: string, text: string): string =>
  text
    .split(breaks)
    .map((line) => `${field}: ${line}\n`)
    .join('')

/** One event as it goes over the wire, blank line included. */
export function encodeSse(message: SseMessage): string {
  const { id, event, data, retry, comment } = message
  let text = comment === undefined ? '' : lines('', comment)
  if (id !== undefined) text += `id: ${oneLine(id)}\n`
  if (event !== undefined) text += `event: ${oneLine(event)}\n`
  if (retry !== undefined) text += `retry: ${Math.max(0, Math.round(retry))}\n`
  if (data !== undefined) text += lines('data', data)
  return text + '\n'
}
