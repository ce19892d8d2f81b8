// The script of the process in which Node runs programs in Python.
import { readFileSync, writeSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { servePython } from '../virtual/python/serve.ts'
import { disarm } from '../virtual/python/disarm.ts'
import { frameOf, frameReader } from './python/frame.ts'
import { lendConstants, sealProcess } from './python/seal.ts'

const folder = process.argv[2] ?? ''
const { exit, stdin } = process
// Nothing of what it was started with is a program's concern.
process.argv.length = 0

function write(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      // The pipe is full.
      if ((error as { readonly code?: unknown }).code !== 'EAGAIN') return exit(1)
    }
  }
}

const deliver = servePython({
  send: (message) => write(frameOf(message)),
  files: async () => {
    lendConstants()
    const load = async (name: string): Promise<Record<string, unknown>> =>
      (await import(pathToFileURL(folder + name).href)) as Record<string, unknown>
    const { loadPyodide } = await load('pyodide.mjs')
    const { default: createPyodideModule } = await load('pyodide.asm.mjs')
    const lock: unknown = JSON.parse(readFileSync(`${folder}pyodide-lock.json`, 'utf8'))
    return { loadPyodide: loadPyodide as never, createPyodideModule, lock, indexUrl: folder }
  },
  onLoaded: () => {
    sealProcess()
    disarm()
  },
})
const reader = frameReader()
stdin.on('data', (chunk: Uint8Array) => {
  for (const message of reader.push(chunk) ?? []) deliver(message)
})
stdin.on('end', () => exit(0))
