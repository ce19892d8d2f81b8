// The core runs anywhere: no Node module, no unexpected package, no eval, and nothing happens on import.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { entries } from '../../scripts/entries.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { packages } = JSON.parse(readFileSync(new URL('../../layers.json', import.meta.url), 'utf8')) as {
  readonly packages: Readonly<Record<string, readonly string[]>>
}
const allowed = new Set(Object.values(packages).flat())
const core = entries().filter(({ source }) => source.startsWith('src/'))

/** Bundles an entry point from its source and says which packages it imports, and the text. */
async function bundled(source: string): Promise<{ readonly imports: readonly string[]; readonly text: string }> {
  const result = await build({
    absWorkingDir: root,
    entryPoints: [source],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'silent',
  })
  const files = Object.values(result.metafile.outputs)
  const imports = files.flatMap((output) => output.imports.map(({ path }) => path))
  return { imports, text: result.outputFiles.map(({ text }) => text).join('\n') }
}

/** Which entry points bring a package; no other does. Scenarios of everything are in `./testing`. */
const owners: Readonly<Record<string, readonly string[]>> = {
  jmespath: ['./tools/json-query', './testing'],
  htmlparser2: ['./tools/web', './testing'],
  valibot: ['./valibot', './testing'],
  '@valibot/to-json-schema': ['./valibot', './testing'],
  // Those that take schemas of others.
  '@cfworker/json-schema': ['./json-schema', './workflow', './mcp', './openapi', './testing'],
}

const withoutComments = (text: string): string => text.replace(/^\s*\/\/.*$/gm, '').replace(/\/\*[^]*?\*\//g, '')

/** Imports a built entry point in a Node of its own whose clocks, timers, randomness and network throw when touched. */
function importUntouched(output: string): string {
  const program = `
    const refuse = (name) => () => { throw new Error(name + ' was touched on import') }
    globalThis.fetch = refuse('fetch')
    globalThis.setTimeout = refuse('setTimeout')
    globalThis.setInterval = refuse('setInterval')
    globalThis.crypto.randomUUID = refuse('crypto.randomUUID')
    globalThis.crypto.getRandomValues = refuse('crypto.getRandomValues')
    Math.random = refuse('Math.random')
    Date.now = refuse('Date.now')
    const before = Object.keys(globalThis).sort().join()
    await import(${JSON.stringify(new URL(`../../${output}`, import.meta.url).href)})
    if (Object.keys(globalThis).sort().join() !== before) throw new Error('A global was added on import')
    console.log('untouched')`
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()
}

describe('an entry point of the core', () => {
  it.each(core)('$key imports only the packages that layers.json allows', async ({ source }) => {
    const { imports } = await bundled(source)
    expect(imports.filter((name) => !allowed.has(name))).toEqual([])
  })
  it.each(core)('$key brings no package that belongs to another', async ({ key, source }) => {
    const { imports } = await bundled(source)
    expect(imports.filter((name) => !owners[name]?.includes(key))).toEqual([])
  })
  it.each(core)('$key holds no eval and no Function constructor', async ({ source }) => {
    const { text } = await bundled(source)
    expect(withoutComments(text).match(/\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(/g)).toBeNull()
  })
  it.each(core)('$key touches no clock, timer, randomness or network on import', ({ output }) => {
    expect(importUntouched(output)).toBe('untouched')
  })
})
