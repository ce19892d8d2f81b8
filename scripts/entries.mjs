// The entry points that exist, as data: which file stands behind which key of `exports`. Run with --write, it puts them
// into package.json and deno.json; a test keeps the three equal.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMain, root } from './project.mjs'

const list = (folder) =>
  existsSync(join(root, folder)) ? readdirSync(join(root, folder), { withFileTypes: true }) : []

/** `tools-web` is `./tools/web`; every other dash stays. */
const keyOf = (name) => {
  if (name === 'index') return '.'
  return `./${name.startsWith('tools-') ? name.replace('-', '/') : name}`
}

const sourceEntries = () =>
  list('src')
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => ({ key: keyOf(entry.name.slice(0, -3)), source: `src/${entry.name}` }))

const adapterEntries = () =>
  list('adapters')
    .filter((entry) => entry.isDirectory())
    .filter(({ name }) => existsSync(join(root, 'adapters', name, 'index.ts')))
    .map(({ name }) => ({ key: `./${name}`, source: `adapters/${name}/index.ts` }))

const elementEntries = () =>
  existsSync(join(root, 'element/index.ts')) ? [{ key: './element', source: 'element/index.ts' }] : []

/** `{ key, source, output, types }` for each entry point, sorted by key. */
export function entries() {
  return [...sourceEntries(), ...adapterEntries(), ...elementEntries()]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ key, source }) => {
      const name = key === '.' ? 'index' : key.slice(2)
      return { key, source, output: `dist/${name}.js`, types: `dist/types/${source.replace(/\.tsx?$/, '.d.ts')}` }
    })
}

/** Scripts that the Workers of the web have in common, whatever runtime they are in. */
const webScripts = () =>
  list('adapters/virtual/worker').flatMap((entry) =>
    ['browser', 'deno'].map((runtime) => ({
      runtime,
      isWhole: runtime === 'browser',
      in: `adapters/virtual/worker/${entry.name}`,
      out: `${runtime}-${entry.name.slice(0, -'.ts'.length)}-worker`,
    })),
  )

/**
 * Scripts of Workers: `adapters/<runtime>/<name>-worker.ts`, and `adapters/virtual/worker/<name>.ts` for each runtime with
 * Workers of the web, become `<runtime>-<name>-worker.js` beside the entry points. `isWhole` is one that may need no other
 * file: bundlers of pages take it as a file like an image, and the process of Python may read nothing else.
 */
export const workerScripts = () => [
  ...webScripts(),
  ...list('adapters')
    .filter((entry) => entry.isDirectory() && entry.name !== 'virtual')
    .flatMap(({ name }) =>
      list(join('adapters', name))
        .filter((entry) => entry.name.endsWith('-worker.ts'))
        .map((entry) => ({
          runtime: name,
          isWhole: name === 'browser' || entry.name === 'python-worker.ts',
          in: `adapters/${name}/${entry.name}`,
          out: `${name}-${entry.name.slice(0, -'.ts'.length)}`,
        })),
    ),
]

/** Files that are no code: what imports them has words of its own for their types. */
export const assets = { './quickjs.wasm': './dist/quickjs.wasm' }

export const packageExports = () => ({
  ...Object.fromEntries(
    entries().map(({ key, output, types }) => [key, { types: `./${types}`, default: `./${output}` }]),
  ),
  ...assets,
})

export const denoExports = () => Object.fromEntries(entries().map(({ key, source }) => [key, `./${source}`]))

function write(file, exports) {
  const path = join(root, file)
  const content = { ...JSON.parse(readFileSync(path, 'utf8')), exports }
  writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`)
}

if (isMain(import.meta)) {
  const writing = process.argv.includes('--write')
  if (writing) {
    write('package.json', packageExports())
    write('deno.json', denoExports())
  }
  console.log(`${entries().length} entry points${writing ? ' written to package.json and deno.json' : ''}`)
}
