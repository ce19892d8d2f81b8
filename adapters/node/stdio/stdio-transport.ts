// Messages to a process and back: one a line, on its standard input and output.
import { SameloopError, isSameloopError } from '../../../src/error/error.ts'
import { scrubbedJson, scrubber } from '../../../src/http/scrub.ts'
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
      server = await startServer({ name, command, args, cwd, env })
      readLines(server, { ...target, scrub }, channel)
      void server.ended.then((reason) => channel.end(scrubbed(reason, scrub)))
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

type Scrub = (text: string) => string

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

const scrubbed = (error: SameloopError, scrub: Scrub): SameloopError =>
  new SameloopError(error.code, scrub(error.message), { retryable: error.retryable })

function readLines(
  { child }: ServerProcess,
  { name, maxMessageChars, warn, scrub }: StdioTarget & { readonly scrub: Scrub },
  channel: Channel,
): void {
  const decoder = ndjsonDecoder((value) => channel.receive(scrubbedJson(value as Json, scrub)), {
    maxLineChars: maxMessageChars,
    onBroken: () => warn('A line that is no JSON was ignored: a server writes its log to its standard error'),
  })
  child.stdout?.on('data', (data: Uint8Array) => {
    try {
      decoder.push(data)
    } catch (thrown) {
      const what = `sent a message of more than ${maxMessageChars} characters`
      channel.end(isSameloopError(thrown) ? serverError(name, what) : serverError(name, 'sent what cannot be read'))
      child.stdout?.destroy()
      child.kill('SIGKILL')
    }
  })
}
