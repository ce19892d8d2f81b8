// A server made of a function: the `fetch` of scenarios, with chunks and waits on the virtual clock.
import type { Fetch } from '../host/host.ts'
import type { VirtualClock } from './clock.ts'

export interface ServerRequest {
  readonly method: string
  readonly url: string
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string }
  readonly body: string
  readonly signal: AbortSignal | undefined
}

/** A piece of a body: text or bytes, a pause, or the connection breaking. */
export type ServerChunk = string | Uint8Array | { readonly wait: number } | { readonly break: true }

export interface ServerAnswer {
  /** Default 200. */
  readonly status?: number | undefined
  readonly headers?: { readonly [name: string]: string } | undefined
  /** Milliseconds before the headers. Default none. */
  readonly wait?: number | undefined
  /** A text, or pieces, each of which reaches the reader as one chunk. Default empty. */
  readonly body?: string | readonly ServerChunk[] | undefined
}

export type Answering = (request: ServerRequest) => ServerAnswer | Promise<ServerAnswer>

const bodyText = async (body: BodyInit | null | undefined): Promise<string> =>
  body === null || body === undefined ? '' : new Response(body).text()

async function readRequest(input: string | URL | Request, init: RequestInit = {}): Promise<ServerRequest> {
  const given = typeof input === 'string' || input instanceof URL ? undefined : input
  const headers = new Headers(init.headers ?? given?.headers)
  return {
    method: (init.method ?? given?.method ?? 'GET').toUpperCase(),
    url: given === undefined ? String(input as string | URL) : given.url,
    headers: Object.fromEntries(headers),
    body: typeof init.body === 'string' ? init.body : await bodyText(init.body ?? given?.body),
    signal: init.signal ?? given?.signal,
  }
}

/** Rejects when the signal aborts, so that it can be raced; never resolves. */
function aborting(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason)
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/**
 * Sends the chunks as a network does, whether anybody reads or not: when a runtime asks a stream for more differs between
 * engines, so nothing here may depend on it.
 */
async function send(
  chunks: readonly ServerChunk[],
  to: ReadableStreamDefaultController<Uint8Array>,
  line: Line,
): Promise<void> {
  const encoder = new TextEncoder()
  for (const chunk of chunks) {
    if (line.closed) return
    if (typeof chunk === 'string') to.enqueue(encoder.encode(chunk))
    else if (chunk instanceof Uint8Array) to.enqueue(chunk)
    else if ('wait' in chunk) await line.clock.sleep(chunk.wait, line.signal)
    else throw new TypeError('Connection lost')
  }
  if (!line.closed) to.close()
}

interface Line {
  readonly clock: VirtualClock
  readonly signal: AbortSignal
  closed: boolean
}

function bodyStream(
  chunks: readonly ServerChunk[],
  request: ServerRequest,
  clock: VirtualClock,
): ReadableStream<Uint8Array> {
  const cut = new AbortController()
  const line: Line = { clock, signal: cut.signal, closed: false }
  request.signal?.addEventListener('abort', () => cut.abort(request.signal?.reason), { once: true })
  return new ReadableStream<Uint8Array>({
    start(controller) {
      cut.signal.addEventListener('abort', () => {
        if (!line.closed) controller.error(cut.signal.reason)
        line.closed = true
      })
      send(chunks, controller, line).catch((error: unknown) => {
        if (!line.closed) controller.error(error)
        line.closed = true
      })
    },
    cancel() {
      line.closed = true
      cut.abort()
    },
  })
}

/** A `fetch` that answers from `answering`. Bodies are streams of ours, so they are read without real waits. */
export function serverFetch(answering: Answering, clock: VirtualClock): Fetch {
  return async (input, init) => {
    clock.touch()
    const request = await readRequest(input, init)
    const gone = aborting(request.signal)
    gone.catch(() => {})
    const answer = await Promise.race([answering(request), gone])
    if (answer.wait !== undefined) await clock.sleep(answer.wait, request.signal)
    const { body = '', status = 200, headers = {} } = answer
    const chunks = typeof body === 'string' ? [body].filter((text) => text !== '') : body
    const empty = status === 204 || status === 205 || status === 304
    return new Response(empty ? null : bodyStream(chunks, request, clock), { status, headers })
  }
}
