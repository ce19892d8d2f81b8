// A model that is asked over HTTP: what every dialect does with its options.
import { amounts } from '../error/amount.ts'
import { eventStream, type StreamOptions } from '../model/event-stream.ts'
import type { Model, ModelCall, ModelRequest } from '../model/model.ts'
import type { Dialect, PayloadReader } from '../model/payload-reader.ts'
import type { ApiKey } from '../model/request.ts'
import type { AnswerOptions } from './answer.ts'

export interface WireOptions extends StreamOptions {
  readonly model: string
  /** A function is asked for each request. Leave it out for a local server, or a proxy that has the key. */
  readonly apiKey?: ApiKey | undefined
  /** Where the server is; its default is the provider's own. */
  readonly baseUrl?: string | undefined
  /** The key of `providerData` and `providerOptions`. */
  readonly provider?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

export interface Wire extends Pick<Dialect, 'hot'> {
  readonly provider: string
  readonly baseUrl: string
  readonly path: string
  headers(key: string | undefined): Readonly<Record<string, string>>
  /** The request's JSON. */
  body(request: ModelRequest, call: ModelCall): string
  reader(options: AnswerOptions): PayloadReader
}

/** What is waited for where nothing else is said, as `retry.ts` and `silence.ts` have it. */
const usualPatience = { maxRetries: 2, maxRetryWaitMs: 60_000, idleTimeoutMs: 60_000, stallTimeoutMs: 600_000 }

/** Throws `config-invalid` for an option that is no number from 0. */
export function wireModel({ model, apiKey, headers, ...options }: WireOptions, wire: Wire): Model {
  const { provider, hot } = wire
  const patience = amounts(options, usualPatience)
  return {
    id: model,
    provider,
    capabilities: {},
    stream(request, call) {
      const dialect: Dialect = {
        async request() {
          const key = typeof apiKey === 'function' ? await apiKey() : apiKey
          return {
            url: wire.baseUrl.replace(/\/$/, '') + wire.path,
            headers: { ...wire.headers(key), ...headers },
            body: wire.body(request, call),
          }
        },
        reader: (emit, scrub) => wire.reader({ provider, emit, scrub, onWarning: call.onWarning }),
        hot,
      }
      return eventStream(call, dialect, { ...options, ...patience })
    },
  }
}
