// The script of Node's Worker, bundled from sources for one test.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

export interface Script {
  readonly url: URL
  remove(): void
}

export async function nodeScript(): Promise<Script> {
  const folder = mkdtempSync(join(tmpdir(), 'sameloop-javascript-'))
  const outfile = join(folder, 'worker.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('../../../adapters/node/javascript-worker.ts', import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'warning',
  })
  return { url: pathToFileURL(outfile), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
