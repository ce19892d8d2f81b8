// `npm start`: builds the page, and serves it together with the worker on one loopback address. Where the worker cannot
// start, the page is served alone. `--port N` (or PORT) fixes the port; otherwise a free one is taken.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildAll } from './build.mjs'
import { isMain, root, start, tool } from './project.mjs'
import { staticServer } from './static-server.mjs'

/** With the build before it and the fallback after it, the address is there within 20 seconds. */
const workerLimitMs = 14_000

const here = (path) => existsSync(join(root, path))

function wantedPort() {
  const at = process.argv.indexOf('--port')
  const text = at < 0 ? process.env.PORT : process.argv[at + 1]
  const port = Number(text ?? 0)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new Error(`Cannot use the port "${text}": wanted a number from 0 to 65535`)
}

/** Why there is no worker to start; `undefined` when there is one. */
function withoutWorker() {
  if (!here('worker/index.ts')) return 'there is no worker/index.ts'
  if (!here('wrangler.toml')) return 'there is no wrangler.toml'
  if (!existsSync(tool('wrangler/bin/wrangler.js'))) return 'wrangler is not installed'
  return undefined
}

/** The last lines a program printed, without colours. */
const linesOf = (said) =>
  said
    .replace(new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g'), '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-8)

/** Starts `wrangler dev`: `{ url, close() }`. Rejects, with the reason in words, where it does not come up in time. */
function workerServer(port, limitMs) {
  const args = [
    tool('wrangler/bin/wrangler.js'),
    'dev',
    '--local',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--var',
    'DEV:1',
  ]
  // Its standard input stays closed: with a terminal there, wrangler would take the keyboard.
  const child = start(process.execPath, args, {
    group: true,
    env: { CI: '1', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return new Promise((resolve, reject) => {
    let said = ''
    const fail = (why) => {
      clearTimeout(limit)
      child.end()
      reject(new Error([why, ...linesOf(said)].join('\n')))
    }
    const limit = setTimeout(() => fail(`wrangler was not ready after ${limitMs / 1000} seconds`), limitMs)
    const listen = (data) => {
      said = (said + data).slice(-16_000)
      const [url] = said.match(/https?:\/\/(?:127\.0\.0\.1|localhost):\d+/) ?? []
      if (url === undefined || !said.includes('Ready on')) return
      clearTimeout(limit)
      resolve({ url: `${url}/`, close: () => child.end(), child })
    }
    child.stdout.on('data', listen)
    child.stderr.on('data', listen)
    child.once('error', (error) => fail(error.message))
    child.once('exit', (code) => fail(`wrangler ended with code ${code}`))
  })
}

/**
 * Builds what exists and serves it: `{ url, worker, reason?, close() }`; `worker` says whether the worker runs, and
 * `reason` why it does not.
 */
export async function startDemo({ port = 0, limitMs = workerLimitMs } = {}) {
  await buildAll(['page'])
  if (!here('dist/page/index.html'))
    throw new Error('There is no page to serve: web-demo/main.tsx and its index.html are missing')
  const reason = withoutWorker()
  if (reason === undefined) {
    const served = await workerServer(port, limitMs).catch((error) => error)
    if (!(served instanceof Error)) return { ...served, worker: true }
    return { ...(await staticServer(join(root, 'dist/page'), { port })), worker: false, reason: served.message }
  }
  return { ...(await staticServer(join(root, 'dist/page'), { port })), worker: false, reason }
}

/** A signal to `npm` alone does not reach its script, which would then serve for ever. */
function endWithNpm() {
  const { ppid } = process
  if (process.env.npm_lifecycle_event === undefined) return
  setInterval(() => {
    if (process.ppid !== ppid) process.exit()
  }, 500).unref()
}

if (isMain(import.meta)) {
  try {
    const served = await startDemo({ port: wantedPort() })
    if (!served.worker) console.log(`The page's worker switch is off, because ${served.reason}`)
    console.log(`\nsameloop is at ${served.url}\n`)
    endWithNpm()
    served.child?.once('exit', () => {
      console.error('The worker has ended')
      process.exit(1)
    })
  } catch (error) {
    const taken = error.code === 'EADDRINUSE'
    console.error(taken ? 'This port is taken: choose another with --port, or leave it out' : error.message)
    process.exitCode = 1
  }
}
