// One POST and its answer: plain JSON where nothing is to be said before the result, else a stream of events.
import type { Host } from '../host/host.ts'
import type { RpcMessage } from '../json-rpc/message.ts'
import { stringifyJson } from '../json/text.ts'
import { listen } from '../stream/signal.ts'
import { encodeSse } from '../stream/sse-encoder.ts'
import type { Line } from '../served-tools/caller.ts'
import type { Takes } from './gate.ts'

/** Without an answer nothing is said: the client took its request back. */
export interface Answered {
  readonly status: number
  /** A list answers a batch. */
  readonly message: RpcMessage | readonly RpcMessage[] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface ExchangeOptions {
  readonly host: Host
  readonly takes: Takes
  /** Aborts when the connection is lost, where the runtime tells. */
  readonly signal: AbortSignal
}

/** A client hears something this often, so that nothing on the way takes the connection for dead. */
const quietMs = 15_000

/** As many messages wait for a slow client before what can be spared is left out. */
const maxWaiting = 256

const eventHeaders = { 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' }

/** Resolves with the response as soon as its kind is known. `work` must not throw. */
export function respond(
  { host, takes, signal }: ExchangeOptions,
  work: (line: Line) => Promise<Answered>,
): Promise<Response> {
  const leaving = new AbortController()
  const forget = listen(signal, () => leaving.abort('The client left'))
  return new Promise((resolve) => {
    let stream: EventStream | undefined
    const open = (): EventStream => {
      if (stream) return stream
      stream = eventStream(() => leaving.abort('The client left'))
      resolve(new Response(stream.body, { headers: eventHeaders }))
      return stream
    }
    let stopTimer = (): void => {}
    const pulse = (): void => {
      stopTimer = host.timer(quietMs, () => {
        open().comment()
        pulse()
      })
    }
    if (takes.events) pulse()
    const line: Line = {
      canStream: takes.events,
      left: leaving.signal,
      send(message, { isSpare = false } = {}) {
        if (takes.events) open().message(message, isSpare)
      },
    }
    void work(line).then(({ status, message, headers = {} }) => {
      stopTimer()
      forget()
      // A status other than that of success is for a client that reads no further.
      if (!stream && (takes.json || status >= 400)) return resolve(plainAnswer(status, message, headers))
      const { message: say, close } = open()
      for (const one of [message].flat()) if (one) say(one as RpcMessage, false)
      close()
    })
  })
}

function plainAnswer(
  status: number,
  message: Answered['message'],
  headers: Readonly<Record<string, string>>,
): Response {
  if (message === undefined) return new Response(null, { status: status === 200 ? 202 : status, headers })
  return new Response(stringifyJson(message), { status, headers: { 'content-type': 'application/json', ...headers } })
}

interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  readonly message: (message: RpcMessage, isSpare: boolean) => void
  readonly comment: () => void
  readonly close: () => void
}

function eventStream(onLeave: () => void): EventStream {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let isOpen = true
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => void (controller = given),
      cancel() {
        isOpen = false
        onLeave()
      },
    },
    { highWaterMark: maxWaiting },
  )
  const write = (text: string, isSpare: boolean): void => {
    if (isOpen && !(isSpare && (controller?.desiredSize ?? 0) <= 0)) controller?.enqueue(encoder.encode(text))
  }
  return {
    body,
    message: (message, isSpare) => write(encodeSse({ event: 'message', data: stringifyJson(message) }), isSpare),
    comment: () => write(encodeSse({ comment: 'still at work' }), true),
    close() {
      if (isOpen) controller?.close()
      isOpen = false
    },
  }
}
