// Checks the layers: a file may import its own module, or a module on a strictly lower layer.
// Entry points (src/*.ts) may import any module and hold nothing but re-exports; no module imports an entry point.
// A module has 2 to 8 files; layers.json says which may have more. Folders of one adapter do not import each other in a circle. Type imports count. Usage: node check-layers.mjs [root]
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'

const root = process.argv[2] ?? '.'
const { layers, tops, packages, files: sizes = {} } = JSON.parse(readFileSync(join(root, 'layers.json'), 'utf8'))
const maxLines = 400
const problems = []

/** What each folder of an adapter imports of its neighbours there. */
const neighbours = new Map()

const walk = (dir) =>
  (existsSync(dir) ? readdirSync(dir, { withFileTypes: true }) : []).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return walk(path)
    return /\.tsx?$/.test(entry.name) ? [path] : []
  })

/** The code without comments; strings and templates are stepped over whole, so that nothing inside them counts as a comment. */
function withoutComments(text) {
  let out = ''
  for (let i = 0; i < text.length;) {
    const two = text.slice(i, i + 2)
    if (two === '//') {
      while (i < text.length && text[i] !== '\n') i++
      continue
    }
    if (two === '/*') {
      const end = text.indexOf('*/', i + 2)
      i = end < 0 ? text.length : end + 2
      continue
    }
    const quote = text[i]
    if (quote === "'" || quote === '"' || quote === '`') {
      let j = i + 1
      while (j < text.length && text[j] !== quote && !(quote !== '`' && text[j] === '\n')) j += text[j] === '\\' ? 2 : 1
      // No module is named by a template, so what a template holds is text, even where it looks like an import.
      out += quote === '`' ? '``' : text.slice(i, j + 1)
      i = j + 1
      continue
    }
    out += text[i++]
  }
  return out
}

const place = (path) => {
  const parts = relative(root, path).split(sep)
  if (parts[0] !== 'src') return { top: parts[0], module: parts[1] }
  return parts.length === 2 ? { top: 'src', entry: true } : { top: 'src', module: parts[1] }
}

/** A module is 2 to 8 files on one concept; collections may have more, others as many as layers.json grants them. */
function checkFiles(module) {
  const { most = 8, collections = [], more = {} } = sizes
  const count = walk(join(root, 'src', module)).length
  const granted = more[module] ?? most
  if (count < 2) problems.push(`src/${module}: one file is no module`)
  if (count > granted && !collections.includes(module))
    problems.push(`src/${module}: ${count} files, of at most ${granted}: split it, or grant it more in layers.json`)
  if (module in more && count < granted)
    problems.push(`src/${module}: layers.json grants it ${granted} files, and it has ${count}: write down what it has`)
}

/** `adapters/node/log`, for a file in it or below. */
const adapterFolder = (path) => {
  const parts = relative(root, path).split(sep)
  return parts[0] === 'adapters' && parts.length > 3 ? parts.slice(0, 3).join('/') : undefined
}

function noteNeighbour(file, target) {
  const [from, to] = [adapterFolder(file), adapterFolder(target)]
  if (from === undefined || to === undefined || from === to || dirname(from) !== dirname(to)) return
  neighbours.set(from, (neighbours.get(from) ?? new Set()).add(to))
}

/** The folders of a circle that a folder is in, itself at both ends; `undefined` where it is in none. */
function circleOf(start) {
  const open = [[start]]
  const seen = new Set()
  for (let way = open.pop(); way !== undefined; way = open.pop()) {
    for (const next of neighbours.get(way.at(-1)) ?? []) {
      if (next === start) return [...way, start]
      if (seen.has(next)) continue
      seen.add(next)
      open.push([...way, next])
    }
  }
  return undefined
}

for (const file of Object.keys(tops).flatMap((top) => walk(join(root, top)))) {
  const name = relative(root, file).split(sep).join('/')
  const text = readFileSync(file, 'utf8')
  const here = place(file)
  const fail = (why) => problems.push(`${name}: ${why}`)
  if (text.split('\n').length > maxLines) fail(`longer than ${maxLines} lines`)
  if (here.top === 'src' && !here.entry && !(here.module in layers))
    fail(`module "${here.module}" has no layer in layers.json`)
  if (here.top === 'src' && !here.entry && name.endsWith('/index.ts')) fail('barrel inside a module')
  const code = withoutComments(text)
  if (
    here.entry &&
    code.replace(/export\s+(type\s+)?(\*(\s+as\s+\w+)?|\{[^}]*\})\s+from\s+(['"])[^'"]+\4;?/g, '').trim()
  )
    fail('an entry point only re-exports')
  for (const match of code.matchAll(/\bfrom\s*(['"])([^'"\n]+)\1|\bimport\s*\(?\s*(['"])([^'"\n]+)\3/g)) {
    const specifier = match[2] ?? match[4]
    if (!specifier.startsWith('.')) {
      if (here.top === 'src' && !packages[name]?.includes(specifier)) fail(`imports package "${specifier}"`)
      continue
    }
    const target = join(dirname(file), specifier)
    if (!existsSync(target)) {
      fail(`imports missing file ${specifier}`)
      continue
    }
    noteNeighbour(file, target)
    const there = place(target)
    if (!(there.top in tops)) {
      fail(`imports ${there.top}, which has no rank in layers.json`)
      continue
    }
    if (here.top === 'src' && there.top === 'src') {
      if (there.entry && !here.entry) fail('a module imports an entry point')
      else if (!here.entry && there.module !== here.module && !(layers[there.module] < layers[here.module]))
        fail(`layer ${layers[here.module]} (${here.module}) imports layer ${layers[there.module]} (${there.module})`)
    } else if (here.top !== there.top && !(tops[there.top] < tops[here.top])) fail(`${here.top} imports ${there.top}`)
    else if (
      here.top === 'adapters' &&
      there.top === 'adapters' &&
      here.module !== there.module &&
      there.module !== 'virtual' &&
      // Deno has the modules of Node.
      !(here.module === 'deno' && there.module === 'node') &&
      here.module !== 'extension'
    )
      fail(`adapter ${here.module} imports adapter ${there.module}`)
  }
}
for (const entry of existsSync(join(root, 'src')) ? readdirSync(join(root, 'src'), { withFileTypes: true }) : [])
  if (entry.isDirectory()) checkFiles(entry.name)
for (const folder of neighbours.keys()) {
  const circle = circleOf(folder)
  // One of them speaks for all.
  if (circle && circle.every((one) => folder <= one))
    problems.push(`${folder}: imports its neighbours in a circle: ${circle.join(' → ')}`)
}
for (const problem of problems) console.error(problem)
console.log(`${problems.length} problems`)
process.exit(problems.length ? 1 : 0)
