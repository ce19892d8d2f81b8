// What tests of the web tools share: one call through an agent, a network made of a function, and servers on loopback.
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { agent } from '../../src/agent/agent.ts'
import type { Fetch } from '../../src/host/host.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { Environment } from '../../src/tool/environment.ts'
import type { Policy } from '../../src/tool/rule.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { eventsOf, results } from '../agent/rig.ts'

export interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** A network that answers each request with what `answer` makes, and remembers them. */
export function network(answer: (sent: Sent) => Response | Promise<Response>): { fetch: Fetch; sent: Sent[] } {
  const sent: Sent[] = []
  const fetch: Fetch = async (url, { method = 'GET', headers, body } = {}) => {
    const one = { url: String(url), method, headers: Object.fromEntries(new Headers(headers)), body }
    sent.push(one)
    return answer(one)
  }
  return { fetch, sent }
}

export interface WebCall {
  readonly tools: (env: Environment) => readonly Tool[]
  readonly fetch: Fetch
  readonly policy?: Policy
  readonly signal?: AbortSignal
}

/** Everything that comes of one call which a person approves. */
export async function called(name: string, input: object, { tools, fetch, policy, signal }: WebCall) {
  const env: Environment = { host: webHost, fetch }
  const model = scriptedModel([{ calls: [{ name, input: input as never }] }, 'done'])
  const assistant = agent({ model, env, policy, tools: tools(env), approve: () => 'approve' })
  const run = assistant.run('go', { signal })
  const events: RunEvent[] = await eventsOf(run)
  const { messages, snapshot, error } = await run.result
  const [result] = results(messages)
  const everything = JSON.stringify([events, messages, snapshot, model.requests.map((one) => one.messages), error])
  return { ...result!, events, everything }
}

type Answering = (request: IncomingMessage, response: ServerResponse) => void

/** A server on loopback; `close` ends its connections. */
export async function loopback(answer: Answering): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
