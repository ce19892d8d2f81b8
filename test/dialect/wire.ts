// Small tools for dialect tests: bodies in chunks, a model's events collected and folded.
import type { Fetch } from '../../src/host/host.ts'
import { fold, foldEvent, type Fold } from '../../src/message/fold.ts'
import type { ModelEvent } from '../../src/message/model-event.ts'
import type { Message } from '../../src/message/part.ts'
import type { Model, ModelCall, ModelRequest } from '../../src/model/model.ts'
import { testHost } from '../host.ts'

const encoder = new TextEncoder()

/** A body of these chunks, and how it was used. */
export function chunked(chunks: readonly (string | Uint8Array)[], type = 'text/event-stream'): Response {
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk))
  let at = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = bytes[at++]
        if (next) controller.enqueue(next)
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': type } })
}

/** Answers request number n with the n-th response, and keeps what was sent. */
export function scriptedFetch(responses: readonly (Response | Error | (() => Response | Promise<Response>))[]): {
  readonly fetch: Fetch
  readonly sent: { readonly url: string; readonly headers: Record<string, string>; readonly text: string; readonly body: any }[]
} {
  const sent: { url: string; headers: Record<string, string>; text: string; body: any }[] = []
  return {
    sent,
    fetch: async (url, init) => {
      const text = String(init?.body)
      const response = responses[sent.length]
      sent.push({ url: String(url), headers: init?.headers as Record<string, string>, text, body: JSON.parse(text) })
      if (!response) throw new Error('No response is left')
      if (response instanceof Error) throw response
      return typeof response === 'function' ? response() : response
    },
  }
}

export function request(over: Partial<ModelRequest> = {}): ModelRequest {
  return { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }], tools: [], settings: {}, ...over }
}

export interface Told {
  readonly events: readonly ModelEvent[]
  readonly fold: Fold
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { id: string | undefined; name: string; text: string; args: unknown }[]
  readonly hosted: readonly { id: string | undefined; name: string; args: unknown }[]
  readonly warnings: readonly string[]
  readonly retries: readonly string[]
  readonly error: unknown
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text || '{}')
  } catch {
    return undefined
  }
}

/** Everything a model says to one request, an error at the end included. */
export async function tell(model: Model, asked: ModelRequest = request(), over: Partial<ModelCall> = {}): Promise<Told> {
  const events: ModelEvent[] = []
  const warnings: string[] = []
  const retries: string[] = []
  const into = fold()
  let error: unknown
  const call: ModelCall = {
    host: testHost({ auto: true }),
    onWarning: (code) => void warnings.push(code),
    onRetry: (attempt, delay) => void retries.push(`${attempt}:${delay}`),
    ...over,
  }
  try {
    for await (const chunk of model.stream(asked, call)) {
      for (const event of chunk) {
        events.push(event)
        foldEvent(into, event)
      }
    }
  } catch (thrown) {
    error = thrown
  }
  const said = (type: string): string => into.items.map((item) => (item.type === type ? (item as { text: string }).text : '')).join('')
  const all = into.items.flatMap((item) => (item.type === 'call' ? [item.call] : []))
  const shown = all.map(({ callId, name, text, providerExecuted }) => ({ id: callId, name, text, args: parse(text), providerExecuted }))
  return {
    events,
    fold: into,
    text: said('text'),
    reasoning: said('reasoning'),
    calls: shown.filter((call) => !call.providerExecuted).map(({ id, name, text, args }) => ({ id, name, text, args })),
    hosted: shown.filter((call) => call.providerExecuted).map(({ id, name, args }) => ({ id, name, args })),
    warnings,
    retries,
    error,
  }
}

export const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })

/** The bytes of a text, cut at the given positions. */
export function cutAt(bytes: Uint8Array, ...positions: readonly number[]): Uint8Array[] {
  const bounds = [0, ...positions, bytes.length]
  return bounds.slice(1).map((end, index) => bytes.slice(bounds[index], end))
}

export const oneByOne = (bytes: Uint8Array): Uint8Array[] => Array.from(bytes, (byte) => Uint8Array.of(byte))

export const utf8 = (text: string): Uint8Array => encoder.encode(text)
