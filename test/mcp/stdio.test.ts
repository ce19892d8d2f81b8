import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { mcpServer } from '../../adapters/node/source.ts'
import type { StdioServerOptions } from '../../adapters/node/source.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { McpServer } from '../../src/mcp/source.ts'

// A server in one line of text each: it answers what `tools` says, and lives as long as its input does.
const script = (call: string): string => `
  const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
  const text = (id, text) => say({ id, result: { content: [{ type: 'text', text }] } })
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line)
    if (method === 'initialize') say({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} } } })
    else if (method === 'tools/list') say({ id, result: { tools: [{ name: 'act', inputSchema: { type: 'object' } }] } })
    else if (method === 'tools/call') { ${call} }
    else if (id !== undefined) say({ id, error: { code: -32601, message: 'Method not found' } })
  })`

const open: McpServer[] = []
function program(code: string, more: Partial<StdioServerOptions> = {}): McpServer {
  const server = mcpServer({ name: 'local', command: process.execPath, args: ['-e', code], ...more })
  open.push(server)
  return server
}

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

const call = (server: McpServer) => toolRegistry().addSource(server).invoke('mcp://local.act')

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('mcpServer() by stdio', () => {
  it('starts the program when it is needed, and keeps it for the calls that follow', async () => {
    const server = program(script('text(id, String(process.pid))'))
    const [one, other] = [await call(server), await call(server)]
    expect(one).toMatchObject({ ok: true })
    expect(other).toEqual(one)
  })

  it('ends the program and what it started with close(), also where its input does not end it', async () => {
    const server = program(
      script(`
        process.on('SIGTERM', () => {})
        setInterval(() => {}, 1000)
        const child = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
        text(id, process.pid + ' ' + child.pid)`),
    )
    const outcome = (await call(server)) as { readonly value: { readonly result: string } }
    const pids = outcome.value.result.split(' ').map(Number)
    expect(pids.map(isAlive)).toEqual([true, true])
    await server.close()
    // The child is reaped by whoever adopts it.
    for (let tries = 0; pids.some(isAlive) && tries < 200; tries++)
      await new Promise((resolve) => setTimeout(resolve, 10))
    expect(pids.map(isAlive)).toEqual([false, false])
  }, 30_000)

  it('fails the calls that wait when the program dies, says its last words, and starts it again for the next', async () => {
    const marker = join(mkdtempSync(join(tmpdir(), 'sameloop-')), 'died')
    const server = program(
      script(`
        const fs = require('node:fs')
        if (fs.existsSync(${JSON.stringify(marker)})) return text(id, 'alive')
        fs.writeFileSync(${JSON.stringify(marker)}, '')
        console.error('out of luck')
        process.exit(7)`),
    )
    expect(await call(server)).toMatchObject({
      ok: false,
      reason: 'failed',
      parts: [{ text: 'The MCP server "local" ended with code 7: out of luck' }],
    })
    expect(await call(server)).toMatchObject({ ok: true, value: { result: 'alive' } })
  })

  it.each([
    ['a command that is not there', { command: 'no-such-command-anywhere' }, 'there is no such command'],
    [
      'a command that ends',
      { args: ['-e', 'console.error("usage: …"); process.exit(2)'] },
      'ended with code 2: usage: …',
    ],
    ['no command', { command: '' }, 'wanted a command'],
    ['args that are no texts', { args: [1] as never }, 'wanted texts as args'],
  ])('fails at connect with %s', async (_, options, words) => {
    await expect(program('', options).connect()).rejects.toMatchObject({ message: expect.stringContaining(words) })
  })

  it('gives the program nothing of this environment but what is harmless or named, and shows no secret of it', async () => {
    process.env['SAMELOOP_TEST_SECRET'] = 'from outside'
    const server = program(
      script('text(id, [process.env.SAMELOOP_TEST_SECRET, process.env.OWN, process.env.API_KEY].join())'),
      { env: { OWN: 'own', API_KEY: () => 'key-of-ours' } },
    )
    expect(await call(server)).toMatchObject({ value: { result: ',own,…' } })
    const named = program(script('text(id, process.env.SAMELOOP_TEST_SECRET)'), { inherit: ['SAMELOOP_TEST_SECRET'] })
    expect(await call(named)).toMatchObject({ value: { result: 'from outside' } })
    delete process.env['SAMELOOP_TEST_SECRET']
  })

  it('skips what is no message on standard output, and ends a server that never ends a line', async () => {
    const warnings: string[] = []
    const chatty = program(script("console.log('a log line'); text(id, 'said')"), {
      onWarning: (text) => warnings.push(text),
    })
    expect(await call(chatty)).toMatchObject({ value: { result: 'said' } })
    expect(warnings).toEqual([expect.stringContaining('no JSON')])
    const endless = program(script("process.stdout.write('x'.repeat(5000))"), { maxMessageChars: 4000 })
    expect(await call(endless)).toMatchObject({
      ok: false,
      parts: [{ text: expect.stringContaining('more than 4000') }],
    })
  })

  it('tells the program when nobody waits for a call any more', async () => {
    const marker = join(mkdtempSync(join(tmpdir(), 'sameloop-')), 'cancelled')
    const code = script('').replace(
      'else if (id !== undefined)',
      `else if (method === 'notifications/cancelled') require('node:fs').writeFileSync(${JSON.stringify(marker)}, String(params.requestId))
       else if (id !== undefined)`,
    )
    const server = program(code, { timeoutMs: 100 })
    expect(await call(server)).toMatchObject({ ok: false, reason: 'timeout' })
    const { existsSync } = await import('node:fs')
    for (let tries = 0; !existsSync(marker) && tries < 500; tries++)
      await new Promise((resolve) => setTimeout(resolve, 10))
    expect(existsSync(marker)).toBe(true)
  })

  it('ends a program that writes no messages without end, and warns of the first lines alone', async () => {
    const warnings: string[] = []
    const flood = `const more = () => process.stdout.write('no message\\n'.repeat(1000), more); more()`
    const server = program(script(flood), { onWarning: (text) => void warnings.push(text) })
    expect(await call(server)).toMatchObject({
      ok: false,
      parts: [{ text: expect.stringContaining('wrote 10000 lines that are no messages') }],
    })
    expect(warnings.length).toBe(10)
  })

  it('ends a program that can answer no more, so that the next call starts another', async () => {
    const server = program(script(`if (params.name) require('node:fs').closeSync(1)`))
    expect(await call(server)).toMatchObject({ ok: false, parts: [{ text: expect.stringContaining('ended with') }] })
  }, 30_000)

  it('shows no part of a secret at the beginning of its last words', async () => {
    const KEY = 'k'.repeat(20) + 'e'.repeat(20) + 'y'.repeat(20)
    const code = `process.stderr.write(process.env.KEY + '.'.repeat(3980), () => process.exit(1))`
    const outcome = await call(program(code, { env: { KEY } }))
    expect(JSON.stringify(outcome)).toContain('...')
    expect(JSON.stringify(outcome)).not.toContain('yyyy')
  })
})
