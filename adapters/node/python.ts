// Programs in Python in Node, each in a process of its own.
import { SameloopError } from '../../src/error/error.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import type { PythonOptions } from '../virtual/python/facts.ts'
import { pythonSandbox } from '../virtual/python/sandbox.ts'
import { builtin } from './builtin.ts'
import { childPort } from './python/child.ts'
import { pyodideFolder, scriptPath } from './python/place.ts'

/**
 * A sandbox for programs in Python: Pyodide (CPython in WebAssembly) of the package `pyodide`, which you install. Each
 * program has a process of its own: Node with its permission model, which may read the package's files and nothing
 * else, without variables; an abort or timeout kills it. Python can reach the JavaScript that it runs in, so that the
 * process is the boundary: up to Node 24 its permissions do not hold back the network, which is taken away in the process
 * itself. The first program waits for Python to start (seconds), later ones less than one; neither counts for its time.
 * Throws `config-missing-capability` where Node has no permission model (before 20, and Bun) or `pyodide` is not found.
 */
export function python({ host, limits, indexUrl, workerUrl, memoryMb }: PythonOptions = {}): Sandbox {
  const flag = permissionFlag()
  const folder = pyodideFolder(indexUrl)
  const script = scriptPath(workerUrl ?? new URL('./node-python-worker.js', import.meta.url))
  const args = [
    flag,
    `--allow-fs-read=${script}`,
    `--allow-fs-read=${folder}`,
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    '--max-old-space-size=512',
    script,
    folder,
  ]
  const path = builtin('node:process').execPath
  return pythonSandbox({ host, limits, memoryMb, open: () => childPort({ path, args }) })
}

function permissionFlag(): string {
  const flags = builtin('node:process').allowedNodeEnvironmentFlags
  const found = ['--permission', '--experimental-permission'].find((flag) => flags.has(flag))
  if (found !== undefined) return found
  throw new SameloopError(
    'config-missing-capability',
    'Cannot run Python: wanted a Node with a permission model (from 20), which Bun has not',
  )
}
