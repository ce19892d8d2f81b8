// The host made of web globals; every runtime we support has them.
import type { Host } from './host.ts'

const longestTimer = 2 ** 31 - 1

/** Web Crypto refuses views over shared memory in its types; a copy is always plain. */
const plain = (data: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(data)

/**
 * The host of the current runtime. Nothing is touched until a member is called, so importing is free of side effects.
 * `fetch` is looked up at each call: a page or a test may replace the global.
 */
export const webHost: Host = {
  fetch: (input, init) => globalThis.fetch(input, init),
  now: () => Date.now(),
  id: (prefix) => prefix + crypto.randomUUID().replaceAll('-', '').slice(0, 24),
  random: () => Math.random(),
  timer: (ms, fire) => {
    const handle = setTimeout(fire, Math.min(Math.max(0, ms), longestTimer))
    return () => clearTimeout(handle)
  },
  digest: async (data) => new Uint8Array(await crypto.subtle.digest('SHA-256', plain(data))),
  hmac: async (key, data) => {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const imported = await crypto.subtle.importKey('raw', plain(key), algorithm, false, ['sign'])
    return new Uint8Array(await crypto.subtle.sign('HMAC', imported, plain(data)))
  },
}
