// A handler behind a real HTTP server on this machine, as a program on Node would mount it.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'

export interface Bridge {
  readonly url: string
  close(): Promise<void>
}

export async function bridge(handler: (request: Request) => Promise<Response>): Promise<Bridge> {
  const server = createServer((incoming, outgoing) => void pass(handler, incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function pass(
  handler: (request: Request) => Promise<Response>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const leaving = new AbortController()
  outgoing.on('close', () => leaving.abort())
  const { method = 'GET', headers, url = '/' } = incoming
  const hasBody = method !== 'GET' && method !== 'HEAD'
  const response = await handler(
    new Request(`http://${headers.host}${url}`, {
      method,
      headers: headers as Record<string, string>,
      signal: leaving.signal,
      ...(hasBody && { body: Readable.toWeb(incoming) as ReadableStream, duplex: 'half' }),
    } as RequestInit),
  )
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  const reader = response.body?.getReader()
  leaving.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined))
  for (;;) {
    const { done, value } = (await reader?.read().catch(() => undefined)) ?? { done: true, value: undefined }
    if (done) break
    outgoing.write(value)
  }
  outgoing.end()
}
