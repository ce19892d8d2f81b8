import { describe, expect, it } from 'vitest'
import { urlCheck } from '../../src/policy/url-rule.ts'

const allowed = (limits: Parameters<typeof urlCheck>[0], urls: readonly string[]) =>
  urls.filter((url) => urlCheck(limits)(url) === undefined)

describe('urlCheck()', () => {
  it('allows public https and nothing else by default', () => {
    expect(
      allowed({}, [
        'https://example.com/',
        'http://example.com/',
        'ftp://example.com',
        'file:///etc/passwd',
        'data:text/plain,x',
        'javascript:1',
        'https://127.0.0.1/',
        'https://[::1]/',
        'https://localhost/',
        'https://0x7f.1',
        'https://metadata.google.internal/',
        'nonsense',
        '//x',
      ]),
    ).toEqual(['https://example.com/'])
  })

  it('refuses a user name or password, which only serve to deceive', () => {
    expect(urlCheck()('https://example.com@evil.tld/')).toContain('user name')
    expect(urlCheck()('https://user:pw@example.com/')).toContain('user name')
  })

  it('opens http and the own network only when told to', () => {
    expect(allowed({ httpsOnly: false }, ['http://example.com', 'http://localhost:3000'])).toEqual([
      'http://example.com',
    ])
    expect(allowed({ httpsOnly: false, allowPrivateHosts: true }, ['http://localhost:3000'])).toHaveLength(1)
  })

  it('matches hosts, never texts that begin or end like one', () => {
    const urls = [
      'https://example.com/a',
      'https://example.com.evil.tld/',
      'https://evilexample.com/',
      'https://sub.example.com/',
      'https://EXAMPLE.com./',
    ]
    expect(allowed({ allow: ['example.com'] }, urls)).toEqual(['https://example.com/a', 'https://EXAMPLE.com./'])
    expect(allowed({ allow: ['https://example.com'] }, urls)).toEqual([
      'https://example.com/a',
      'https://EXAMPLE.com./',
    ])
    expect(allowed({ allow: ['*.example.com'] }, urls)).toEqual(['https://sub.example.com/'])
    expect(allowed({ allow: ['*'] }, urls)).toEqual(urls)
    expect(allowed({ allow: ['bücher.example'] }, ['https://xn--bcher-kva.example/'])).toHaveLength(1)
  })

  it('refuses a rule with a star in the middle of a host, which would mean something else', () => {
    for (const rule of [
      'https://example.com*',
      'exam*ple.com',
      '*.*',
      'https://a b',
      'ftp://x.org',
      '',
      'https://user@x.org',
      '*.*.com',
    ])
      expect(() => urlCheck({ allow: [rule] }), rule).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  })

  it('allows nothing with an empty list', () => {
    expect(allowed({ allow: [] }, ['https://example.com/'])).toEqual([])
  })

  it('lets deny win over allow', () => {
    expect(
      allowed({ allow: ['*.example.com', 'example.com'], deny: ['admin.example.com', 'example.com/secret/*'] }, [
        'https://example.com/',
        'https://admin.example.com:8443/',
        'https://example.com/secret/x',
        'https://www.example.com/',
      ]),
    ).toEqual(['https://example.com/', 'https://www.example.com/'])
  })

  it('takes the default port unless the rule names another', () => {
    const urls = ['https://example.com/', 'https://example.com:443/', 'https://example.com:8443/']
    expect(allowed({ allow: ['example.com'] }, urls)).toEqual(urls.slice(0, 2))
    expect(allowed({ allow: ['example.com:8443'] }, urls)).toEqual(urls.slice(2))
    expect(allowed({ allow: ['example.com:*'] }, urls)).toEqual(urls)
  })

  it('matches paths whole, and in the plain form a server may read', () => {
    const allow = ['https://example.com/api/*']
    const urls = [
      'https://example.com/api/x/y?q=1',
      'https://example.com/apix',
      'https://example.com/api/../admin',
      'https://example.com/api/%2e%2e/admin',
      'https://example.com/api/..%2fadmin',
      'https://example.com/api/%2e%2e%5cadmin',
    ]
    expect(allowed({ allow }, urls)).toEqual(urls.slice(0, 1))
    const hidden = [
      'https://example.com/%61dmin/x',
      'https://example.com//admin/x',
      'https://example.com/x/..%2fadmin/x',
      'https://example.com/admin/x',
    ]
    expect(allowed({ deny: ['example.com/admin/*'] }, hidden)).toEqual([])
  })
})
