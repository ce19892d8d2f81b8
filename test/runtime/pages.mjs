// The browsers: a loopback server gives a page the bundle and takes the reports that it posts.
import { createReadStream, existsSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { openBrowser } from '../browser/open.mjs'
import { patience } from './patience.mjs'

const mediaTypes = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
  '.zip': 'application/zip',
}

/** No eval anywhere: a library that needed it would fail here. WebAssembly is no eval. */
const security =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'; style-src 'unsafe-inline'"

async function bodyOf(request) {
  const pieces = []
  for await (const piece of request) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** Serves `folder`; each report that is posted goes to `onReport(place, text)`. */
function reportServer(folder, onReport) {
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1')
    response.setHeader('access-control-allow-origin', '*')
    if (request.method === 'POST' && url.pathname === '/report') {
      onReport(url.searchParams.get('place'), await bodyOf(request))
      return response.writeHead(204).end()
    }
    const path = join(folder, normalize(url.pathname))
    const type = mediaTypes[extname(path)]
    if (request.method !== 'GET' || type === undefined || !existsSync(path)) return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': type, 'content-security-policy': security, 'cache-control': 'no-store' })
    createReadStream(path).pipe(response)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve({ origin: `http://127.0.0.1:${server.address().port}`, server }))
  })
}

const failure = (text) => JSON.stringify({ failure: text })

/** Takes the reports by place. `complete` resolves with all of them; `close(why)` fills in for those that did not come. */
function collector(places) {
  const reports = {}
  let resolve
  const complete = new Promise((done) => (resolve = done))
  const take = (place, text) => {
    reports[place] ??= text
    if (places.every((one) => Object.hasOwn(reports, one))) resolve(reports)
  }
  const close = (why) => {
    for (const place of places) take(place, failure(why))
  }
  return { take, close, complete }
}

/** Runs the suite in the named places of one browser: `{ version, <place>: report }`. */
async function runBrowser(folder, name, { places, extension }) {
  const { take, close, complete } = collector(places)
  const { origin, server } = await reportServer(folder, take)
  if (extension !== undefined) writeFileSync(join(folder, 'server.js'), `export const server = '${origin}'\n`)
  const address = extension === undefined ? `${origin}/page.html?places=${places.join(',')}` : 'about:blank'
  const browser = await openBrowser(name, address, { extension })
  const late = setTimeout(() => close(`No report after ${patience.ms / 1000} s\n${browser.said()}`), patience.ms)
  browser.gone.catch((error) => close(`${error.message}\n${browser.said()}`))
  try {
    const reports = await complete
    return { version: await browser.version(), ...reports }
  } finally {
    clearTimeout(late)
    await browser.close()
    server.closeAllConnections()
    server.close()
  }
}

export const runChromium = (folder, places) => runBrowser(folder, 'chromium', { places })
export const runExtension = (folder, places) => runBrowser(folder, 'chromium', { places, extension: folder })
/** A page goes on with the runs in luggage.js. */
export async function arriveInChromium(folder) {
  const { arrive } = await runBrowser(folder, 'chromium', { places: ['arrive'] })
  return arrive
}
export const runFirefox = (folder, places) => runBrowser(folder, 'firefox', { places })
export const runWebkit = (folder, places) => runBrowser(folder, 'webkit', { places })
