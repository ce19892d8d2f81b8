// The policy, the guarded fetch, the files, and where secrets may go.
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { agent } from '../../../src/agent/agent.ts'
import { builtinTools } from '../../../src/builtin/builtin.ts'
import { anthropic } from '../../../src/dialect/anthropic.ts'
import { openaiChat } from '../../../src/dialect/openai-chat.ts'
import { hostWithFetch, webHost } from '../../../src/host/web-host.ts'
import type { Model } from '../../../src/model/model.ts'
import { guardedFetch } from '../../../src/policy/guarded-fetch.ts'
import { policy } from '../../../src/policy/policy.ts'
import { urlCheck } from '../../../src/policy/url-rule.ts'
import { memoryFiles } from '../../../src/vfs/memory.ts'
import { writeText, readText } from '../../../src/vfs/text.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { call, calls, eventsOf, made, results, rig, within } from './rig.ts'

const key = 'sk-secret-0123456789abcdef'
const dialects: readonly (readonly [string, (options: object) => Model])[] = [
  ['openai', (options) => openaiChat({ model: 'm', apiKey: key, ...options })],
  ['anthropic', (options) => anthropic({ model: 'm', apiKey: key, ...options } as never)],
]

async function everything(model: Model): Promise<string> {
  const seen: unknown[] = []
  const run = agent({ model, env: { host: webHost }, hooks: { onEvent: (event) => seen.push(event) } }).run('go')
  const result = await run.result
  const { error } = result
  return JSON.stringify([seen, { ...result, error: undefined }, result.snapshot, error && { ...error, message: error.message, data: error.data, code: error.code }])
}

describe.each(dialects)('the key of %s is in no event, result, error or snapshot', (name, make) => {
  const answers: readonly (readonly [string, () => Response])[] = [
    ['a JSON error', () => Response.json({ error: { message: `bad key ${key}`, type: key, code: key } }, { status: 401 })],
    ['an HTML error', () => new Response(`<p>${key}</p>`, { status: 403, headers: { 'content-type': 'text/html' } })],
    ['a good HTML page', () => new Response(`<p>${key}</p>`, { headers: { 'content-type': 'text/html' } })],
    ['the content type', () => new Response('x', { headers: { 'content-type': `text/html; key=${key}` } })],
    ['a text error with the key in pieces', () => new Response(`${key.slice(0, 9)}\n${key}`, { status: 400 })],
    ['an error in the stream', () => new Response(`event: error\ndata: {"type":"error","error":{"type":"${key}","message":"no ${key}"}}\n\n`, { headers: { 'content-type': 'text/event-stream' } })],
    ['data that is no JSON', () => new Response(`data: ${key}\n\n`, { headers: { 'content-type': 'text/event-stream' } })],
    ['a finish reason', () => new Response(name === 'openai' ? `data: {"choices":[{"delta":{"content":"x"},"finish_reason":"${key}"}]}\n\ndata: [DONE]\n\n` : `data: {"type":"message_start","message":{}}\n\ndata: {"type":"message_delta","delta":{"stop_reason":"${key}"}}\n\ndata: {"type":"message_stop"}\n\n`, { headers: { 'content-type': 'text/event-stream' } })],
    ['retry-after and others', () => new Response('', { status: 429, headers: { 'retry-after': key, 'x-request-id': key } })],
    ['an escaped key in JSON', () => new Response(`{"error":{"message":"k ${[...key].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"}}`, { status: 400 })],
  ]
  it.each(answers)('although the server echoes it in %s', async (_, answer) => {
    expect(await everything(make({ fetch: async () => answer(), maxRetries: 0 }))).not.toContain(key)
  })
  it('although it came in `headers` and not as `apiKey`', async () => {
    const model = make({ apiKey: undefined, headers: { authorization: `Bearer ${key}`, 'x-api-key': key, 'api-key': key }, fetch: async () => Response.json({ error: { message: `bad key ${key}` } }, { status: 401 }) })
    expect(await everything(model)).not.toContain(key)
  })
  it('although fetch throws it', async () => {
    expect(await everything(make({ fetch: () => { throw new TypeError(`Invalid header ${key}`) }, maxRetries: 0 }))).not.toContain(key)
    expect(await everything(make({ fetch: async () => { throw new Error(`Invalid header ${key}`) }, maxRetries: 0 }))).not.toContain(key)
  })
})

