// Builds what the runtimes run: the suites of their adapters, and the Workers' scripts that adapters start.
import { build } from 'esbuild'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { bundledShell } from '../../scripts/bundled-shell.mjs'
import { workerScripts } from '../../scripts/entries.mjs'
import { root } from '../../scripts/project.mjs'

/** Where each kind of suite runs, for esbuild. */
const kinds = {
  node: { platform: 'node' },
  deno: { platform: 'neutral', external: ['node:*'] },
  browser: { platform: 'browser' },
  workerd: { platform: 'neutral', conditions: ['workerd', 'module'], external: ['node:*', './*.wasm'] },
}

const wasm = join(root, 'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm')

/** Programs that suites start as processes of their own, under their own names beside the suite. */
const programs = (kind) =>
  kind === 'node' || kind === 'deno'
    ? [{ in: 'test/adapters/inside/crash/crash-program.ts', out: 'crash-program' }]
    : []

/** The checked commands beside the repository, where they are; see test/adapters/inside/shell/battery.ts. */
async function shellBattery() {
  const path = join(root, '../shared/shell/battery.mjs')
  if (!existsSync(path)) return null
  const { one, files } = await import(pathToFileURL(path).href)
  return { commands: one.filter(([, , stdout]) => stdout !== null), files }
}

/** The recorded commands beside the repository, where they are; see test/adapters/inside/shell/fixtures.ts. */
function shellFixtures() {
  const folder = join(root, '../shared/suites/just-bash-fixtures/fixtures')
  if (!existsSync(folder)) return null
  return readdirSync(folder).flatMap((file) => Object.values(JSON.parse(readFileSync(join(folder, file), 'utf8'))))
}

/**
 * Makes .build/adapters/<kind> and returns its path. Other code of adapters is loaded lazily, from chunks. With `measure`
 * the suites also say how long things take.
 */
export async function bundle(kind, { measure = false } = {}) {
  const folder = join(root, '.build/adapters', kind)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'test/runtime/inside'), folder, { recursive: true })
  // The program of the scenarios also imports what they export, and knows nothing of WebAssembly.
  for (const name of [`${kind}.mjs`, `${kind}.capnp`]) {
    const own = join(root, 'test/adapters/inside', name)
    if (existsSync(own)) cpSync(own, join(folder, name))
  }
  // A site serves it from where it likes.
  if (kind === 'browser') cpSync(join(root, 'node_modules/pyodide'), join(folder, 'pyodide'), { recursive: true })
  if (kind === 'workerd') cpSync(wasm, join(folder, 'quickjs.wasm'))
  const scripts = workerScripts().filter(({ runtime }) => runtime === kind)
  const point = ({ in: source, out }) => ({ in: source, out })
  // A page's scripts are split all the same here: fewer bytes, of many suites.
  const isAlone = ({ in: source }) => source.endsWith('python-worker.ts')
  const workers = scripts.filter((script) => !isAlone(script)).map(point)
  const options = {
    absWorkingDir: root,
    bundle: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    mainFields: ['module', 'main'],
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
    define: {
      MEASURE: String(measure),
      LONG: String(process.env.SAMELOOP_LONG === '1'),
      KIND: JSON.stringify(kind),
      SHELL_BATTERY: JSON.stringify(await shellBattery()),
      SHELL_FIXTURES: JSON.stringify(shellFixtures()),
    },
    plugins: [bundledShell],
    outdir: folder,
    ...kinds[kind],
  }
  const suite = `test/adapters/inside/${kind}.ts`
  // workerd is given its modules by name.
  const entryPoints = [{ in: suite, out: 'suite' }, ...workers]
  await build({ ...options, entryPoints, splitting: kind !== 'workerd' })
  // Apart: what they shared with the suite would be in chunks, and no longer beside the Workers' scripts.
  await build({ ...options, entryPoints: [...programs(kind), ...scripts.filter(isAlone).map(point)] })
  if (kind === 'browser') await bundleForServiceWorker({ ...options, entryPoints: [{ in: suite, out: 'suite-whole' }] })
  return folder
}

/** A service worker cannot import() at run time: it has all in one file, as an extension's background has. */
async function bundleForServiceWorker(options) {
  await build(options)
  const path = join(options.outdir, 'service-worker.mjs')
  writeFileSync(path, readFileSync(path, 'utf8').replace('./suite.js', './suite-whole.js'))
}
