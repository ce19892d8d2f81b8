// Where the files of Pyodide and the script of its process are, as paths of this machine.
import { SameloopError } from '../../../src/error/error.ts'
import { guarded } from '../../../src/error/guard.ts'
import { excerpt } from '../../../src/json/text.ts'
import { builtin } from '../builtin.ts'

/** The real folder of the package, with a slash at its end. Throws `config-missing-capability` where there is none. */
export function pyodideFolder(indexUrl: string | URL | undefined): string {
  const { dirname, join, sep } = builtin('node:path')
  const given = indexUrl === undefined ? installed() : pathOf(indexUrl)
  const manifest = given && guarded(() => builtin('node:fs').realpathSync(join(given, 'pyodide.asm.wasm')), undefined)
  if (manifest !== undefined && manifest !== '') return dirname(manifest) + sep
  const where = indexUrl === undefined ? 'it is not installed' : `it is not in ${excerpt(String(indexUrl))}`
  throw new SameloopError(
    'config-missing-capability',
    `Cannot run Python: wanted the package pyodide, and ${where}; run "npm install pyodide", or name its folder with indexUrl`,
  )
}

function installed(): string | undefined {
  const { createRequire } = builtin('node:module')
  const found = guarded(() => createRequire(import.meta.url).resolve('pyodide/package.json'), undefined)
  return found && builtin('node:path').dirname(found)
}

function pathOf(url: string | URL): string {
  const text = String(url)
  if (!/^[a-z][a-z0-9+.-]+:/i.test(text)) return text
  const path = guarded(() => builtin('node:url').fileURLToPath(text), undefined)
  if (path !== undefined) return path
  throw new SameloopError('config-invalid', `Cannot run Python: wanted a file URL or a path, got ${excerpt(text)}`)
}

/** Where the script really is: permissions are given for that. A script that is not there is seen when it starts. */
export function scriptPath(url: string | URL): string {
  const path = pathOf(url)
  return guarded(() => builtin('node:fs').realpathSync(path), path)
}
