// The network as `curl` wants it, over the `fetch` that the command has.
import type { BashOptions } from 'just-bash/browser'
import type { Fetch } from '../../../src/host/host.ts'
import { joinBytes } from '../../../src/stream/bytes.ts'

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
    const bytes = await bodyOf(response)
    return { status, statusText, headers: Object.fromEntries(response.headers), body: bytes, url: response.url || url }
  }
}

async function bodyOf(response: Response): Promise<Uint8Array> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
    size += part.value.length
    chunks.push(part.value)
    if (size <= maxAnswer) continue
    await reader?.cancel().catch(() => undefined)
    throw new Error(`the answer has more than ${maxAnswer} bytes`)
  }
  return joinBytes(chunks)
}
