// A made-up server that speaks chat completions, as a local model server does: it says what a test tells it, when told.
import { createServer } from 'node:http'

const cors = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'access-control-allow-private-network': 'true',
}

const chunk = (delta, finish_reason = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'made-up', choices: [{ index: 0, delta, finish_reason }] })}\n\n`

/**
 * `{ url, requests, close() }`. `answer(say, request)` runs for each request: `say(text)` streams a piece at once; the
 * answer ends when it resolves. A request that is broken off by the page is of no concern to it.
 */
export function modelServer(answer) {
  const requests = []
  const server = createServer(async (request, response) => {
    if (request.method === 'OPTIONS') return response.writeHead(204, cors).end()
    let body = ''
    for await (const piece of request) body += piece
    const asked = JSON.parse(body)
    requests.push({ body: asked, authorization: request.headers.authorization })
    response.writeHead(200, { ...cors, 'content-type': 'text/event-stream' })
    response.flushHeaders()
    await answer((text) => response.write(chunk({ content: text })), asked)
    response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const close = () => {
        server.closeAllConnections()
        return new Promise((done) => server.close(done))
      }
      resolve({ url: `http://127.0.0.1:${server.address().port}/v1`, requests, close })
    })
  })
}

/** A promise and its end: `gate.open()`. */
export function gate() {
  let open
  const opened = new Promise((resolve) => (open = resolve))
  return { opened, open }
}
