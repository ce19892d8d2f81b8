// A process that runs one program in Python, for Node and Deno: it is spoken with through its standard input and output.
import { readFileSync, writeSync } from 'node:fs'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { servePython } from '../../virtual/python/serve.ts'
import { frameOf, frameReader } from './frame.ts'

export interface PythonProcess {
  /** Before the code of Pyodide is read. */
  readonly prepare: () => void
  /** Python is there, and nothing of a program yet. */
  readonly onLoaded: () => void
}

export function servePythonProcess({ prepare, onLoaded }: PythonProcess): void {
  const folder = process.argv[2] ?? ''
  const { exit, stdin } = process
  // Nothing of what it was started with is a program's concern.
  process.argv.length = 0

  const deliver = servePython({
    send: (message) => write(frameOf(message), exit),
    files: async () => {
      prepare()
      const load = async (name: string): Promise<Record<string, unknown>> =>
        (await import(pathToFileURL(folder + name).href)) as Record<string, unknown>
      const { loadPyodide } = await load('pyodide.mjs')
      const { default: createPyodideModule } = await load('pyodide.asm.mjs')
      const lock: unknown = JSON.parse(readFileSync(`${folder}pyodide-lock.json`, 'utf8'))
      return { loadPyodide: loadPyodide as never, createPyodideModule, lock, indexUrl: folder }
    },
    onLoaded,
  })
  const reader = frameReader()
  stdin.on('data', (chunk: Uint8Array) => {
    for (const message of reader.push(chunk) ?? []) deliver(message)
  })
  stdin.on('end', () => exit(0))
}

function write(bytes: Uint8Array, exit: (code: number) => never): void {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at)
    } catch (error) {
      // The pipe is full.
      if ((error as { readonly code?: unknown }).code !== 'EAGAIN') return exit(1)
    }
  }
}
