// Bundles a few lines of a user's program against dist, as a user's bundler would.
import { build } from 'esbuild'
import type { Metafile } from 'esbuild'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface Bundle {
  readonly text: string
  readonly gzipBytes: number
  readonly metafile: Metafile
}

/** `code` may import `sameloop/…`; packages are bundled too unless `external` names them. */
export async function bundle(code: string, external: readonly string[] = []): Promise<Bundle> {
  const result = await build({
    stdin: { contents: code, resolveDir: root, loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    external: [...external],
    write: false,
    metafile: true,
    logLevel: 'silent',
    absWorkingDir: root,
  })
  const { contents, text } = result.outputFiles[0]!
  return { text, gzipBytes: gzipSync(contents, { level: 9 }).length, metafile: result.metafile }
}
