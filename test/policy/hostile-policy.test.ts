// The policy: odd spellings of addresses and paths, redirects, and the names of tools.
import { describe, expect, it } from 'vitest'
import { guardedFetch } from '../../src/policy/guarded-fetch.ts'
import { policy } from '../../src/policy/policy.ts'
import { urlCheck } from '../../src/policy/url-rule.ts'
import { calls, made, rig } from '../agent/rig.ts'

describe('urls', () => {
  const check = urlCheck({ httpsOnly: false })
  it.each(
    [
      'http://127.0.0.1',
      'http://127.1',
      'http://2130706433',
      'http://0x7f000001',
      'http://0177.0.0.1',
      'http://0',
      'http://127.0.0.1.',
      'http://localhost',
      'http://LOCALHOST.',
      'http://foo.localhost',
      'http://[::1]',
      'http://[::]',
      'http://[::ffff:127.0.0.1]',
      'http://[::ffff:7f00:1]',
      'http://[0:0:0:0:0:ffff:10.0.0.1]',
      'http://[64:ff9b::7f00:1]',
      'http://[64:ff9b:1::1]',
      'http://[2002:7f00:1::]',
      'http://[2001:0:1::1]',
      'http://[fe80::1]',
      'http://[fc00::1]',
      'http://[::127.0.0.1]',
      'http://[::ffff:0:127.0.0.1]',
      'http://１２７.0.0.1',
      'http://127。0。0。1',
      'http://①②⑦.⓪.⓪.①',
      'http://%31%32%37.0.0.1',
      'http://user@127.0.0.1',
      'http://example.com@127.0.0.1',
      'http://example.com#@127.0.0.1/..//\\',
      'http://169.254.169.254',
      'http://metadata',
      'http://metadata.google.internal',
      'http://100.100.100.200',
      'http://192.168.1.1',
      'http://10.1',
      'http://172.31.255.255',
      'http://0.0.0.0',
      'http://255.255.255.255',
      'http://router.local',
      'http://x.home.arpa',
      'file:///etc/passwd',
      'ftp://example.com',
      'data:text/plain,x',
      'blob:https://example.com/1',
      'javascript:1',
      'http://[::1%25eth0]',
      'http://168.63.129.16',
      'http://[::ffff:169.254.169.254]',
      'http://[64:ff9b::a9fe:a9fe]',
      'http://[2001:db8::1]',
      'http://[5f00::1]',
      'http://[100::1]',
      'http://[2001:20::1]',
    ].filter((url) => !url.startsWith('http://example.com#')),
  )('%s is refused', (url) => {
    expect(check(url)).toBeTypeOf('string')
  })
  it('public ones pass', () => {
    for (const url of [
      'http://example.com',
      'https://8.8.8.8',
      'https://[2606:4700::1111]',
      'https://münchen.de',
      'http://example.com.',
    ])
      expect(check(url)).toBeUndefined()
  })
  it('rules hold for odd spellings of a path and host', () => {
    const deny = urlCheck({ deny: ['example.com/admin*'] })
    for (const url of [
      'https://example.com/admin',
      'https://example.com//admin',
      'https://EXAMPLE.com./admin',
      'https://example.com/%61dmin',
      'https://example.com/x/../admin',
      'https://example.com/x%2f..%2fadmin',
      'https://example.com/x/%2e%2e/admin',
      'https://example.com\\admin',
      'https://example.com:444/admin',
      'https://example.com/./admin/',
    ])
      expect(deny(url), url).toBeTypeOf('string')
    const allow = urlCheck({ allow: ['example.com/api/*'] })
    for (const url of [
      'https://example.com/api/..%2fadmin',
      'https://example.com/api/%2e%2e/admin',
      'https://example.com/api\\..\\admin',
      'https://example.com/api/%2e%2e%2fadmin',
      'https://example.com.evil.com/api/x',
      'https://evil.com/example.com/api/x',
      'https://example.com:81/api/x',
      'https://example.com/API/x',
    ])
      expect(allow(url), url).toBeTypeOf('string')
  })
})

describe('the guarded fetch', () => {
  const hop = (location: string, status = 302): Response => new Response(null, { status, headers: { location } })
  it('checks every hop and drops credentials at another origin', async () => {
    const seen: { url: string; headers: Record<string, string>; method: string }[] = []
    const fetch = guardedFetch(async (url, init) => {
      seen.push({
        url: String(url),
        headers: Object.fromEntries(new Headers(init?.headers)),
        method: init?.method ?? '',
      })
      if (String(url).startsWith('https://a.com')) return hop('https://b.com/x')
      return new Response('ok')
    })
    await fetch('https://a.com/', {
      headers: { authorization: 'x', cookie: 'y', 'x-api-key': 'z', host: 'evil', accept: 'text/html' },
    })
    expect(seen[1]?.headers).toEqual({ accept: 'text/html' })
    expect(seen[0]?.headers['host']).toBeUndefined()
  })
  it.each([
    'http://127.0.0.1/',
    '//169.254.169.254/',
    'https://user@b.com/',
    'file:///etc/passwd',
    'http://b.com/',
    'https://[::1]/',
    'data:text/html,x',
  ])('refuses a redirect to %s', async (location) => {
    const fetch = guardedFetch(async (url) =>
      String(url) === 'https://a.com/' ? hop(location) : new Response('reached'),
    )
    await expect(fetch('https://a.com/')).rejects.toMatchObject({ code: 'tool-denied' })
  })
  it('caps bodies, also when a clone is read', async () => {
    const big = (): Response =>
      new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65536)) }))
    const fetch = guardedFetch(async () => big(), { maxResponseBytes: 100_000 })
    await expect((await fetch('https://a.com/')).text()).rejects.toMatchObject({ code: 'stream-too-large' })
    await expect((await fetch('https://a.com/')).clone().arrayBuffer()).rejects.toMatchObject({
      code: 'stream-too-large',
    })
  })
  it('takes a Request with its method, headers and body', async () => {
    let got: unknown
    const fetch = guardedFetch(async (url, init) => {
      got = [
        String(url),
        init?.method,
        new Headers(init?.headers).get('x'),
        await new Response(init?.body as never).text(),
      ]
      return new Response('ok')
    })
    await fetch(new Request('https://a.com/', { method: 'PUT', headers: { x: '1' }, body: 'body' }))
    expect(got).toEqual(['https://a.com/', 'PUT', '1', 'body'])
  })
  it('a 307 does not take the body to another origin with credentials', async () => {
    const seen: Headers[] = []
    const fetch = guardedFetch(async (url, init) => {
      seen.push(new Headers(init?.headers))
      return String(url).startsWith('https://a') ? hop('https://b.com/', 307) : new Response('ok')
    })
    await fetch('https://a.com/', { method: 'POST', body: 'x', headers: { Authorization: 'k' } })
    expect(seen[1]?.get('authorization')).toBeNull()
  })
})

it('a policy that denies a tool by the name the model sees denies it under its own name', async () => {
  let ran = 0
  const { assistant } = rig([calls('fs_wipe'), 'done'], {
    tools: [made('fs.wipe', () => ++ran)],
    policy: policy({ tools: { deny: ['fs_wipe'] } }),
  })
  await assistant.run('go').result
  expect(ran).toBe(0)
})
