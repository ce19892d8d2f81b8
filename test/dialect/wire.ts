// Small tools for dialect tests: bodies in chunks, a model's events collected and folded.
import type { Fetch } from '../../src/host/host.ts'
import type { ModelEvent } from '../../src/message/model-event.ts'
import type { Message, ProviderData } from '../../src/message/part.ts'
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
  readonly sent: {
    readonly url: string
    readonly headers: Record<string, string>
    readonly text: string
    readonly body: any
  }[]
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

/** A block or call as its events told it. */
interface Item {
  readonly type: 'text' | 'reasoning' | 'call'
  readonly key: string
  readonly callId?: string | undefined
  readonly name?: string
  readonly providerExecuted?: boolean | undefined
  text: string
  providerData: ProviderData | undefined
}

export interface Told {
  readonly events: readonly ModelEvent[]
  readonly items: readonly Item[]
  readonly finish: Extract<ModelEvent, { type: 'finish' }> | undefined
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly { id: string | undefined; name: string; text: string; args: unknown }[]
  readonly hosted: readonly { id: string | undefined; name: string; args: unknown }[]
  readonly warnings: readonly string[]
  readonly retries: readonly string[]
  readonly error: unknown
}

/** Joins deltas; a delta of what never started, and anything after `finish`, is a mistake of the dialect. */
function fold(events: readonly ModelEvent[]): { items: Item[]; finish: Told['finish'] } {
  const items: Item[] = []
  let finish: Told['finish']
  const find = (key: string): Item => {
    const item = items.findLast((one) => one.key === key)
    if (!item) throw new Error(`Nothing was started for "${key}"`)
    return item
  }
  for (const event of events) {
    if (finish) throw new Error('An event came after finish')
    if (event.type === 'finish') finish = event
    else if (event.type === 'tool-input-start') {
      const { index, callId, name, providerExecuted, providerData } = event
      items.push({ type: 'call', key: `call ${index}`, callId, name, providerExecuted, text: '', providerData })
    } else if (event.type === 'tool-input-delta') find(`call ${event.index}`).text += event.delta
    else if (event.type === 'text-start' || event.type === 'reasoning-start') {
      const type = event.type === 'text-start' ? 'text' : 'reasoning'
      items.push({ type, key: `${type} ${event.id}`, text: '', providerData: event.providerData })
    } else if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
      find(`${event.type === 'text-delta' ? 'text' : 'reasoning'} ${event.id}`).text += event.delta
    } else if (event.type === 'text-end' || event.type === 'reasoning-end') {
      const item = find(`${event.type === 'text-end' ? 'text' : 'reasoning'} ${event.id}`)
      item.providerData = event.providerData ?? item.providerData
    }
  }
  return { items, finish }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text || '{}')
  } catch {
    return undefined
  }
}

/** Everything a model says to one request, an error at the end included. */
export async function tell(
  model: Model,
  asked: ModelRequest = request(),
  over: Partial<ModelCall> = {},
): Promise<Told> {
  const events: ModelEvent[] = []
  const warnings: string[] = []
  const retries: string[] = []
  let error: unknown
  const call: ModelCall = {
    host: testHost({ auto: true }),
    onWarning: (code) => void warnings.push(code),
    onRetry: (attempt, delay) => void retries.push(`${attempt}:${delay}`),
    ...over,
  }
  try {
    for await (const chunk of model.stream(asked, call)) {
      events.push(...chunk)
    }
  } catch (thrown) {
    error = thrown
  }
  const { items, finish } = fold(events)
  const said = (type: Item['type']): string => items.map((item) => (item.type === type ? item.text : '')).join('')
  const calls = items.filter((item) => item.type === 'call')
  const shown = (item: Item): { id: string | undefined; name: string; args: unknown } => ({
    id: item.callId,
    name: item.name ?? '',
    args: parse(item.text),
  })
  return {
    events,
    items,
    finish,
    text: said('text'),
    reasoning: said('reasoning'),
    calls: calls.filter((item) => !item.providerExecuted).map((item) => ({ ...shown(item), text: item.text })),
    hosted: calls.filter((item) => item.providerExecuted).map(shown),
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
