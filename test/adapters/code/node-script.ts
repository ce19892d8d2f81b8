// The script of a Worker or process of Node, bundled from sources for one test.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

export interface Script {
  readonly url: URL
  remove(): void
}

/** `source` is a path from here. */
export async function nodeScript(source = '../../../adapters/node/javascript-worker.ts'): Promise<Script> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sameloop-script-'))
  const outfile = join(folder, 'worker.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL(source, import.meta.url))],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    logLevel: 'warning',
  })
  return { url: pathToFileURL(outfile), remove: () => rmSync(folder, { recursive: true, force: true }) }
}
