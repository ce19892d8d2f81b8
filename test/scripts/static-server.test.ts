import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { staticServer } from '../../scripts/static-server.mjs'

let folder: string
let server: Awaited<ReturnType<typeof staticServer>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sameloop-static-'))
  mkdirSync(join(folder, 'public/sub'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  writeFileSync(join(folder, 'public/index.html'), '<p>home</p>')
  writeFileSync(join(folder, 'public/sub/app.js'), 'export {}')
  writeFileSync(join(folder, 'public/_headers'), '# rules\n/*\n  X-Everywhere: yes\n/sub/*\n  X-Sub: a: b\n')
  server = await staticServer(join(folder, 'public'))
})

afterAll(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

/** The status of a path that is sent as it is: fetch would normalise it. */
const statusOf = (path: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const sent = request({ hostname, port, path }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.once('error', reject).end()
  })

describe('staticServer()', () => {
  it('serves an index and files with their type and the headers of _headers', async () => {
    const home = await fetch(server.url)
    expect([await home.text(), home.headers.get('content-type'), home.headers.get('x-everywhere')]).toEqual([
      '<p>home</p>',
      'text/html; charset=utf-8',
      'yes',
    ])
    const script = await fetch(`${server.url}sub/app.js`)
    expect([script.headers.get('content-type'), script.headers.get('x-sub')]).toEqual([
      'text/javascript; charset=utf-8',
      'a: b',
    ])
  })
  it('never leaves its folder and keeps the rules file to itself', async () => {
    const paths = [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/sub/%2e%2e%2f%2e%2e%2fsecret.txt',
      '/_headers',
      '/%00',
      '/none',
    ]
    for (const path of paths) expect(await statusOf(path)).toBe(404)
    expect(await statusOf('/%')).toBe(400)
  })
  it('answers only GET and HEAD', async () => {
    expect((await fetch(server.url, { method: 'POST' })).status).toBe(405)
    expect(await (await fetch(server.url, { method: 'HEAD' })).text()).toBe('')
  })
})
