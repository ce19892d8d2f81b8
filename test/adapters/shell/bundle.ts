// The shell as it is built, for tests in this Node: the package in it is mended by the bundler.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { bundledShell } from '../../../scripts/bundled-shell.mjs'
import type { justBash } from '../../../adapters/virtual/just-bash/just-bash.ts'
import type { LoadInterpreter } from '../../../src/sandbox/interpreter.ts'

export interface BuiltShell {
  readonly workerUrl: URL
  readonly load: typeof justBash
  /** As it is loaded where there are no Workers. */
  readonly hosted: LoadInterpreter
  remove(): void
}

export async function builtShell(): Promise<BuiltShell> {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const folder = mkdtempSync(join(tmpdir(), 'sameloop-shell-'))
  await build({
    absWorkingDir: root,
    entryPoints: [
      { in: 'adapters/node/shell-worker.ts', out: 'node-shell-worker' },
      { in: 'adapters/virtual/just-bash/just-bash.ts', out: 'just-bash' },
    ],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:worker_threads'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    plugins: [bundledShell],
    logLevel: 'warning',
  })
  const url = (name: string): URL => pathToFileURL(join(folder, name))
  const module = (await import(/* @vite-ignore */ url('just-bash.mjs').href)) as { readonly justBash: typeof justBash }
  return {
    workerUrl: url('node-shell-worker.mjs'),
    load: module.justBash,
    hosted: () => module.justBash({ profile: 'hosted' }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
