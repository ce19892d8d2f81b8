// Bytes of what a user imports: bundled from the built entry points, minified and gzipped.
import { build } from 'esbuild'
import { gzipSync } from 'node:zlib'
import { entryFile, libraryRoot } from '../library.mjs'

const core = { '.': ['agent', 'tool', 'ok', 'fail', 'fatal'] }

const programs = {
  core: { uses: core },
  openai: { uses: { ...core, './openai': ['openaiChat'] } },
  anthropic: { uses: { ...core, './anthropic': ['anthropic'] } },
  valibot: {
    uses: { '.': ['agent'], './openai': ['openaiChat'], './valibot': ['tool'] },
    code: `import * as v from 'valibot'
export const place = v.object({ city: v.string(), days: v.optional(v.number()) })`,
  },
}

/** `{ kib, eval, node }` of one program: gzipped KiB, whether it evaluates text, and what it wants of Node. */
async function sizeOf({ uses, code = '' }) {
  const lines = Object.entries(uses).map(([key, names]) => `export { ${names.join(', ')} } from '${entryFile(key)}'`)
  const result = await build({
    stdin: { contents: [...lines, code].join('\n'), resolveDir: libraryRoot },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: ['node:*'],
    target: 'es2022',
    charset: 'utf8',
    legalComments: 'none',
    write: false,
    logLevel: 'silent',
    metafile: true,
  })
  const { contents, text } = result.outputFiles[0]
  const imports = Object.values(result.metafile.outputs).flatMap((output) => output.imports)
  return {
    kib: gzipSync(contents, { level: 9 }).length / 1024,
    eval: /\beval\(|new Function\b/.test(text),
    node: imports.map(({ path }) => path),
  }
}

export async function sizes() {
  const found = {}
  for (const [name, program] of Object.entries(programs)) found[name] = await sizeOf(program)
  return found
}
