// Programs in Python in Deno, each in a process of its own.
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { builtin } from '../node/builtin.ts'
import { childPort } from '../node/python/child.ts'
import { pyodideFolder, scriptPath } from '../node/python/place.ts'
import type { PythonOptions } from '../virtual/python/facts.ts'
import { pythonSandbox } from '../virtual/python/sandbox.ts'

/**
 * A sandbox for programs in Python: Pyodide (CPython in WebAssembly) of the package `pyodide`, which you install. Each
 * program has a process of its own: a Deno that may read the package's files and nothing else, without network and
 * variables; an abort or timeout kills it. For that this program needs `--allow-run` of Deno itself, and `--allow-read`.
 * The first program waits for Python to start (seconds), later ones less than one; neither counts for its time. Throws
 * `config-missing-capability` where `pyodide` is not found.
 */
export function python({ host, limits, indexUrl, workerUrl, memoryMb }: PythonOptions = {}): Sandbox {
  const folder = pyodideFolder(indexUrl)
  const script = scriptPath(workerUrl ?? new URL('./deno-python-worker.js', import.meta.url))
  const args = [
    'run',
    '--no-prompt',
    '--no-remote',
    '--no-npm',
    '--no-config',
    '--no-lock',
    `--allow-read=${script},${folder}`,
    '--v8-flags=--disallow-code-generation-from-strings,--max-old-space-size=512',
    script,
    folder,
  ]
  const path = builtin('node:process').execPath
  return pythonSandbox({ host, limits, memoryMb, open: () => childPort({ path, args }) })
}
