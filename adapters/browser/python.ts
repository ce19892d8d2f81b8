// Programs in Python in a web page, each in a Worker of a frame without origin.
import { SameloopError } from '../../src/error/error.ts'
import { guarded } from '../../src/error/guard.ts'
import { webHost } from '../../src/host/web-host.ts'
import { excerpt } from '../../src/json/text.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import type { PythonOptions } from '../virtual/python/facts.ts'
import { pythonSandbox } from '../virtual/python/sandbox.ts'
import { framePort } from './python/frame-port.ts'
import { fetchParcel } from './python/parcel.ts'
import type { Parcel } from './python/parcel.ts'

/**
 * A sandbox for programs in Python: Pyodide (CPython in WebAssembly), whose files (14 MB) your site serves from
 * `indexUrl`, a folder with those of the package `pyodide`. Each program has a Worker of its own, in a hidden frame whose
 * origin is nobody's: it has no cookies and no storage, and its security policy lets it fetch nothing. An abort or timeout
 * ends it. The page's own policy must allow what it fetches (`connect-src`), the script (`script-src`, with
 * `'wasm-unsafe-eval'`) and `worker-src blob:`. Throws `config-missing-capability` in Workers, which can have no frame, and
 * `config-invalid` without `indexUrl`.
 */
export function python({ host = webHost, limits, indexUrl, workerUrl, memoryMb }: PythonOptions = {}): Sandbox {
  if (typeof document === 'undefined')
    throw new SameloopError('config-missing-capability', 'Cannot run Python: wanted a page, as a Worker has no frames')
  const folder = indexUrl && guarded(() => new URL(String(indexUrl).replace(/\/?$/, '/'), document.baseURI).href, '')
  if (!folder)
    throw new SameloopError(
      'config-invalid',
      `Cannot run Python: wanted indexUrl, the folder of the package pyodide on your site, got ${excerpt(indexUrl)}`,
    )
  const scriptUrl = new URL(workerUrl ?? new URL('./browser-python-worker.js', import.meta.url), document.baseURI).href
  let fetched: Promise<Parcel> | undefined
  const parcel = (): Promise<Parcel> => {
    fetched ??= fetchParcel({ fetch: host.fetch, folder, scriptUrl })
    fetched.catch(() => (fetched = undefined))
    return fetched
  }
  return pythonSandbox({ host, limits, memoryMb, open: () => framePort({ scriptUrl, parcel }) })
}
