// How the shell's package gets into a bundle that runs anywhere: what it takes from Node is left out, and faults of
// it are mended. For every build that holds it: dist, tests, page and extension.
import { readFile } from 'node:fs/promises'

/** Compression is done by commands of ours; what this gives is never called. */
const noCompression = `
const refuse = () => { throw new Error('not available here') }
export const gzipSync = refuse, gunzipSync = refuse, deflateSync = refuse, inflateSync = refuse, constants = {}
export const createGunzip = refuse, createGzip = refuse, brotliCompressSync = refuse, brotliDecompressSync = refuse
export default {}
`

/** A document of its own for one command that makes Markdown: a fifth of the whole. */
const noDocument = `export const createDocument = () => { throw new Error('not available here') }`

/** Characters that `sed` may hold of one line and what is appended to it. */
const maxPatternSpace = 2 ** 21

/** What is mended, each with where it is and what takes its place. */
const faults = [
  {
    // A file that a redirection cannot open ends the whole script, and not only the command.
    at: /catch\((\w+)\)\{if\(!(\w+)\)throw \1;return\{error:(\w+)\("",`bash: \$\{(\w+)\}: cannot open redirect target\n`,1\)\}\}/,
    by: 'catch($1){if(!$2&&!$1.said)throw $1;return{error:$3("",`bash: ${$4}: ${$1.said||"cannot open redirect target"}\n`,1)}}',
  },
  {
    // A loop of substitutions that double their text is ended by no count.
    at: /(lineNumber:\w+,totalLines:\w+,patternSpace:(\w+)\}=\w+;)if\(/,
    by: `$1if($2.length>${maxPatternSpace})throw new Error("the pattern space has more than ${maxPatternSpace} characters");if(`,
  },
]

function mended(text) {
  return faults.reduce((text, { at, by }) => {
    if (text.match(new RegExp(at, 'g'))?.length !== 1)
      throw new Error('just-bash is another than this was written for: see scripts/bundled-shell.mjs')
    return text.replace(at, by)
  }, text)
}

/** For esbuild's `plugins`. */
export const bundledShell = {
  name: 'bundled-shell',
  setup(build) {
    // Read when minimatch loads; in Deno that would ask for a permission.
    build.initialOptions.define = {
      'process.env.__MINIMATCH_TESTING_PLATFORM__': 'undefined',
      ...build.initialOptions.define,
    }
    build.onResolve({ filter: /^node:zlib$/ }, ({ importer }) =>
      importer.includes('just-bash') ? { path: 'zlib', namespace: 'bundled-shell' } : undefined,
    )
    build.onResolve({ filter: /^@mixmark-io\/domino$/ }, () => ({ path: 'domino', namespace: 'bundled-shell' }))
    build.onLoad({ filter: /^zlib$/, namespace: 'bundled-shell' }, () => ({ contents: noCompression }))
    build.onLoad({ filter: /^domino$/, namespace: 'bundled-shell' }, () => ({ contents: noDocument }))
    build.onLoad({ filter: /just-bash[\\/]dist[\\/]bundle[\\/]browser\.js$/ }, async ({ path }) => ({
      contents: mended(await readFile(path, 'utf8')),
    }))
  },
}
