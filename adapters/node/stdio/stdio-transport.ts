// Messages to a process and back: one a line, on its standard input and output.
import { isSameloopError } from '../../../src/error/error.ts'
import { scrubbedJson, scrubber } from '../../../src/http/scrub.ts'
import type { Scrub } from '../../../src/http/scrub.ts'
import { isSecret, resolveSecret } from '../../../src/http/secret.ts'
import type { Secret } from '../../../src/http/secret.ts'
import type { Json } from '../../../src/json/value.ts'
import { serverError } from '../../../src/mcp-client/transport.ts'
import type { Channel, Transport } from '../../../src/mcp-client/transport.ts'
import { encodeNdjson, ndjsonDecoder } from '../../../src/stream/ndjson.ts'
import { variables } from '../host/variables.ts'
import { startServer, stopServer } from './child.ts'
import type { ServerProcess } from './child.ts'

export interface StdioTarget {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, Secret>>
  readonly inherit: readonly string[] | undefined
  readonly maxMessageChars: number
  warn(text: string): void
}

export function stdioTransport(target: StdioTarget): Transport {
  const { name, command, args, cwd } = target
  let server: ServerProcess | undefined
  return {
    isHttp: false,
    async open(channel) {
      const { env, scrub } = await environment(target)
      server = await startServer({ name, command, args, cwd, env, scrub })
      readLines(server, { ...target, scrub }, channel)
      void server.ended.then((reason) => channel.end(reason))
    },
    send: (message) =>
      new Promise((resolve, reject) => {
        const failed = (cause?: unknown): void =>
          reject(serverError(name, 'takes no messages any more', { cause, retryable: true }))
        if (!server?.child.stdin?.writable) return failed()
        server.child.stdin.write(encodeNdjson(message), (cause) => (cause ? failed(cause) : resolve()))
      }),
    close: async () => {
      if (server) await stopServer(server)
    },
  }
}

/** Lines in a row that are no JSON, after which it is taken for another program; the first few are warned of. */
const mostBroken = 10_000
const mostWarnings = 10

/** What the server sees: the harmless variables of this program, and those that are given. The latter may be secrets. */
async function environment({ env, inherit }: StdioTarget): Promise<{ env: Record<string, string>; scrub: Scrub }> {
  const all: Record<string, string> = { ...variables(inherit) }
  const secrets: string[] = []
  for (const [variable, value] of Object.entries(env)) {
    const text = (all[variable] = await resolveSecret(value, `the variable "${variable}"`, { mayBeEmpty: true }))
    if (isSecret(variable, value)) secrets.push(text)
  }
  return { env: all, scrub: scrubber(secrets) }
}

function readLines(
  server: ServerProcess,
  { name, maxMessageChars, warn, scrub }: StdioTarget & { readonly scrub: Scrub },
  channel: Channel,
): void {
  const { child } = server
  const giveUp = (what: string): void => {
    channel.end(serverError(name, what))
    child.stdout?.destroy()
    child.kill('SIGKILL')
  }
  let broken = 0
  let warnings = 0
  const receive = (value: unknown): void => {
    broken = 0
    channel.receive(scrubbedJson(value as Json, scrub))
  }
  const onBroken = (): void => {
    if (++broken > mostBroken) throw serverError(name, 'writes what are no messages')
    if (warnings++ < mostWarnings)
      warn('A line that is no JSON was ignored: a server writes its log to its standard error')
  }
  const decoder = ndjsonDecoder(receive, { maxLineChars: maxMessageChars, onBroken })
  child.stdout?.on('data', (data: Uint8Array) => {
    try {
      decoder.push(data)
    } catch (thrown) {
      if (broken > mostBroken) giveUp(`wrote ${mostBroken} lines that are no messages`)
      else if (isSameloopError(thrown)) giveUp(`sent a message of more than ${maxMessageChars} characters`)
      else giveUp('sent what cannot be read')
    }
  })
  // Whatever it still does, it answers no more.
  child.stdout?.on('end', () => void stopServer(server))
}
