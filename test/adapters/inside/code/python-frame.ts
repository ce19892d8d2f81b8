// What whoever broke out of Python would find: any script at all, where Python's own stands, reaches nothing of the page.
import { framePort } from '../../../../adapters/browser/python/frame-port.ts'
import { equal } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import { contractCase } from '../report.ts'

/** Tries, and says by name what it could do. */
const probe = (origin: string): string => `
const done = []
const tries = {
  eval: () => new Function('return 1')(),
  fetch: () => fetch('${origin}/suite.js', { credentials: 'include' }),
  opaque: () => fetch('${origin}/suite.js', { mode: 'no-cors', credentials: 'include' }),
  request: () => new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.onload = resolve
    request.onerror = reject
    request.open('GET', '${origin}/suite.js')
    request.send()
  }),
  socket: () => new Promise((resolve, reject) => {
    const socket = new WebSocket('${origin}/'.replace('http', 'ws'))
    socket.onopen = resolve
    socket.onerror = reject
  }),
  source: () => new Promise((resolve, reject) => {
    const source = new EventSource('${origin}/suite.js')
    source.onopen = resolve
    source.onerror = reject
  }),
  scripts: () => importScripts('${origin}/suite.js'),
  module: () => import('${origin}/suite.js'),
  worker: () => new Promise((resolve, reject) => {
    const worker = new Worker('${origin}/worker.mjs')
    worker.onerror = reject
    setTimeout(resolve, 1000)
  }),
  database: () => new Promise((resolve, reject) => {
    const request = indexedDB.open('sameloop-secret')
    request.onsuccess = resolve
    request.onerror = reject
  }),
  caches: () => caches.open('x'),
  files: () => navigator.storage.getDirectory(),
  cookies: () => cookieStore.getAll().then((all) => { if (all.length === 0) throw 1 }),
  document: () => document.cookie,
  storage: () => localStorage.length,
}
onmessage = async ({ ports: [port] }) => {
  for (const [name, work] of Object.entries(tries)) {
    const late = new Promise((_, reject) => setTimeout(reject, 3000))
    try {
      await Promise.race([work(), late])
      done.push(name)
    } catch {}
  }
  port.postMessage({ done, origin: self.origin })
}
`

async function foundBy(script: string): Promise<unknown> {
  const scriptUrl = new URL('./browser-python-worker.js', document.baseURI).href
  const nothing = new Uint8Array()
  const parcel = async () => ({ program: script, wasm: nothing, library: nothing, lock: undefined })
  const port = framePort({ scriptUrl, parcel })
  const said = await new Promise((resolve, reject) => {
    port.onMessage(resolve)
    port.onError(reject)
  })
  port.terminate()
  return said
}

export const frameCases: readonly ContractCase[] = [
  contractCase('a script in the place of Python finds no cookie, no storage and no network', async () => {
    document.cookie = 'secret=1; path=/'
    indexedDB.open('sameloop-secret')
    equal(await foundBy(probe(location.origin)), { done: [], origin: 'null' })
  }),
]
