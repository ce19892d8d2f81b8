// The network as `curl` wants it, over the `fetch` that the command has.
import type { BashOptions } from 'just-bash/browser'
import type { Fetch } from '../../../src/host/host.ts'

type ShellFetch = NonNullable<BashOptions['fetch']>

/** The most bytes of an answer. */
const maxAnswer = 10 * 2 ** 20

/** Where it may reach, and how much, `fetch` decides; nothing is asked here. */
export function fetchForShell(fetch: Fetch): ShellFetch {
  return async (url, { method = 'GET', headers = {}, body, followRedirects = true, signal } = {}) => {
    const response = await fetch(url, {
      method,
      headers: new Headers(headers),
      redirect: followRedirects ? 'follow' : 'manual',
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    })
    const { status, statusText } = response
    const bytes = new Uint8Array(await response.arrayBuffer())
    if (bytes.length > maxAnswer) throw new Error(`the answer has more than ${maxAnswer} bytes`)
    return { status, statusText, headers: Object.fromEntries(response.headers), body: bytes, url: response.url || url }
  }
}
