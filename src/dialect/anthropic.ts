// The Anthropic messages dialect.
import type { Model } from '../model/model.ts'
import type { Json } from '../json/value.ts'
import { anthropicRequestBody } from './anthropic-request.ts'
import { anthropicHot, anthropicReader } from './anthropic-stream.ts'
import { wireModel, type WireOptions } from './wire-model.ts'

/** `baseUrl` is `https://api.anthropic.com/v1` by default, `provider` is `anthropic`. */
export interface AnthropicOptions extends WireOptions {
  /** The `anthropic-version` header. Default `2023-06-01`. */
  readonly version?: string | undefined
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
  const { model, baseUrl = 'https://api.anthropic.com/v1', version = '2023-06-01', provider = 'anthropic' } = options
  const { cache: marks = true, serverTools = [] } = options
  const body = { model, provider, marks, serverTools, histories: new WeakMap(), tools: new WeakMap() }
  return wireModel(options, {
    provider,
    baseUrl,
    path: '/messages',
    headers: (key) => ({
      'anthropic-version': version,
      // Without it the server refuses requests from pages.
      'anthropic-dangerous-direct-browser-access': 'true',
      ...(key && { 'x-api-key': key }),
    }),
    body: (request, call) => anthropicRequestBody(request, call, body),
    reader: anthropicReader,
    hot: anthropicHot,
  })
}
