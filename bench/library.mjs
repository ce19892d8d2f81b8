// Where the measured library is: the built checkout, entered by the `exports` of its package.json as a user would.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export const benchFolder = dirname(fileURLToPath(import.meta.url))

/** This checkout, unless SAMELOOP_ROOT names another built one. */
export const libraryRoot = resolve(process.env.SAMELOOP_ROOT ?? join(benchFolder, '..'))

/** The file behind a key of `exports`; throws where it is not built. */
export function entryFile(key) {
  const { exports } = JSON.parse(readFileSync(join(libraryRoot, 'package.json'), 'utf8'))
  const target = Object.hasOwn(exports, key) ? (exports[key].default ?? exports[key]) : undefined
  if (target === undefined) throw new Error(`package.json exports no "${key}"`)
  const file = join(libraryRoot, target)
  if (!existsSync(file)) throw new Error(`"${key}" is not built: run "npm run build"`)
  return file
}

export const isBuilt = () => {
  try {
    return ['.', './openai', './anthropic', './json-schema', './journal', './plan'].every(
      (key) => entryFile(key) !== '',
    )
  } catch {
    return false
  }
}

export const entry = (key) => import(pathToFileURL(entryFile(key)).href)

/** A module of `src` that no entry point exports yet, compiled for this process. */
export async function sourceModule(path) {
  const { build } = await import('esbuild')
  const result = await build({
    entryPoints: [join(libraryRoot, path)],
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  })
  return import(`data:text/javascript;base64,${Buffer.from(result.outputFiles[0].contents).toString('base64')}`)
}

export const rivalInstalled = (name) => existsSync(join(benchFolder, 'rivals/node_modules', name, 'package.json'))
