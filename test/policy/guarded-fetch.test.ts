import { describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/host/host.ts'
import { guardedFetch } from '../../src/policy/guarded-fetch.ts'

interface Seen {
  readonly url: string
  readonly init: RequestInit
}

/** A server of canned answers that remembers what it was asked. */
function server(answers: Record<string, () => Response>): { fetch: Fetch; seen: Seen[] } {
  const seen: Seen[] = []
  const fetch: Fetch = async (input, init = {}) => {
    seen.push({ url: String(input), init })
    return answers[String(input)]?.() ?? new Response('none', { status: 404 })
  }
  return { fetch, seen }
}

const redirect =
  (to: string, status = 302) =>
  () =>
    new Response('moved', { status, headers: { location: to } })
const denied = (words: string) =>
  expect.objectContaining({ code: 'tool-denied', message: expect.stringContaining(words) })

describe('guardedFetch()', () => {
  it('asks nothing of an address the limits refuse', async () => {
    const { fetch, seen } = server({})
    const guarded = guardedFetch(fetch)
    await expect(guarded('http://example.com/')).rejects.toEqual(denied('only https'))
    await expect(guarded('https://10.0.0.1/')).rejects.toEqual(denied('not on the public internet'))
    await expect(guarded('nonsense')).rejects.toEqual(denied('not a valid URL'))
    expect(seen).toEqual([])
  })

  it('passes an answer on as it came, with its address', async () => {
    const { fetch } = server({
      'https://a.example/x': () =>
        new Response('body', { status: 201, statusText: 'Made', headers: { 'x-a': '1', 'content-encoding': 'gzip' } }),
    })
    const response = await guardedFetch(fetch)('https://a.example/x')
    expect([
      response.status,
      response.statusText,
      response.url,
      response.headers.get('x-a'),
      await response.text(),
    ]).toEqual([201, 'Made', 'https://a.example/x', '1', 'body'])
    expect(response.headers.get('content-encoding')).toBeNull()
  })

  it('checks every hop of a redirect', async () => {
    const { fetch, seen } = server({
      'https://a.example/': redirect('/two'),
      'https://a.example/two': redirect('https://b.example/'),
      'https://b.example/': redirect('https://169.254.169.254/latest/meta-data'),
    })
    await expect(guardedFetch(fetch)('https://a.example/')).rejects.toEqual(denied('169.254.169.254'))
    expect(seen.map(({ url }) => url)).toEqual(['https://a.example/', 'https://a.example/two', 'https://b.example/'])
    expect(seen.every(({ init }) => init.redirect === 'manual')).toBe(true)
  })

  it('refuses a redirect to plain http, and one to a place that is not allowed', async () => {
    const { fetch } = server({
      'https://a.example/': redirect('http://a.example/'),
      'https://a.example/b': redirect('https://b.example/'),
    })
    await expect(guardedFetch(fetch)('https://a.example/')).rejects.toEqual(denied('only https'))
    await expect(guardedFetch(fetch, { allow: ['a.example'] })('https://a.example/b')).rejects.toEqual(
      denied('not on the list'),
    )
  })

  it('follows five redirects and no more', async () => {
    const answers = Object.fromEntries(
      Array.from({ length: 6 }, (_, index) => [`https://a.example/${index}`, redirect(`/${index + 1}`)]),
    )
    const { fetch, seen } = server({ ...answers, 'https://a.example/6': () => new Response('end') })
    await expect(guardedFetch(fetch)('https://a.example/0')).rejects.toEqual(denied('more than 5 times'))
    expect(seen).toHaveLength(6)
    expect(await (await guardedFetch(fetch)('https://a.example/1')).text()).toBe('end')
  })

  it('keeps credentials with the origin they were meant for', async () => {
    const { fetch, seen } = server({
      'https://a.example/': redirect('/same'),
      'https://a.example/same': redirect('https://b.example/'),
      'https://b.example/': () => new Response('b'),
    })
    await guardedFetch(fetch)('https://a.example/', {
      headers: { authorization: 'Bearer s', cookie: 'c', 'x-api-key': 'k', accept: 'text/html', host: 'internal' },
    })
    const names = seen.map(({ init }) => [...new Headers(init.headers).keys()])
    expect(names).toEqual([
      ['accept', 'authorization', 'cookie', 'x-api-key'],
      ['accept', 'authorization', 'cookie', 'x-api-key'],
      ['accept'],
    ])
  })

  it('goes on as GET without a body after 303, and after 301 or 302 of a POST; 307 repeats it', async () => {
    const hop = async (status: number) => {
      const { fetch, seen } = server({
        'https://a.example/': redirect('/b', status),
        'https://a.example/b': () => new Response('b'),
      })
      await guardedFetch(fetch)(
        new Request('https://a.example/', { method: 'POST', body: 'data', headers: { 'content-type': 'text/plain' } }),
      )
      const { init } = seen[1]!
      return [init.method, init.body === null, new Headers(init.headers).has('content-type')]
    }
    expect(await hop(303)).toEqual(['GET', true, false])
    expect(await hop(302)).toEqual(['GET', true, false])
    expect(await hop(307)).toEqual(['POST', false, true])
  })

  it('refuses a redirect where the runtime hides where to', async () => {
    const opaque = Object.defineProperty(new Response(null), 'type', { value: 'opaqueredirect' })
    await expect(guardedFetch(async () => opaque)('https://a.example/')).rejects.toEqual(
      denied('does not show where to'),
    )
  })

  it('does not use the answer of a fetch that followed a redirect by itself to a refused place', async () => {
    const followed = Object.defineProperties(new Response('secret'), {
      redirected: { value: true },
      url: { value: 'https://10.0.0.1/' },
    })
    await expect(guardedFetch(async () => followed)('https://a.example/')).rejects.toEqual(denied('10.0.0.1'))
  })

  it('leaves the redirect to a caller who asks for that', async () => {
    const { fetch } = server({ 'https://a.example/': redirect('/b') })
    expect((await guardedFetch(fetch)('https://a.example/', { redirect: 'manual' })).status).toBe(302)
    await expect(guardedFetch(fetch)('https://a.example/', { redirect: 'error' })).rejects.toEqual(
      denied('it redirects'),
    )
  })

  it('stops an answer that grows beyond the limit, and cancels its source', async () => {
    let cancelled = false
    let sent = 0
    const body = () =>
      new ReadableStream<Uint8Array>({
        pull: (controller) => {
          sent += 1
          controller.enqueue(new Uint8Array(400))
        },
        cancel: () => {
          cancelled = true
        },
      })
    const response = await guardedFetch(async () => new Response(body()), { maxResponseBytes: 1000 })(
      'https://a.example/',
    )
    await expect(response.arrayBuffer()).rejects.toMatchObject({ code: 'stream-too-large', data: { limit: 1000 } })
    expect(cancelled).toBe(true)
    expect(sent).toBeLessThan(6)
  })

  it('gives all up to the limit, however it is cut into pieces', async () => {
    const fetch = guardedFetch(async () => new Response('x'.repeat(500)), { maxResponseBytes: 100 })
    const reader = (await fetch('https://a.example/')).body!.getReader()
    expect((await reader.read()).value?.length).toBe(100)
    await expect(reader.read()).rejects.toMatchObject({ code: 'stream-too-large' })
  })

  it('refuses an answer that says it is too large, before reading it', async () => {
    const { fetch } = server({
      'https://a.example/': () => new Response('x'.repeat(20), { headers: { 'content-length': '20' } }),
    })
    await expect(guardedFetch(fetch, { maxResponseBytes: 19 })('https://a.example/')).rejects.toMatchObject({
      code: 'stream-too-large',
    })
    expect(await (await guardedFetch(fetch, { maxResponseBytes: 20 })('https://a.example/')).text()).toHaveLength(20)
  })
})

describe('guardedFetch() with a resolver', () => {
  const names: Record<string, readonly string[] | undefined> = {
    'fine.example': ['93.184.216.34', '2606:2800:220:1::1'],
    'inside.example': ['93.184.216.34', '10.0.0.5'],
    'six.example': ['fd00::1'],
    'mapped.example': ['::ffff:127.0.0.1'],
  }
  const asked: string[] = []
  const resolve = async (host: string) => (asked.push(host), names[host])
  const ok = () => new Response('ok')

  it.each([
    ['fine.example', true],
    ['inside.example', false],
    ['six.example', false],
    ['mapped.example', false],
    ['unknown.example', true],
  ])('%s: %s', async (host, isFine) => {
    const { fetch } = server({ [`https://${host}/`]: ok })
    const answer = guardedFetch(fetch, { resolve })(`https://${host}/`)
    await (isFine
      ? expect(answer).resolves.toMatchObject({ status: 200 })
      : expect(answer).rejects.toEqual(denied('its name leads')))
  })

  it('asks again for every hop, and of no address', async () => {
    asked.length = 0
    const { fetch, seen } = server({
      'https://93.184.216.34/': redirect('https://fine.example/'),
      'https://fine.example/': redirect('https://inside.example/'),
      'https://inside.example/': ok,
    })
    await expect(guardedFetch(fetch, { resolve })('https://93.184.216.34/')).rejects.toEqual(denied('its name leads'))
    expect(asked).toEqual(['fine.example', 'inside.example'])
    expect(seen).toHaveLength(2)
  })

  it('judges by spelling alone where the resolver fails, and asks nothing where private hosts are allowed', async () => {
    const { fetch } = server({ 'https://inside.example/': ok })
    const broken = () => Promise.reject(new Error('no network'))
    expect(await guardedFetch(fetch, { resolve: broken })('https://inside.example/')).toMatchObject({ status: 200 })
    expect(await guardedFetch(fetch, { resolve, allowPrivateHosts: true })('https://inside.example/')).toMatchObject({
      status: 200,
    })
  })
})
