// `npm run example report`: runs an example against the sources of this checkout, on any Node that builds it.
import { build } from 'esbuild'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { entries } from './entries.mjs'
import { isMain, root, run } from './project.mjs'

const sources = new Map(entries().map(({ key, source }) => [`sameloop${key.slice(1)}`, join(root, source)]))

const packageSources = {
  name: 'package',
  setup(context) {
    context.onResolve({ filter: /^sameloop(?:$|\/)/ }, ({ path }) =>
      sources.has(path) ? { path: sources.get(path) } : { errors: [{ text: `There is no entry point "${path}"` }] },
    )
  },
}

/** Runs the program at `file` (below the project) to its end: `{ code, output }`. `change` alters its text before. */
export async function runExample(file, { change = (text) => text, ...options } = {}) {
  const outfile = join(root, '.build/examples', file.replaceAll('/', '-').replace(/\.ts$/, '.mjs'))
  const source = {
    name: 'source',
    setup(context) {
      context.onLoad({ filter: /[\\/]examples[\\/].*\.ts$/ }, async ({ path }) => {
        return { contents: change(await readFile(path, 'utf8')), loader: 'ts' }
      })
    },
  }
  await build({
    entryPoints: [join(root, file)],
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outfile,
    plugins: [packageSources, source],
    logLevel: 'error',
  })
  return run(process.execPath, [outfile], options)
}

if (isMain(import.meta)) {
  const [name = 'report'] = process.argv.slice(2)
  const { code } = await runExample(`examples/${name}/${name}.ts`, { echo: true })
  process.exitCode = code
}
