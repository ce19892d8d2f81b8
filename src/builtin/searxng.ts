// SearXNG, a search engine that anybody can run, as what `web_search` asks.
import { SameloopError } from '../error/error.ts'
import type { Fetch } from '../host/host.ts'
import { readBytes } from '../http/body.ts'
import { serverAddress } from '../http/address.ts'
import { setHeader } from '../http/header.ts'
import { scrubber } from '../http/scrub.ts'
import { resolvedHeaders } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'
import { parseJson } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Search, SearchHit } from './web-search.ts'

export interface SearxngOptions {
  /** Of the instance, for example `https://search.example.com`. Its settings must allow the format `json`. */
  readonly url: string
  /** Sent with each request. A function is asked each time. */
  readonly headers?: Readonly<Record<string, Secret>> | undefined
  /** Default: the fetch of the call, which the policy guards. A fetch given here is not guarded by it. */
  readonly fetch?: Fetch | undefined
}

const maxBytes = 2 * 2 ** 20

/** A search that asks one SearXNG instance. Throws `config-invalid` for a url that is none. */
export function searxng({ url, headers = {}, fetch: ownFetch }: SearxngOptions): Search {
  const endpoint = endpointOf(url)
  return async ({ query, count }, { fetch, signal }) => {
    const failed = (why: string): SameloopError =>
      new SameloopError('source-failed', `Cannot search with "${endpoint.origin}": ${why}`)
    const asked = new URL(endpoint)
    asked.search = new URLSearchParams({ q: query, format: 'json' }).toString()
    const given = await resolvedHeaders(headers)
    const sent = new Headers({ accept: 'application/json' })
    for (const [name, value] of Object.entries(given.headers)) setHeader(sent, name, value)
    const scrub = scrubber(given.secrets)
    const response = await (ownFetch ?? fetch)(asked.href, { headers: sent, signal })
    if (response.status === 403) throw failed('it refuses, as it does where its settings do not allow the format json')
    if (!response.ok) throw failed(`it answered with status ${response.status}`)
    const bytes = await readBytes(response.body, maxBytes, signal)
    if (bytes === undefined) throw failed(`its answer has more than ${maxBytes} bytes`)
    const answer = parseJson(new TextDecoder().decode(bytes))
    const results = answer.ok ? own(answer.value, 'results') : undefined
    if (!Array.isArray(results)) throw failed('its answer has no list of results')
    return results.slice(0, count).map((result) => hitOf(result, scrub))
  }
}

function hitOf(result: unknown, scrub: (text: string) => string): SearchHit {
  const text = (key: string): string => {
    const value = own(result, key)
    return typeof value === 'string' ? scrub(value) : ''
  }
  return { url: text('url'), title: text('title'), text: text('content') }
}

function endpointOf(text: string): URL {
  const url = serverAddress(text)
  if (typeof url === 'string') throw new SameloopError('config-invalid', `Cannot search with SearXNG: ${url}`)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/search`
  return url
}