const servers: Server[] = []
afterAll(() => servers.forEach((server) => server.close()))
async function listen(handle: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(handle as never)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each(dialects)('%s and redirects', (_, make) => {
  it('a redirect to another origin carries neither key nor conversation along', async () => {
    const got: string[] = []
    const evil = await listen((request: never, response: never) => {
      const { headers } = request as { headers: object }
      got.push(JSON.stringify(headers))
      ;(response as { end(): void }).end()
    })
    const good = await listen((_request: never, response: never) => {
      const to = response as { writeHead(status: number, headers: object): { end(): void } }
      to.writeHead(307, { location: `${evil}/v1/steal` }).end()
    })
    await everything(make({ baseUrl: good, maxRetries: 0 }))
    expect(got.join()).not.toContain(key)
    expect(got).toEqual([])
  })
})

describe.each(dialects)('%s', (_, make) => {
  it('sends back only tool names that a provider accepts, also when the model made one up', async () => {
    let body = ''
    const model = make({ fetch: async (_url: string, init: { body: string }) => { body = init.body; return Response.json({ error: {} }, { status: 400 }) } })
    const { assistant } = rig([calls('functions.get weather!'), 'done'])
    const { messages } = await assistant.run('go').result
    await agent({ model, env: { host: webHost } }).run(messages).result
    const names = [...body.matchAll(/"name":"([^"]*)"/g)].map((match) => match[1])
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
  })
})

describe('urls', () => {
  const check = urlCheck({ httpsOnly: false })
  it.each([
    'http://127.0.0.1', 'http://127.1', 'http://2130706433', 'http://0x7f000001', 'http://0177.0.0.1', 'http://0', 'http://127.0.0.1.', 'http://localhost', 'http://LOCALHOST.', 'http://foo.localhost',
    'http://[::1]', 'http://[::]', 'http://[::ffff:127.0.0.1]', 'http://[::ffff:7f00:1]', 'http://[0:0:0:0:0:ffff:10.0.0.1]', 'http://[64:ff9b::7f00:1]', 'http://[64:ff9b:1::1]', 'http://[2002:7f00:1::]', 'http://[2001:0:1::1]', 'http://[fe80::1]', 'http://[fc00::1]', 'http://[::127.0.0.1]', 'http://[::ffff:0:127.0.0.1]',
    'http://１２７.0.0.1', 'http://127。0。0。1', 'http://①②⑦.⓪.⓪.①', 'http://%31%32%37.0.0.1', 'http://user@127.0.0.1', 'http://example.com@127.0.0.1', 'http://example.com#@127.0.0.1/..//\\', 'http://169.254.169.254', 'http://metadata', 'http://metadata.google.internal', 'http://100.100.100.200', 'http://192.168.1.1', 'http://10.1', 'http://172.31.255.255', 'http://0.0.0.0', 'http://255.255.255.255',
    'http://router.local', 'http://x.home.arpa', 'file:///etc/passwd', 'ftp://example.com', 'data:text/plain,x', 'blob:https://example.com/1', 'javascript:1', 'http://[::1%25eth0]', 'http://168.63.129.16', 'http://[::ffff:169.254.169.254]', 'http://[64:ff9b::a9fe:a9fe]', 'http://[2001:db8::1]', 'http://[5f00::1]', 'http://[100::1]', 'http://[2001:20::1]',
  ].filter((url) => !url.startsWith('http://example.com#')))('%s is refused', (url) => {
    expect(check(url)).toBeTypeOf('string')
  })
  it('public ones pass', () => {
    for (const url of ['http://example.com', 'https://8.8.8.8', 'https://[2606:4700::1111]', 'https://münchen.de', 'http://example.com.']) expect(check(url)).toBeUndefined()
  })
  it('rules hold for odd spellings of a path and host', () => {
    const deny = urlCheck({ deny: ['example.com/admin*'] })
    for (const url of ['https://example.com/admin', 'https://example.com//admin', 'https://EXAMPLE.com./admin', 'https://example.com/%61dmin', 'https://example.com/x/../admin', 'https://example.com/x%2f..%2fadmin', 'https://example.com/x/%2e%2e/admin', 'https://example.com\\admin', 'https://example.com:444/admin', 'https://example.com/./admin/'])
      expect(deny(url), url).toBeTypeOf('string')
    const allow = urlCheck({ allow: ['example.com/api/*'] })
    for (const url of ['https://example.com/api/..%2fadmin', 'https://example.com/api/%2e%2e/admin', 'https://example.com/api\\..\\admin', 'https://example.com/api/%2e%2e%2fadmin', 'https://example.com.evil.com/api/x', 'https://evil.com/example.com/api/x', 'https://example.com:81/api/x', 'https://example.com/API/x'])
      expect(allow(url), url).toBeTypeOf('string')
  })
})

describe('the guarded fetch', () => {
  const hop = (location: string, status = 302): Response => new Response(null, { status, headers: { location } })
  it('checks every hop and drops credentials at another origin', async () => {
    const seen: { url: string; headers: Record<string, string>; method: string }[] = []
    const fetch = guardedFetch(async (url, init) => {
      seen.push({ url: String(url), headers: Object.fromEntries(new Headers(init?.headers)), method: init?.method ?? '' })
      if (String(url).startsWith('https://a.com')) return hop('https://b.com/x')
      return new Response('ok')
    })
    await fetch('https://a.com/', { headers: { authorization: 'x', cookie: 'y', 'x-api-key': 'z', host: 'evil', accept: 'text/html' } })
    expect(seen[1]?.headers).toEqual({ accept: 'text/html' })
    expect(seen[0]?.headers['host']).toBeUndefined()
  })
  it.each(['http://127.0.0.1/', '//169.254.169.254/', 'https://user@b.com/', 'file:///etc/passwd', 'http://b.com/', 'https://[::1]/', 'data:text/html,x'])('refuses a redirect to %s', async (location) => {
    const fetch = guardedFetch(async (url) => (String(url) === 'https://a.com/' ? hop(location) : new Response('reached')))
    await expect(fetch('https://a.com/')).rejects.toMatchObject({ code: 'tool-denied' })
  })
  it('caps bodies, also when a clone is read', async () => {
    const big = (): Response => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65536)) }))
    const fetch = guardedFetch(async () => big(), { maxResponseBytes: 100_000 })
    await expect((await fetch('https://a.com/')).text()).rejects.toMatchObject({ code: 'stream-too-large' })
    await expect((await fetch('https://a.com/')).clone().arrayBuffer()).rejects.toMatchObject({ code: 'stream-too-large' })
  })
  it('takes a Request with its method, headers and body', async () => {
    let got: unknown
    const fetch = guardedFetch(async (url, init) => { got = [String(url), init?.method, new Headers(init?.headers).get('x'), await new Response(init?.body as never).text()]; return new Response('ok') })
    await fetch(new Request('https://a.com/', { method: 'PUT', headers: { x: '1' }, body: 'body' }))
    expect(got).toEqual(['https://a.com/', 'PUT', '1', 'body'])
  })
  it('a 307 does not take the body to another origin with credentials', async () => {
    const seen: Headers[] = []
    const fetch = guardedFetch(async (url, init) => { seen.push(new Headers(init?.headers)); return String(url).startsWith('https://a') ? hop('https://b.com/', 307) : new Response('ok') })
    await fetch('https://a.com/', { method: 'POST', body: 'x', headers: { Authorization: 'k' } })
    expect(seen[1]?.get('authorization')).toBeNull()
  })
})

