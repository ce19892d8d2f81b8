// A client of the API for tests.
import type { Decision } from '../../src/message/decision.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { sseDecoder } from '../../src/stream/sse-decoder.ts'

export const token = 'a-token-for-tests-only'
export const secrets = {
  AGENT_TOKEN: token,
  SESSION_SECRET: 'a-secret-for-tests-only',
  MODEL_KEY: 'a-key-for-tests-only',
}

export interface Row {
  readonly id: number
  readonly event: RunEvent
}

export interface Streamed {
  readonly rows: readonly Row[]
  /** The name of the event that closed the stream, where one did. */
  readonly closed: string | undefined
}

export interface Reply {
  readonly status: number
  readonly body: any
  readonly headers: Headers
}

export interface Client {
  send(path: string, init?: RequestInit): Promise<Reply>
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Reply>
  session(): Promise<string>
  /** Starts a run with these turns. */
  start(session: string, turns: unknown, more?: { readonly model?: string; readonly key?: string }): Promise<Reply>
  decide(session: string, decision: Decision): Promise<Reply>
  /** Reads a stream until it closes, or until `enough` of its rows have come: then it is cut. */
  events(session: string, after?: number, enough?: (rows: readonly Row[]) => boolean): Promise<Streamed>
  /** Reads until the run suspends or ends. */
  state(session: string): Promise<any>
  file(session: string, path: string): Promise<string>
}

/** `always` are headers of every request. */
export function client(
  url: string,
  authorization: string | null = `Bearer ${token}`,
  always: Readonly<Record<string, string>> = {},
): Client {
  const headersOf = (more: HeadersInit | undefined): Headers => {
    const headers = new Headers(more)
    for (const [name, value] of Object.entries(always)) headers.set(name, value)
    if (authorization !== null && !headers.has('authorization')) headers.set('authorization', authorization)
    return headers
  }
  const send: Client['send'] = async (path, init = {}) => {
    const response = await fetch(`${url}/api${path}`, { ...init, headers: headersOf(init.headers) })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
  }
  const post: Client['post'] = (path, body, headers = {}) =>
    send(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    })
  return {
    send,
    post,
    session: async () => (await post('/sessions', {})).body.session as string,
    start: (session, turns, { model, key } = {}) =>
      post(
        `/sessions/${session}/runs`,
        { input: typeof turns === 'string' ? turns : JSON.stringify(turns), ...(model === undefined ? {} : { model }) },
        key === undefined ? {} : { 'idempotency-key': key },
      ),
    decide: (session, decision) => post(`/sessions/${session}/decisions`, decision),
    async events(session, after = 0, enough = () => false) {
      const response = await fetch(`${url}/api/sessions/${session}/events?after=${after}`, {
        headers: headersOf(undefined),
      })
      if (response.body === null || response.status !== 200)
        throw new Error(`The stream was refused: ${response.status} ${await response.text()}`)
      const rows: Row[] = []
      let closed: string | undefined
      const decoder = sseDecoder(({ event, id, data }) => {
        if (event === 'message') rows.push({ id: Number(id), event: JSON.parse(data) as RunEvent })
        else closed = event
      })
      const reader = response.body.getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return { rows, closed }
        decoder.push(value)
        if (!enough(rows)) continue
        await reader.cancel()
        return { rows, closed }
      }
    },
    state: async (session) => (await send(`/sessions/${session}`)).body,
    file: async (session, path) =>
      (await send(`/sessions/${session}/file?path=${encodeURIComponent(path)}`)).body as string,
  }
}

export const types = (rows: readonly Row[]): readonly string[] => rows.map(({ event }) => event.type)

export const ids = (rows: readonly Row[]): readonly number[] => rows.map(({ id }) => id)
