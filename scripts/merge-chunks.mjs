// Joins the chunks behind the main entry point into one file. esbuild makes a chunk for every set of entry points that
// share code, which comes to dozens of small files, and each costs a program about a millisecond when it starts.
import { build } from 'esbuild'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'

const importing = /^import \{([^}]*)\} from "(\.[^"\n]*)";$/gm

/** `a as b, c` as pairs of what is imported and its name here. */
const pairsOf = (list) =>
  list
    .split(',')
    .map((part) => part.trim().split(' as '))
    .filter(([name]) => name !== '')
    .map(([name, local = name]) => ({ name, local }))

const importsOf = (path) =>
  [...readFileSync(path, 'utf8').matchAll(importing)].map(([, list, from]) => ({
    target: join(dirname(path), from),
    names: pairsOf(list).map(({ name }) => name),
  }))

/** The chunks that a file needs, and those that they need. */
function chunksBehind(path, found = new Set()) {
  for (const { target } of importsOf(path)) {
    if (found.has(target)) continue
    found.add(target)
    chunksBehind(target, found)
  }
  return found
}

/** Under which name the joined file exports each name of each chunk: the same, unless two chunks use it. */
function namesOf(files, chunks) {
  const table = new Map([...chunks].map((chunk) => [chunk, new Map()]))
  const taken = new Set()
  for (const { target, names } of files.flatMap(importsOf)) {
    const own = table.get(target)
    for (const name of own === undefined ? [] : names) {
      if (own.has(name)) continue
      const free = taken.has(name) ? `${name}_${taken.size}` : name
      taken.add(free)
      own.set(name, free)
    }
  }
  return table
}

const clause = (pairs) => pairs.map(([from, to]) => (from === to ? from : `${from} as ${to}`)).join(', ')

/** Rewrites a file's imports of joined chunks: one import of the joined file takes their place. */
function redirect(path, table, merged) {
  const wanted = []
  const text = readFileSync(path, 'utf8').replace(importing, (statement, list, from) => {
    const names = table.get(join(dirname(path), from))
    if (names === undefined) return statement
    wanted.push(...pairsOf(list).map(({ name, local }) => [names.get(name), local]))
    return ''
  })
  if (wanted.length === 0) return
  const address = relative(dirname(path), merged).split(sep).join('/')
  const line = `import { ${clause(wanted)} } from "${address.startsWith('.') ? address : `./${address}`}";\n`
  writeFileSync(path, line + text.replace(/^\n+/, ''))
}

/** `files` are all built files, `main` the one whose chunks are joined. `options` are those of the build. */
export async function mergeChunks({ files, main, options }) {
  const chunks = chunksBehind(main)
  if (chunks.size < 2) return
  const merged = join(dirname(main), 'chunks', 'core.js')
  const others = files.filter((path) => !chunks.has(path))
  const table = namesOf(others, chunks)
  const lines = [...table].map(
    ([chunk, names]) => `export { ${clause([...names])} } from ${JSON.stringify(`./${basename(chunk)}`)}`,
  )
  await build({
    ...options,
    stdin: { contents: lines.join('\n'), resolveDir: dirname(merged), sourcefile: 'joined-chunks.js' },
    outfile: merged,
    bundle: true,
  })
  for (const path of others) redirect(path, table, merged)
  for (const chunk of chunks) rmSync(chunk)
}