describe('file tools', () => {
  async function space(files: Record<string, string>, options: Parameters<typeof policy>[0] = {}): Promise<{ fs: Vfs; use: (name: string, input: object) => Promise<{ ok: boolean; text: string; reason: string | undefined }> }> {
    const fs = memoryFiles()
    for (const [path, text] of Object.entries(files)) await writeText(fs, path, text, { parents: true })
    const env = { fs, host: webHost }
    const rules = policy(options)
    const use = async (name: string, input: object) => {
      const { assistant } = rig([call(name, input), 'done'], { env, policy: rules, tools: builtinTools({ env, policy: rules }), approve: () => 'approve' })
      return results((await assistant.run('go').result).messages)[0] as never
    }
    return { fs, use }
  }
  const guarded = { workspaceRoot: '/work', protectedPaths: ['.env', 'secret/**', '/work/keys'] }
  const tree = { '/work/a.txt': 'a\n', '/work/.env': 'TOKEN', '/work/sub/.env': 'TOKEN', '/work/secret/x': 'TOKEN', '/work/keys/k': 'TOKEN', '/etc/passwd': 'TOKEN' }
  it.each(['/etc/passwd', '../etc/passwd', '/work/../etc/passwd', './/../work/.env', '.env', '.ENV', 'sub/.Env', 'sub/../.env', 'secret/x', 'SECRET/x', 'keys/k', '/work/keys/', 'keys', '/../../etc/passwd', '/work/keys/./k', '.env/', '/workx/../etc/passwd'])('%s is not read, listed, found, written, patched, deleted', async (path) => {
    const { fs, use } = await space(tree, guarded)
    for (const [name, input] of [
      ['fs_read', { path }], ['fs_list', { path }], ['fs_grep', { pattern: 'TOKEN', path }], ['fs_exists', { path }],
      ['fs_write', { path, contents: 'PWNED' }], ['fs_edit', { path, find: 'TOKEN', replace: 'PWNED' }],
      ['fs_patch', { path, patch: '@@ -1 +1 @@\n-TOKEN\n+PWNED\n' }], ['fs_delete', { path, recursive: true }],
    ] as const) {
      const { text, ok } = await use(name, input)
      expect(`${name} ${text}`).not.toContain('TOKEN"')
      expect(ok && name !== 'fs_grep' && name !== 'fs_list', `${name}: ${text}`).toBe(false)
      expect(text).not.toMatch(/:\d+: TOKEN/)
    }
    for (const [file, content] of Object.entries(tree)) expect(await readText(fs, file)).toBe(content)
  })
  it('globs, greps and lists show nothing protected', async () => {
    const { use } = await space(tree, guarded)
    for (const pattern of ['**', '**/*', '/**', '.env', '**/.env', '{.env,a.txt}', '[.]env', 'secret/*', '../**', '/etc/*', '/work/keys/*', '\\.env'])
      expect((await use('fs_glob', { pattern })).text, pattern).not.toMatch(/env|secret|keys|passwd/)
    const { text } = await use('fs_grep', { pattern: 'TOKEN|a' })
    expect(text).toContain('/work/a.txt')
    expect(text).not.toContain('TOKEN')
    expect((await use('fs_list', {})).text).toBe('a.txt\nsub/')
  })
  it('a directory with something protected in it is not deleted', async () => {
    const { fs, use } = await space(tree, guarded)
    expect((await use('fs_delete', { path: 'sub', recursive: true })).ok).toBe(false)
    expect(await readText(fs, '/work/sub/.env')).toBe('TOKEN')
  })
  it('a workspace whose name has glob characters works', async () => {
    for (const root of ['/my [project]', '/a{b}', '/x*y', '/b\\c']) {
      const { use } = await space({ [`${root}/a.md`]: 'hello\n' }, { workspaceRoot: root })
      expect((await use('fs_glob', { pattern: '*.md' })).text, root).toContain('a.md')
      expect((await use('fs_glob', { pattern: './*.md' })).text, root).toContain('a.md')
      expect((await use('fs_grep', { pattern: 'hello', glob: '*.md' })).text, root).toContain('hello')
    }
  })
  it('protected paths hold in a workspace whose name has glob characters', async () => {
    const { use } = await space({ '/my [p]/.env': 'TOKEN', '/my [p]/s/x': 'TOKEN' }, { workspaceRoot: '/my [p]', protectedPaths: ['.env', 's/**', './s/x'] })
    for (const path of ['.env', 's/x']) expect((await use('fs_read', { path })).ok).toBe(false)
  })
  it('CRLF, BOM, names with newlines, overlapping matches, empty files', async () => {
    const { fs, use } = await space({ '/c.txt': 'a\r\nb\r\n', '/bom.txt': '\ufeffhi\nyou\n', '/n\nl.txt': 'x', '/o.txt': 'aaaa', '/e.txt': '', '/mixed.txt': 'a\r\nb\nc\r\n' })
    await use('fs_edit', { path: 'c.txt', find: 'a\nb', replace: 'x\ny' })
    expect(await readText(fs, '/c.txt')).toBe('x\r\ny\r\n')
    await use('fs_edit', { path: 'bom.txt', find: 'hi', replace: 'ho' })
    expect(await readText(fs, '/bom.txt')).toBe('\ufeffho\nyou\n')
    expect((await use('fs_edit', { path: 'o.txt', find: 'aa', replace: 'b' })).ok).toBe(false)
    await use('fs_edit', { path: 'o.txt', find: 'aa', replace: 'b', all: true })
    expect(await readText(fs, '/o.txt')).toBe('bb')
    expect((await use('fs_list', {})).text.split('\n')).toHaveLength(6)
    expect((await use('fs_patch', { path: 'bom.txt', patch: '@@ -1,2 +1,2 @@\n-ho\n+hu\n you\n' })).text).toBeDefined()
    expect((await use('fs_edit', { path: 'mixed.txt', find: 'a\nb', replace: 'z' })).text).toBeDefined()
    expect((await use('fs_edit', { path: 'e.txt', find: '', replace: 'x' })).ok).toBe(false)
  })
  it('an edit where occurrences overlap says that the text is not unique', async () => {
    const { use } = await space({ '/o.txt': 'aba ba\n', '/p.txt': 'xababax' })
    expect((await use('fs_edit', { path: 'p.txt', find: 'aba', replace: 'Q' })).ok).toBe(false)
  })
  it('a patch that is cut short of what its header says is refused', async () => {
    const { fs, use } = await space({ '/p.txt': '1\n2\n3\n4\n5\n' })
    const answer = await use('fs_patch', { path: 'p.txt', patch: '@@ -1,5 +1,5 @@\n 1\n-2\n+two\n' })
    expect([answer.ok, await readText(fs, '/p.txt')]).toEqual([false, '1\n2\n3\n4\n5\n'])
  })
  it('a patch whose header names another file is refused', async () => {
    const { use } = await space({ '/p.txt': '1\n2\n' })
    expect((await use('fs_patch', { path: 'p.txt', patch: '--- a/other.txt\n+++ b/other.txt\n@@ -1,2 +1,2 @@\n 1\n-2\n+two\n' })).ok).toBe(false)
  })
  it('catastrophic patterns end', async () => {
    const { use } = await space({ '/r.txt': `${'a'.repeat(100_000)}!\n` })
    for (const pattern of ['(a+)+$', '(a|a)*b', '(a*)*c', '(.*.*.*.*.*)*x', '((a{1,30}){1,30})+b', '(?:(?:a?){20}){20}b', '[a-z]+[a-z]+[a-z]+[a-z]+\\d'])
      expect(await within(use('fs_grep', { pattern }), 10_000), pattern).not.toBe('hung')
  }, 60_000)
  it('a file that changes between approval and execution is not overwritten with a stale edit', async () => {
    const { fs, use } = await space({ '/a.txt': 'one' })
    void use
    const env = { fs, host: webHost }
    const { assistant } = rig([call('fs_edit', { path: 'a.txt', find: 'one', replace: 'two' }), 'done'], { env, tools: builtinTools({ env }), approve: async () => { await writeText(fs, '/a.txt', 'three'); return 'approve' } })
    await assistant.run('go').result
    expect(await readText(fs, '/a.txt')).toBe('three')
  })
  it('an edit by a person goes through the policy again', async () => {
    const { fs } = await space(tree)
    const rules = policy(guarded)
    const env = { fs, host: webHost }
    const { assistant } = rig([call('fs_write', { path: 'a.txt', contents: 'x' }), 'done'], { env, policy: rules, tools: builtinTools({ env, policy: rules }), approve: () => ({ decision: 'edit', input: { path: '.env', contents: 'PWNED' } }) })
    await assistant.run('go').result
    expect(await readText(fs, '/work/.env')).toBe('TOKEN')
  })
})

it('a policy that denies a tool by the name the model sees denies it under its own name', async () => {
  let ran = 0
  const { assistant } = rig([calls('fs_wipe'), 'done'], { tools: [made('fs.wipe', () => ++ran)], policy: policy({ tools: { deny: ['fs_wipe'] } }) })
  await assistant.run('go').result
  expect(ran).toBe(0)
})
void [hostWithFetch, eventsOf]
