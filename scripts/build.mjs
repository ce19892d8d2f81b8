// `npm run build`: dist/ for npm (one file per entry point with shared chunks, and declarations), and, where their
// sources exist, the page and the extension. The worker is bundled by wrangler.
import { build } from 'esbuild'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { bundledShell } from './bundled-shell.mjs'
import { entries, workerScripts } from './entries.mjs'
import { mergeChunks } from './merge-chunks.mjs'
import { writeNotices } from './notices.mjs'
import { isMain, root, run, seconds, tool } from './project.mjs'

const manifest = () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const here = (path) => existsSync(join(root, path))

/** What a user's installation or runtime provides; everything else that is imported goes into dist/chunks. */
const external = () => {
  const { dependencies = {}, peerDependencies = {} } = manifest()
  const packages = Object.keys({ ...dependencies, ...peerDependencies }).flatMap((name) => [name, `${name}/*`])
  return [...packages, 'node:*', 'cloudflare:*']
}

const files = (folder) =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? files(path) : [path]
  })

const shared = {
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  plugins: [bundledShell],
}

/** Empties a folder of what an earlier build left, but for the named parts of other builds. */
function clear(folder, kept) {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (!kept.includes(name)) rmSync(join(folder, name), { recursive: true })
  }
}

/** What is not code: the engine for Cloudflare, which the user's own build compiles. */
function copyEngine(outdir) {
  const from = 'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm'
  copyFileSync(join(root, from), join(root, outdir, 'quickjs.wasm'))
}

/** The library, not minified: a user's own bundler does that. */
export async function buildLibrary(outdir = 'dist') {
  const points = entries().map(({ source, output }) => ({
    in: source,
    out: output.slice('dist/'.length, -'.js'.length),
  }))
  const options = {
    ...shared,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    external: external(),
    // Of a package that has a part for it: only the engine for Cloudflare does.
    conditions: ['workerd', 'module'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
  }
  clear(join(root, outdir), ['types', 'page', 'extension'])
  const chunkNames = 'chunks/[name]-[hash]'
  const scripts = workerScripts().map(({ isWhole, in: from, out }) => ({ point: { in: from, out }, isWhole }))
  const split = scripts.filter(({ isWhole }) => !isWhole).map(({ point }) => point)
  const entryPoints = [...points, ...split]
  const { metafile } = await build({ ...options, entryPoints, outdir, splitting: true, chunkNames })
  const whole = scripts.filter(({ isWhole }) => isWhole).map(({ point }) => point)
  const alone = await build({ ...options, entryPoints: whole, outdir, external: ['node:*'], minify: true })
  writeNotices([metafile, alone.metafile], outdir)
  const made = Object.keys(metafile.outputs).map((path) => join(root, path))
  for (const path of made) dropBareImports(path)
  const main = join(root, outdir, 'index.js')
  if (made.includes(main)) await mergeChunks({ files: made, main, options })
  copyEngine(outdir)
}

/**
 * esbuild keeps the order of evaluation by imports of chunks that give nothing. Nothing here does anything on import, so
 * they only cost a file, and a warning in a user's own bundler.
 */
function dropBareImports(path) {
  const text = readFileSync(path, 'utf8')
  const without = text.replace(/^import "\.[^"\n]*";\n/gm, '')
  if (without !== text) writeFileSync(path, without)
}

/** TypeScript leaves `./x.ts` in declarations; `./x.js` is understood by every resolver. */
function rewriteSpecifiers(folder) {
  for (const path of files(folder)) {
    const text = readFileSync(path, 'utf8')
    writeFileSync(path, text.replace(/((?:from|import\()\s*['"]\.[^'"\n]*)\.tsx?(['"])/g, '$1.js$2'))
  }
}

/** The configurations that emit declarations, each with its own library types and just what is published. */
const typeProjects = () =>
  ['tsconfig.json', 'adapters/cloudflare/tsconfig.json', 'adapters/node/tsconfig.json'].filter((path) => {
    const folder = dirname(path)
    return folder === '.' || readdirSync(join(root, folder)).some((name) => name.endsWith('.ts'))
  })

async function buildDeclarations() {
  rmSync(join(root, 'dist/types'), { recursive: true, force: true })
  const emit = ['--noEmit', 'false', '--emitDeclarationOnly', '--outDir', join(root, 'dist/types'), '--rootDir', root]
  for (const project of typeProjects()) {
    const { code, output } = await run(process.execPath, [tool('typescript/bin/tsc'), '-p', project, ...emit])
    if (code !== 0) throw new Error(`Declarations of ${project} cannot be made:\n${output}`)
  }
  rewriteSpecifiers(join(root, 'dist/types'))
}

function copyStatic(from, to) {
  for (const path of files(join(root, from)).filter((path) => !/\.(tsx?|md)$|tsconfig\.json$/.test(path))) {
    const target = join(root, to, path.slice(join(root, from).length + 1))
    mkdirSync(dirname(target), { recursive: true })
    copyFileSync(path, target)
  }
}

const pageLike = { ...shared, platform: 'browser', minify: true, jsx: 'automatic', jsxImportSource: 'preact' }

/** A bundle and the static files beside its source; `undefined` where the source does not exist yet. */
async function buildPage() {
  const main = ['web-demo/main.tsx', 'web-demo/main.ts'].find(here)
  if (main === undefined) return undefined
  const shellScript = { in: 'adapters/virtual/worker/shell.ts', out: 'shell-worker' }
  const entryPoints = [main, 'web-demo/style/page.css', shellScript]
  copyStatic('web-demo', 'dist/page')
  return build({
    ...pageLike,
    entryPoints,
    outbase: 'web-demo',
    outdir: 'dist/page',
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
  })
}

async function buildExtension() {
  if (!here('extension/manifest.json')) return undefined
  const names = readdirSync(join(root, 'extension')).filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'))
  copyStatic('extension', 'dist/extension')
  // One file each: an MV3 background cannot import() at run time.
  return build({ ...pageLike, entryPoints: names.map((name) => `extension/${name}`), outdir: 'dist/extension' })
}

const parts = {
  library: () => buildLibrary(),
  declarations: buildDeclarations,
  page: buildPage,
  extension: buildExtension,
}

/** Builds the named parts side by side, or all, and says what came of each. */
export async function buildAll(names = Object.keys(parts)) {
  const begun = performance.now()
  if (names.length === Object.keys(parts).length) rmSync(join(root, 'dist'), { recursive: true, force: true })
  await Promise.all(
    names.map(async (name) => {
      const made = await parts[name]()
      const absent = made === undefined && !['library', 'declarations'].includes(name)
      console.log(absent ? `${name}: no source yet, skipped` : `${name}: built (${seconds(begun)})`)
    }),
  )
}

if (isMain(import.meta)) {
  const names = process.argv.slice(2)
  const unknown = names.find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined) {
    console.error(`Unknown part "${unknown}": wanted one of ${Object.keys(parts).join(', ')}`)
    process.exit(1)
  }
  await buildAll(names.length === 0 ? undefined : names).catch((error) => {
    console.error(error.message)
    process.exitCode = 1
  })
}
