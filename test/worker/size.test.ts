// What a deployed worker weighs, minified and gzipped.
import { gzipSync } from 'node:zlib'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const kib = 1024

async function weigh(contents: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('../..', import.meta.url)), loader: 'ts' },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    target: 'es2022',
    charset: 'utf8',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // Of shell and engine, which are left out where nobody makes one.
    external: ['node:*'],
    logLevel: 'silent',
  })
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length
}

function hold(what: string, bytes: number, limit: number): void {
  console.log(`${what}: ${(bytes / kib).toFixed(1)} KiB of ${limit}`)
  expect(bytes).toBeLessThanOrEqual(limit * kib)
}

describe('a worker', () => {
  it('of Hono, the loop, two providers and the session object keeps to 67.5 KiB', async () => {
    const bytes = await weigh(`
      export { Hono } from 'hono/tiny'
      export { agent } from './src/index.ts'
      export { anthropic } from './src/anthropic.ts'
      export { openaiChat } from './src/openai.ts'
      export { agentObject, agentRoutes, cloudflare } from './adapters/cloudflare/index.ts'`)
    hold('Hono, core, two providers, object, routes, preset', bytes, 67.5)
  })

  it('with the built-in tools, the local planner and an MCP server too, as this repository deploys it, keeps to 111 KiB', async () => {
    hold('worker/index.ts', await weigh(`export { default, SessionObject } from './worker/index.ts'`), 111)
  })
})
