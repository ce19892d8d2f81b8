// Sends a model request and turns what goes wrong with it into errors with a class.
import { SameloopError } from '../error/error.ts'
import type { Fetch, Host } from '../host/host.ts'
import { parseJson } from '../json/text.ts'
import type { Wild } from '../json/wild.ts'
import { wildText } from '../json/wild.ts'
import { errorClass, isRetryableClass, retryAfterMs } from './retry.ts'

/** An API key, or a function that gives one each time. */
export type ApiKey = string | (() => string | Promise<string>)

export interface HttpRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON text. */
  readonly body: string
}

/** Takes secrets out of a text. */
export type Scrub = (text: string) => string

/** Servers echo what they were sent: every header's value goes, and every word of it, from 8 characters on. */
export function scrubber(headers: HttpRequest['headers']): Scrub {
  let secrets: readonly string[] | undefined
  const find = (): readonly string[] =>
    Object.values(headers)
      .map(String)
      .flatMap((value) => [value, ...value.split(/[\s;,"]+/), ...value.split(/[\s;,"=]+/)])
      .filter((value) => value.length > 7)
      .sort((left, right) => right.length - left.length)
  return (text) => (secrets ??= find()).reduce((rest, secret) => rest.replaceAll(secret, '…'), text)
}

export interface Failure {
  readonly status?: number | undefined
  readonly retryAfterMs?: number | undefined
  readonly scrub?: Scrub | undefined
  /** The body as text, where it was no JSON. */
  readonly body?: string | undefined
}

const maxErrorChars = 16 * 1024
const maxExcerpt = 500

/**
 * The `model-request` error for what a provider says went wrong, in a failed response or in the middle of a stream:
 * `{ error: { message, type, code } }` and its relatives. `data` has `class`, and where known `status`, `type`,
 * `providerMessage`, `body`, `retryAfterMs`.
 */
export function requestError(payload: Wild | undefined, { scrub = String, ...failure }: Failure = {}): SameloopError {
  const shown = (words = ''): string | undefined => scrub(words).slice(0, maxExcerpt) || undefined
  const outer = payload?.[0] ?? payload
  const error = outer?.error ?? outer
  const code = Number(error?.status_code ?? error?.code)
  const status = failure.status ?? (code >= 400 && code < 600 ? code : undefined)
  const type = [error?.type, error?.code, error?.status].map(wildText).join(' ').trim()
  const kind = errorClass(status ?? 0, type)
  const providerMessage = shown(wildText(error?.message) || wildText(error))
  const message = `Model request failed${status ? ` with status ${status}` : ''} (${kind})`
  return new SameloopError('model-request', message + (providerMessage ? `: "${providerMessage}"` : ''), {
    data: {
      class: kind,
      status,
      type: shown(type),
      providerMessage,
      body: shown(failure.body),
      retryAfterMs: failure.retryAfterMs,
    },
    retryable: isRetryableClass(kind),
  })
}

/** The first part of a failed response's body as text; the rest is cancelled, not left unread. */
async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const reader = body?.getReader()
  const utf8 = new TextDecoder()
  let text = ''
  try {
    while (reader && text.length < maxErrorChars) {
      const { done, value } = await reader.read()
      if (done) return text
      text += utf8.decode(value, { stream: true })
    }
  } catch {
    // A body that breaks off still says something.
  }
  reader?.cancel().catch(() => {})
  return text
}

export interface SendOptions {
  readonly host: Host
  readonly fetch?: Fetch | undefined
  readonly signal?: AbortSignal | undefined
  readonly scrub: Scrub
}

/** A good response, unread. `isWhole`: the server did not stream but sent one JSON body. */
export interface Answer {
  readonly body: ReadableStream<Uint8Array>
  readonly isWhole: boolean
}

/**
 * Posts JSON and returns the body of a good response. Throws `model-connection` (retryable) where no response came,
 * `model-request` for a failed one, `model-response` for a page in the place of an answer and for a redirect: key and
 * conversation go to no address but the one that was given.
 */
export async function post(
  { url, headers, body }: HttpRequest,
  { host, fetch, signal, scrub }: SendOptions,
): Promise<Answer> {
  // Called as a plain function: `fetch` refuses any other `this` in pages and Workers.
  const send = fetch ?? host.fetch
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    // Not 'error': Workers do not know it.
    redirect: 'manual' as const,
    ...(signal && { signal }),
  }
  const response = await send(url, init).catch((cause: unknown) => {
    throw new SameloopError('model-connection', 'Cannot reach the server of the model', { cause, retryable: true })
  })
  const { status, ok } = response
  const type = response.headers.get('content-type') ?? ''
  if (ok && response.body && !type.includes('html')) return { body: response.body, isWhole: /[/+]json/.test(type) }
  const text = await readText(response.body)
  // A page hides what kind of redirect it was: its status is 0.
  if (ok || status < 400) {
    const got = ok ? `content of type "${scrub(type)}"` : 'a redirect: the server wants another address'
    throw new SameloopError('model-response', `Wanted an event stream, got ${got}`, { data: { status } })
  }
  const parsed = parseJson(text)
  const failure = { status, scrub, retryAfterMs: retryAfterMs(response.headers, host.now()) }
  throw parsed.ok ? requestError(parsed.value as Wild, failure) : requestError(undefined, { ...failure, body: text })
}
