// Starts a worker of these tests in a real workerd, in a process group of its own that can be killed like a crash.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { start } from '../../scripts/project.mjs'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

export interface Served {
  readonly url: string
  /** SIGKILL to the server and to workerd. */
  kill(): Promise<void>
}

export interface Workshop {
  readonly folder: string
  /** Starts the worker over the same storage as before. */
  serve(bindings?: Readonly<Record<string, string>>): Promise<Served>
  /** Kills what still runs and removes the storage. */
  close(): Promise<void>
}

/** Bundles a worker of test/worker/inside and keeps a folder for its storage. */
export async function workshop(entry: string, classes: Readonly<Record<string, string>>): Promise<Workshop> {
  const folder = mkdtempSync(join(tmpdir(), 'sameloop-worker-'))
  const script = join(folder, 'worker.mjs')
  await build({
    entryPoints: [here(`inside/${entry}`)],
    bundle: true,
    format: 'esm',
    target: 'es2022',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    // The second is of shell and engine, which these workers do not use.
    external: ['cloudflare:*', 'node:*'],
    outfile: script,
    logLevel: 'error',
  })
  const running = new Set<Served>()
  return {
    folder,
    async serve(bindings = {}) {
      const served = await serve({ script, classes, bindings, persist: join(folder, 'state') })
      running.add(served)
      return served
    },
    async close() {
      for (const served of running) await served.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function serve(options: object): Promise<Served> {
  const child = start(process.execPath, [here('inside/host.mjs'), JSON.stringify(options)], {
    group: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  let said = ''
  return new Promise((resolve, reject) => {
    child.stderr!.on('data', (data: Buffer) => {
      said += data.toString()
      if (process.env['SAMELOOP_DEBUG'] !== undefined) process.stderr.write(data)
    })
    child.stdout!.on('data', (data: Buffer) => {
      said += data.toString()
      if (process.env['SAMELOOP_DEBUG'] !== undefined) process.stderr.write(data)
      const line = said.split('\n').find((text) => text.startsWith('{"url"'))
      if (line === undefined) return
      const { url } = JSON.parse(line) as { url: string }
      resolve({
        url: url.replace(/\/$/, ''),
        async kill() {
          child.end()
          await ended
        },
      })
    })
    child.once('exit', () => reject(new Error(`The worker did not start:\n${said}`)))
  })
}
