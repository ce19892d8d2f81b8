// A plain loopback server for a folder of built files, with the headers its `_headers` file asks for.
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize, sep } from 'node:path'

const mediaTypes = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** The rules of a `_headers` file, as Cloudflare reads it: a path, then indented `Name: value` lines. */
function headerRules(folder) {
  const path = join(folder, '_headers')
  const rules = []
  for (const line of existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []) {
    if (line.trim() === '' || line.startsWith('#')) continue
    if (/^\S/.test(line)) rules.push({ pattern: line.trim(), headers: [] })
    else {
      const colon = line.indexOf(':')
      rules.at(-1)?.headers.push([line.slice(0, colon).trim(), line.slice(colon + 1).trim()])
    }
  }
  return rules
}

const matches = (pattern, path) => (pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern)

/** The file behind a path of the address, or `undefined`; never one outside the folder. */
function fileOf(folder, pathname) {
  const path = normalize(join(folder, decodeURIComponent(pathname)))
  if (path !== folder && !path.startsWith(folder + sep)) return undefined
  const candidates = [path, join(path, 'index.html'), `${path}.html`]
  return candidates.find((candidate) => existsSync(candidate) && statSync(candidate).isFile())
}

function answer(folder, rules, request, response) {
  const { pathname } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const readable = request.method === 'GET' || request.method === 'HEAD'
  const file = readable && !pathname.includes('%00') ? fileOf(folder, pathname) : undefined
  if (file === undefined || file.endsWith('_headers')) {
    response.writeHead(readable ? 404 : 405, { 'content-type': 'text/plain; charset=utf-8' })
    return response.end(readable ? 'Not found' : 'Only GET is answered here')
  }
  for (const { headers } of rules.filter(({ pattern }) => matches(pattern, pathname))) {
    for (const [name, value] of headers) response.setHeader(name, value)
  }
  response.setHeader('content-type', mediaTypes[extname(file)] ?? 'application/octet-stream')
  response.setHeader('cache-control', 'no-cache')
  response.writeHead(200)
  if (request.method === 'HEAD') return response.end()
  return createReadStream(file).pipe(response)
}

/** Serves a folder on 127.0.0.1: `{ url, close() }`. Port 0 (default) takes a free one. */
export function staticServer(folder, { port = 0 } = {}) {
  const rules = headerRules(folder)
  const server = createServer((request, response) => {
    try {
      answer(folder, rules, request, response)
    } catch {
      response.writeHead(400).end('Bad request')
    }
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const close = () => {
        server.closeAllConnections()
        return new Promise((done) => server.close(done))
      }
      resolve({ url: `http://127.0.0.1:${server.address().port}/`, close })
    })
  })
}
