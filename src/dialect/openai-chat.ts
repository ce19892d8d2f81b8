// The OpenAI chat completions dialect, which many servers speak.
import type { Model } from '../model/model.ts'
import { chatCache, chatRequestBody } from './openai-chat-request.ts'
import { chatHot, chatReader } from './openai-chat-stream.ts'
import { wireModel, type WireOptions } from './wire-model.ts'

/**
 * The key is sent as a bearer token. `baseUrl` is `https://api.openai.com/v1` by default, `provider` is `openai` there and
 * the host of `baseUrl` anywhere else.
 */
export interface OpenaiChatOptions extends WireOptions {
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
  const { model, baseUrl = openai, includeUsage = true } = options
  const isOpenai = baseUrl.startsWith(openai)
  // What one server signed must not reach another, so servers do not share a name.
  const provider = options.provider ?? ((!isOpenai && baseUrl.replace(/^\w+:\/\/|\/.*$/g, '')) || 'openai')
  const maxTokensKey = options.maxTokensField ?? (isOpenai ? 'max_completion_tokens' : 'max_tokens')
  const body = { model, provider, maxTokensKey, includeUsage, cache: chatCache() }
  return wireModel(options, {
    provider,
    baseUrl,
    path: '/chat/completions',
    headers: (key) => (key ? { authorization: `Bearer ${key}` } : {}),
    body: (request, call) => chatRequestBody(request, call, body),
    reader: chatReader,
    hot: chatHot,
  })
}
