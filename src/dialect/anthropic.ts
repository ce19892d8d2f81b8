// The Anthropic messages dialect.
import type { Json } from '../json/value.ts'
import { type Dialect, eventStream, type StreamOptions } from '../model/event-stream.ts'
import type { Model } from '../model/model.ts'
import type { ApiKey } from '../model/request.ts'
import { anthropicRequestBody } from './anthropic-request.ts'
import { anthropicHot, anthropicReader } from './anthropic-stream.ts'

export interface AnthropicOptions extends StreamOptions {
  readonly model: string
  /** A function is asked for each request. Leave it out where a proxy at `baseUrl` has the key. */
  readonly apiKey?: ApiKey | undefined
  /** Default `https://api.anthropic.com/v1`. */
  readonly baseUrl?: string | undefined
  /** The `anthropic-version` header. Default `2023-06-01`. */
  readonly version?: string | undefined
  /** The key of `providerData` and `providerOptions`. Default `anthropic`. */
  readonly provider?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Set cache marks, up to four with those of the caller (`providerData.anthropic.cache_control` on a part). Default true. */
  readonly cache?: boolean | undefined
  /** Tools the provider runs itself, in its own form, for example `{ type: 'web_search_20250305', name: 'web_search' }`. */
  readonly serverTools?: readonly Json[] | undefined
}

/**
 * A Claude model, called from anywhere, a page included. `maxOutputTokens` is 8192 by default; a thinking budget comes on
 * top. A reasoning level asks for adaptive thinking (Claude 4.6 and later), a number of tokens for a budget (up to 4.6).
 */
export function anthropic(options: AnthropicOptions): Model {
  const {
    model,
    apiKey,
    baseUrl = 'https://api.anthropic.com/v1',
    version = '2023-06-01',
    provider = 'anthropic',
  } = options
  const { cache: marks = true, serverTools = [] } = options
  const wire = { model, provider, marks, serverTools, histories: new WeakMap(), tools: new WeakMap() }
  return {
    id: model,
    provider,
    capabilities: {},
    stream(request, call) {
      const dialect: Dialect = {
        async request() {
          const key = typeof apiKey === 'function' ? await apiKey() : apiKey
          const headers = {
            'anthropic-version': version,
            // Without it the server refuses requests from pages.
            'anthropic-dangerous-direct-browser-access': 'true',
            ...(key && { 'x-api-key': key }),
            ...options.headers,
          }
          return {
            url: `${baseUrl.replace(/\/$/, '')}/messages`,
            headers,
            body: anthropicRequestBody(request, call, wire),
          }
        },
        reader: (scrub) => anthropicReader({ provider, scrub, onWarning: call.onWarning }),
        hot: anthropicHot,
      }
      return eventStream(call, dialect, options)
    },
  }
}
