import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import type { Metafile, OutputFile } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundledShell } from '../../../scripts/bundled-shell.mjs'

const root = fileURLToPath(new URL('../../../', import.meta.url))

let outputs: Metafile['outputs']
let files: ReadonlyMap<string, OutputFile>

beforeAll(async () => {
  const made = await build({
    absWorkingDir: root,
    entryPoints: ['web-demo/main.tsx'],
    outdir: 'out',
    bundle: true,
    splitting: true,
    format: 'esm',
    target: 'es2022',
    minify: true,
    metafile: true,
    write: false,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    platform: 'browser',
    legalComments: 'none',
    plugins: [bundledShell],
  })
  outputs = made.metafile.outputs
  files = new Map(made.outputFiles.map((file) => [file.path.slice(root.length), file]))
})

/** The files that come before the page can be used, and those that come later with `all`. */
function reached(from: string, kinds: readonly string[], seen: Set<string> = new Set()): ReadonlySet<string> {
  if (seen.has(from)) return seen
  seen.add(from)
  for (const { path, kind, external } of outputs[from]?.imports ?? []) {
    if (external !== true && kinds.includes(kind)) reached(path, kinds, seen)
  }
  return seen
}

const compressed = (names: Iterable<string>): number =>
  [...names].reduce((sum, name) => sum + gzipSync(files.get(name)?.contents ?? '', { level: 9 }).length, 0)

const main = 'out/main.js'

describe('the page', () => {
  it('loads less than 60 kB of script, compressed, before it can be used', () => {
    expect(compressed(reached(main, ['import-statement']))).toBeLessThan(60_000)
  })

  it('loads the loop, the tools and the planner only when something is asked of them', () => {
    const inputs = [...reached(main, ['import-statement'])].flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}))
    expect(inputs.filter((path) => /^src\/(agent|planner|builtin|dialect)\//.test(path))).toEqual([])
    const all = [...reached(main, ['import-statement', 'dynamic-import'])].flatMap((name) =>
      Object.keys(outputs[name]?.inputs ?? {}),
    )
    expect(all).toContain('src/agent/loop.ts')
  })

  it('has no package in it but preact and its signals, and the shell where nothing comes before it is used', () => {
    const packagesOf = (names: Iterable<string>): readonly string[] =>
      [...names]
        .flatMap((name) => Object.keys(outputs[name]?.inputs ?? {}))
        .filter((path) => path.includes('node_modules/') && !/node_modules\/(preact|@preact)\//.test(path))
    const engine = Object.keys(outputs).filter((name) => /engine-\w+\.js$/.test(name))
    expect(engine).toHaveLength(1)
    expect(packagesOf([main, ...engine].flatMap((name) => [...reached(name, ['import-statement'])]))).toEqual([])
    const all = new Set(
      packagesOf(Object.keys(outputs)).map((path) => path.replace(/.*node_modules\/([^/]+)\/.*/, '$1')),
    )
    expect([...all]).toContain('just-bash')
  })

  it('makes no HTML of text anywhere, and runs no text as code', () => {
    const sources = ['element', 'web-demo'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => /\.tsx?$/.test(name))
        .map((name) => [name, readFileSync(join(root, folder, name), 'utf8')] as const),
    )
    const hostile = /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySet|document\.write|\beval\(|new Function|srcdoc/
    expect(sources.filter(([, text]) => hostile.test(text)).map(([name]) => name)).toEqual([])
  })

  it('has a strict policy and nothing inline that it would forbid', () => {
    const html = readFileSync(join(root, 'web-demo/index.html'), 'utf8')
    const [, policy = ''] = /Content-Security-Policy" content="([^"]+)"/.exec(html) ?? []
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).not.toContain('unsafe')
    expect(html).not.toMatch(/<style|\sstyle=|\son[a-z]+=|<script(?![^>]*src=)/)
  })
})
