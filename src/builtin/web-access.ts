// How the web tools reach the network: through the call's own fetch, within a policy, and for a limited time.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { Fetch } from '../host/host.ts'
import { webHost } from '../host/web-host.ts'
import { guardedFetch } from '../policy/guarded-fetch.ts'
import type { ReadyPolicy } from '../policy/policy.ts'
import { deadline, listen } from '../stream/signal.ts'
import type { ToolContext } from '../tool/context.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'

export interface WebAccess {
  /** The largest text that a model reads of one answer. */
  readonly maxContentChars: number
  /** The fetch of a call, within the policy. */
  fetchOf(context: ToolContext): Fetch
  /**
   * Sends a request and works on its answer, all within `timeoutMs`. Throws what the policy refuses with, `tool-timeout`,
   * and `source-failed` (retryable) where no answer came.
   */
  ask<Result>(request: WebRequest, context: ToolContext, work: WebWork<Result>): Promise<Result>
}

export interface WebRequest {
  readonly url: URL
  readonly init?: Omit<RequestInit, 'signal'> | undefined
  readonly timeoutMs: number
}

/** `signal` aborts with the call, and when the time is over. */
export type WebWork<Result> = (response: Response, signal: AbortSignal) => Promise<Result>

/** The longest that a tool may take beside its own deadline, which comes first and tells more. */
export const spareMs = 5000

/** Without a policy of their own the tools reach public https addresses, whatever `ctx.fetch` could. */
export function webAccess({ host = webHost }: Environment, policy: Policy | undefined): WebAccess {
  const fetchOf = ({ fetch }: ToolContext): Fetch =>
    policy === undefined ? guardedFetch(fetch) : guardedFetch(policy.guardFetch(fetch), anywhere)
  return {
    fetchOf,
    maxContentChars: (policy as Partial<ReadyPolicy> | undefined)?.maxContentChars ?? 50_000,
    ask: async ({ url, init, timeoutMs }, context, work) => {
      const late = new SameloopError('tool-timeout', `Cannot wait for "${url.origin}" any longer than ${timeoutMs} ms`)
      const time = deadline(host, { ms: timeoutMs, signal: context.signal, reason: () => late })
      try {
        const asked = fetchOf(context)(url.href, { ...init, signal: time.signal })
        return await work(await heeding(time.signal, asked), time.signal)
      } catch (cause) {
        if (isSameloopError(cause)) throw cause
        // A fetch may fail with words of its own when it is aborted.
        time.signal.throwIfAborted()
        throw new SameloopError('source-failed', unreachable(url), { cause, retryable: true })
      } finally {
        time.release()
      }
    },
  }
}

/** What a promise gives, or the signal's reason when that comes first: a fetch need not know its signal. */
function heeding<Value>(signal: AbortSignal, promise: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const forget = listen(signal, reject)
    promise.then(resolve, reject).finally(forget)
  })
}

/** What may be reached is for the policy to say: this one only keeps credentials from other sites on redirects. */
const anywhere = { httpsOnly: false, allowPrivateHosts: true, maxResponseBytes: Infinity }

// A page is not told which of the two it was.
const unreachable = ({ origin }: URL): string =>
  `Cannot reach "${origin}": there is no connection or, in a web page, the site does not let other sites read it (CORS). A page then needs a server of its own that asks in its place`

/** The URL that a model gave, or in words why it is none. */
export function webUrl(text: string): URL | string {
  const wanted = 'wanted one that begins with "https://"'
  if (text.length > maxUrlChars) return `The URL has more than ${maxUrlChars} characters`
  try {
    const url = new URL(text.trim())
    // It is never sent.
    url.hash = ''
    return /^https?:$/.test(url.protocol) ? url : `The URL has the scheme "${url.protocol}": ${wanted}`
  } catch {
    return `${JSON.stringify(text.slice(0, 200))} is no URL: ${wanted}`
  }
}

const maxUrlChars = 8000
