// Resolvers, redirects and spellings that lead elsewhere.
import { describe, expect, it } from 'vitest'
import type { Fetch } from '../../src/host/host.ts'
import { guardedFetch } from '../../src/policy/guarded-fetch.ts'
import { policy } from '../../src/policy/policy.ts'
import { urlCheck } from '../../src/policy/url-rule.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { within } from '../agent/rig.ts'

const ok: Fetch = async () => new Response('x')
const redirecting = (status: number, location: string): Fetch => {
  const first = new Response(null, { status, headers: { location } })
  return async (url) => (String(url).startsWith('https://a.example') ? first : new Response('x'))
}

describe('guardedFetch() with a hostile resolver', () => {
  it('goes by the spelling where it throws', async () => {
    const resolve = (() => {
      throw new Error('engine')
    }) as never
    expect(await guardedFetch(ok, { resolve })('https://a.example/')).toMatchObject({ status: 200 })
  })

  it('leaves one that hangs when it is aborted', async () => {
    const controller = new AbortController()
    const fetch = guardedFetch(ok, { resolve: () => new Promise(() => {}) })
    const asked = fetch('https://a.example/', { signal: controller.signal }).catch((error: Error) => error.name)
    controller.abort()
    expect(await within(asked)).toBe('AbortError')
  })

  it.each([
    ['127.0.0.1'],
    [null],
    [[null]],
    [[1]],
    [['']],
    [['not an address']],
    [['::1']],
    [['::ffff:10.0.0.1']],
    [['010.0.0.1']],
    [['0x7f.1']],
    [['1.1.1.1', 'fd00::1']],
  ])('refuses %j, which is no list of public addresses', async (answer) => {
    const fetch = guardedFetch(ok, { resolve: (async () => answer) as never })
    await expect(fetch('https://a.example/')).rejects.toMatchObject({ code: 'tool-denied' })
  })

  it('asks it for each hop', async () => {
    const asked: string[] = []
    const resolve = async (host: string) => (asked.push(host), ['1.1.1.1'])
    await guardedFetch(redirecting(302, 'https://B.example/x'), { resolve })('https://a.example/')
    expect(asked).toEqual(['a.example', 'b.example'])
  })

  it('sends a streamed body once', async () => {
    const body = new ReadableStream({ start: (controller) => controller.close() })
    const asked = guardedFetch(redirecting(307, 'https://b.example/'))('https://a.example/', { method: 'POST', body })
    await expect(asked).rejects.toMatchObject({ code: 'tool-denied' })
  })
})

describe('a URL rule', () => {
  it.each([
    'https://example.com@evil.example/',
    'https://evil.example/?example.com',
    'https://example.com.evil.example/',
    'https://evil.example#example.com',
    'https://exam\u00adple.com.evil.example/',
    'https://evilexample.com/',
    'https://example.com:444/',
  ])('that allows example.com does not allow %s', (url) => {
    expect(urlCheck({ allow: ['example.com'] })(url)).toBeDefined()
  })

  it.each([
    'https://example.com/api/../admin',
    'https://example.com/%61dmin',
    'https://example.com//admin',
    'https://example.com/%2561dmin',
    'https://example.com/./admin',
    'https://example.com/x/..;/admin',
    'https://example.com/x/%2e%2e;a=b/admin',
    'https://example.com/admin;x',
    'https://example.com/admin%00',
  ])('that denies /admin* denies %s', (url) => {
    expect(urlCheck({ deny: ['example.com/admin*'] })(url)).toBeDefined()
    expect(urlCheck({ allow: ['example.com/x/*'] })(url)).toBeDefined()
  })
})

describe('a protected file', () => {
  it('is kept from odd spellings, and from what happens to its directory', async () => {
    const inner = memoryFiles()
    await inner.write('/a/.env', new Uint8Array([1]), { parents: true })
    const files = policy({ protectedPaths: ['.env'] }).confineFiles(inner)
    for (const path of ['/a/./.env', '/a//.env', '/a/b/../.env', 'a/.env', '/a/.ENV', '/a/.env/', '/a/.env/.'])
      await expect(files.read(path)).rejects.toMatchObject({ code: expect.stringMatching(/^vfs-/) })
    await expect(files.rename('/a', '/b')).rejects.toMatchObject({ code: 'vfs-denied' })
    await expect(files.rm('/a', { recursive: true })).rejects.toMatchObject({ code: 'vfs-denied' })
  })
})
