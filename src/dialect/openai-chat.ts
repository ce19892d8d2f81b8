// The OpenAI chat completions dialect, which many servers speak.
import { type Dialect, eventStream, type StreamOptions } from '../model/event-stream.ts'
import type { Model } from '../model/model.ts'
import type { ApiKey } from '../model/request.ts'
import { chatCache, chatRequestBody } from './openai-chat-request.ts'
import { chatHot, chatReader } from './openai-chat-stream.ts'

export interface OpenaiChatOptions extends StreamOptions {
  readonly model: string
  /** Sent as a bearer token; none for a local server. A function is asked for each request. */
  readonly apiKey?: ApiKey | undefined
  /** Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined
  /** The key of `providerData` and `providerOptions`. Default `openai` at OpenAI, else the host of `baseUrl`. */
  readonly provider?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** The field of `maxOutputTokens`. Default: `max_completion_tokens` at OpenAI, `max_tokens` anywhere else. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens' | undefined
  /** Ask for token counts (`stream_options`), which a few old servers refuse. Default true. */
  readonly includeUsage?: boolean | undefined
}

const openai = 'https://api.openai.com/v1'

/**
 * A model behind any server that speaks chat completions. `output` is sent as `response_format`; reasoning in tokens
 * is reported as ignored.
 */
export function openaiChat(options: OpenaiChatOptions): Model {
  const { model, apiKey, baseUrl = openai, headers } = options
  const url = `${baseUrl.replace(/\/$/, '')}/chat/completions`
  // What one server signed must not reach another, so servers do not share a name.
  const provider =
    options.provider ?? (url.startsWith(openai) ? 'openai' : baseUrl.replace(/^\w+:\/\/|\/.*$/g, '') || 'openai')
  const maxTokensKey = options.maxTokensField ?? (url.startsWith(openai) ? 'max_completion_tokens' : 'max_tokens')
  const wire = { model, provider, maxTokensKey, includeUsage: options.includeUsage ?? true, cache: chatCache() }
  return {
    id: model,
    provider,
    capabilities: {},
    stream(request, call) {
      const dialect: Dialect = {
        async request() {
          const key = typeof apiKey === 'function' ? await apiKey() : apiKey
          const authorization = key ? { authorization: `Bearer ${key}` } : {}
          return { url, headers: { ...authorization, ...headers }, body: chatRequestBody(request, call, wire) }
        },
        reader: (scrub) => chatReader({ provider, scrub, onWarning: call.onWarning }),
        hot: chatHot,
      }
      return eventStream(call, dialect, options)
    },
  }
}
