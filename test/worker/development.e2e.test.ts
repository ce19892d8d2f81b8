// What `npm start` serves without a token: only what was really asked through a loopback address.
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Workshop } from './workerd.ts'
import { wranglerWorkshop } from './wrangler.ts'

let shop: Workshop
let url = ''

beforeAll(async () => {
  shop = wranglerWorkshop()
  url = (await shop.serve({ DEV: '1' })).url
}, 60_000)
afterAll(() => shop?.close())

function status(path: string, headers: Record<string, string>, method = 'GET'): Promise<number> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, headers, method }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('development by wrangler', () => {
  it('serves a page of this machine, for which the browser vouches by headers that no page can set', async () => {
    for (const site of ['same-origin', 'none']) {
      expect([site, await status('/api/health', { 'sec-fetch-site': site })]).toEqual([site, 200])
    }
    expect(await status('/api/sessions', { origin: url, 'sec-fetch-site': 'same-origin' }, 'POST')).toBe(200)
    for (const site of ['same-site', 'cross-site']) {
      expect([site, await status('/api/health', { 'sec-fetch-site': site })]).toEqual([site, 503])
    }
  })

  it('refuses a page of another name that was rebound to this machine', async () => {
    expect(await status('/api/health', { host: 'evil.example' })).toBe(503)
    expect(await status('/api/health', { host: 'evil.example', 'x-forwarded-host': 'localhost' })).toBe(503)
  })

  it('is not told otherwise by a header of its own tools, which such a page may send', async () => {
    const headers = { host: 'evil.example', 'mf-original-url': 'http://localhost/api/health' }
    expect(await status('/api/health', headers)).toBe(503)
  })

  it('makes no session for a page of another origin, whatever it sends', async () => {
    const { port } = new URL(url)
    const host = `evil.example:${port}`
    for (const more of [{}, { 'mf-original-url': `http://localhost:${port}/api/sessions` }]) {
      expect([403, 503]).toContain(await status('/api/sessions', { host, origin: `http://${host}`, ...more }, 'POST'))
    }
  })
})
