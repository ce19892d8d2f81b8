// The files of Pyodide for a frame that can fetch nothing: the page fetches them, once.
import { SameloopError } from '../../../src/error/error.ts'
import type { Fetch } from '../../../src/host/host.ts'
import { parseJson } from '../../../src/json/text.ts'

/** What a frame is given. */
export interface Parcel {
  /** The text of one module: our script, with the code of Pyodide beside it. */
  readonly program: string
  readonly wasm: Uint8Array
  readonly library: Uint8Array
  readonly lock: unknown
}

export interface ParcelOptions {
  readonly fetch: Fetch
  /** With a slash at its end. */
  readonly folder: string
  readonly scriptUrl: string
}

/** No address of anybody: what is fetched from there is at hand. */
export const indexUrl = 'https://pyodide.invalid/'
/** Where our script finds the code of Pyodide. */
export const engineName = 'sameloopPyodide'

/** Rejects with `sandbox-failed` where a file is not there, or is of a Pyodide that is made otherwise. */
export async function fetchParcel({ fetch, folder, scriptUrl }: ParcelOptions): Promise<Parcel> {
  const get = async (url: string): Promise<Response> => {
    const response = await fetch(url)
    if (response.ok) return response
    throw new SameloopError('sandbox-failed', `Cannot load "${url}": the server answered ${response.status}`)
  }
  const text = async (url: string): Promise<string> => (await get(url)).text()
  const bytes = async (name: string): Promise<Uint8Array> =>
    new Uint8Array(await (await get(folder + name)).arrayBuffer())
  const [script, main, engine, wasm, library, lock] = await Promise.all([
    text(scriptUrl),
    text(`${folder}pyodide.mjs`),
    text(`${folder}pyodide.asm.mjs`),
    bytes('pyodide.asm.wasm'),
    bytes('python_stdlib.zip'),
    text(`${folder}pyodide-lock.json`),
  ])
  const parts = [
    asFunction(main, /export\s*\{\s*([\w$]+) as loadPyodide\b[^}]*\};?\s*(?:\/\/#.*\s*)?$/),
    asFunction(engine, /export default ([\w$]+);?\s*$/),
  ]
  const parsed = parseJson(lock)
  return {
    program: `'use strict'\n;globalThis.importScripts = undefined;globalThis.${engineName} = [${parts.join(',\n')}]\n;(() => {${script}\n})()`,
    wasm,
    library,
    lock: parsed.ok ? parsed.value : undefined,
  }
}

/**
 * A module that imports nothing, as a call of a function that gives its export. Workers of blobs have room for one file,
 * and Chromium starts none that is a module where the origin is nobody's.
 */
function asFunction(module: string, exported: RegExp): string {
  const body = module
    .replace(exported, (_, name: string) => `;return ${name}\n`)
    .replaceAll('import.meta.url', JSON.stringify(indexUrl))
  if (exported.test(module)) return `(() => {${body}})()`
  throw new SameloopError(
    'sandbox-failed',
    'Cannot load Pyodide: wanted version 314, in which its modules end otherwise',
  )
}
