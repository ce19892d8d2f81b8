// Starts the worker of this repository as a developer does, by `wrangler dev`, over storage of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start, tool } from '../../scripts/project.mjs'
import type { Served, Workshop } from './workerd.ts'

/** The worker beside a page of one line. `serve(bindings)` sets variables. */
export function wranglerWorkshop(): Workshop {
  const folder = mkdtempSync(join(tmpdir(), 'sameloop-wrangler-'))
  const assets = mkdtempSync(join(tmpdir(), 'sameloop-page-'))
  writeFileSync(join(assets, 'index.html'), '<!doctype html><title>The page</title>')
  const running = new Set<Served>()
  return {
    folder,
    async serve(bindings = {}) {
      const variables = Object.entries(bindings).flatMap(([name, value]) => ['--var', `${name}:${value}`])
      const served = await serve(['--persist-to', folder, '--assets', assets, ...variables])
      running.add(served)
      return served
    },
    async close() {
      for (const served of running) await served.kill()
      for (const path of [folder, assets]) rmSync(path, { recursive: true, force: true })
    },
  }
}

function serve(more: readonly string[]): Promise<Served> {
  const args = ['dev', '--local', '--ip', '127.0.0.1', '--port', '0', '--inspector-port', '0', ...more]
  const child = start(process.execPath, [tool('wrangler/bin/wrangler.js'), ...args], {
    group: true,
    env: { CI: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  let said = ''
  return new Promise((resolve, reject) => {
    const listen = (data: Buffer): void => {
      said = (said + data.toString()).slice(-16_000)
      if (process.env['SAMELOOP_DEBUG'] !== undefined) process.stderr.write(data)
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
      if (url === undefined || !said.includes('Ready on')) return
      resolve({
        url,
        async kill() {
          child.end()
          await ended
        },
      })
    }
    child.stdout!.on('data', listen)
    child.stderr!.on('data', listen)
    child.once('exit', () => reject(new Error(`wrangler did not start:\n${said}`)))
  })
}
