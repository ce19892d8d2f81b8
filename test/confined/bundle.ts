// Scripts for Workers and other runtimes, bundled from sources for one test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

export interface Bundle {
  readonly folder: string
  url(name: string): URL
  remove(): void
}

/** Each source of this folder as a module of the same name that ends in `.mjs`. */
export async function bundle(sources: readonly string[]): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'sameloop-confined-'))
  await build({
    entryPoints: sources.map((source) => fileURLToPath(new URL(source, import.meta.url))),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    external: ['node:*'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    logLevel: 'warning',
  })
  return {
    folder,
    url: (name) => pathToFileURL(join(folder, name)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
