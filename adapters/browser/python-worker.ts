// The script of the frame in which a page runs programs in Python, and of the Worker that the frame starts with it.
import { own } from '../../src/json/value.ts'
import { disarm } from '../virtual/python/disarm.ts'
import type { PyodideFiles } from '../virtual/python/pyodide.ts'
import { servePython } from '../virtual/python/serve.ts'
import { engineName, indexUrl } from './python/parcel.ts'
import type { Parcel } from './python/parcel.ts'
import { trustedUrl } from './trusted.ts'

/** In the frame: the first message of the page is what it starts. */
function startWorker({ data, ports, source }: MessageEvent<Parcel>): void {
  const [work, control] = ports
  if (source !== parent || !work || !control) return
  removeEventListener('message', startWorker)
  const { program, wasm, library, lock } = data
  const url = URL.createObjectURL(new Blob([program], { type: 'text/javascript' }))
  const worker = new Worker(trustedUrl(url))
  worker.addEventListener('error', (event) => {
    event.preventDefault()
    control.postMessage('lost')
  })
  worker.postMessage({ wasm, library, lock }, [work])
}

/** In the Worker: the first message of the frame has the files, and the port to the page. */
function startPython({ data, ports }: MessageEvent<Omit<Parcel, 'program'>>): void {
  const [port] = ports
  if (!port) return
  removeEventListener('message', startPython)
  const deliver = servePython({
    send: (message, transfer) => port.postMessage(message, transfer),
    files: async () => filesOf(data),
    onLoaded: disarm,
  })
  port.addEventListener('message', (event) => deliver(event.data))
  port.start()
}

function filesOf({ wasm, library, lock }: Omit<Parcel, 'program'>): PyodideFiles {
  const engine = (globalThis as Record<string, unknown>)[engineName]
  const at: Readonly<Record<string, Uint8Array>> = { 'pyodide.asm.wasm': wasm, 'python_stdlib.zip': library }
  globalThis.fetch = async (url) => {
    const bytes = own(at, String(url).slice(indexUrl.length)) as Uint8Array<ArrayBuffer> | undefined
    if (!bytes) throw new Error('There is no network')
    return new Response(bytes, { headers: { 'content-type': 'application/wasm' } })
  }
  const [loadPyodide, createPyodideModule] = engine as readonly [PyodideFiles['loadPyodide'], unknown]
  return { loadPyodide, createPyodideModule, lock, indexUrl }
}

if (typeof document === 'undefined') addEventListener('message', startPython)
else addEventListener('message', startWorker)
