// What a tool reports on its way, as numbers that only grow.
import { rpcNotification } from '../json-rpc/message.ts'
import { cut, jsonText } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { Line } from './caller.ts'

const maxChars = 1000

/**
 * Sends reports to a client that gave a token for them. A tool may report a number, `{ progress, total?, message? }`, a text
 * or any other JSON, which is the message. Where it gives no number, or none that is more than before, each report counts one.
 */
export function progressReport(meta: unknown, line: Line): ((value: Json) => void) | undefined {
  const progressToken = own(meta, 'progressToken')
  const isToken = typeof progressToken === 'string' || Number.isSafeInteger(progressToken)
  if (!isToken || !line.canStream) return undefined
  let last = -1
  return (value) => {
    const progress = numberOf(value) ?? numberOf(own(value, 'progress'))
    last = progress !== undefined && progress > last ? progress : Math.max(last, 0) + 1
    const total = numberOf(own(value, 'total'))
    const message = messageOf(value)
    const params = {
      progressToken,
      progress: last,
      ...(total !== undefined && total >= last && { total }),
      ...(message !== undefined && { message: cut(message, maxChars) }),
    }
    line.send(rpcNotification('notifications/progress', params), { isSpare: true })
  }
}

const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

function messageOf(value: Json): string | undefined {
  if (typeof value === 'number') return undefined
  if (typeof value === 'string') return value
  const message = own(value, 'message')
  if (typeof message === 'string') return message
  return numberOf(own(value, 'progress')) === undefined ? jsonText(value) : undefined
}
