// `npm run test:types`: every part of the project under the library types of where it runs. src is checked under those
// of a page, of a Worker and of Cloudflare; what passes all three is the common ground.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { closePart, countsOf, root, run, seconds, tool } from './project.mjs'

const projects = [
  { config: 'tsconfig.json', what: 'core, adapters and element, lib DOM', folder: 'src' },
  { config: '.build/types/dom.json', what: 'core, lib DOM without async-iterable streams', folder: 'src' },
  { config: '.build/types/webworker.json', what: 'core, lib WebWorker without async-iterable streams', folder: 'src' },
  { config: '.build/types/cloudflare.json', what: 'core, Cloudflare types', folder: 'src' },
  ...[
    'adapters/cloudflare',
    'adapters/node',
    'worker',
    'web-demo',
    'extension',
    'examples',
    'test/worker/inside',
    'test',
  ].map((folder) => ({ config: `${folder}/tsconfig.json`, what: folder, folder })),
]

const hasSources = (folder) => {
  const path = join(root, folder)
  if (!existsSync(path)) return false
  return readdirSync(path, { withFileTypes: true }).some((entry) =>
    entry.isDirectory() ? hasSources(join(folder, entry.name)) : /\.tsx?$/.test(entry.name),
  )
}

function libraryFolder() {
  const compiler = createRequire(tool('typescript/package.json'))
  const platform = `@typescript/typescript-${process.platform}-${process.arch}/package.json`
  return join(dirname(compiler.resolve(platform)), 'lib')
}

/**
 * A lib in which a ReadableStream is not async-iterable, as in Safari: TypeScript's own says it is everywhere.
 * Returns nothing; the project configuration that uses it is written to .build/types.
 */
function writeNarrowLib(name) {
  const folder = join(root, '.build/types')
  const text = readFileSync(join(libraryFolder(), `lib.${name}.d.ts`), 'utf8')
  const iteration = /^\s*(\[Symbol\.asyncIterator\]|values)\(options\?: ReadableStreamIteratorOptions\).*$/gm
  const narrow = text.replace(iteration, '')
  if (narrow === text) throw new Error(`Cannot narrow lib.${name}.d.ts: the lines about async iteration were not found`)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.d.ts`), narrow)
  writeProject(name, { compilerOptions: { lib: ['ES2022'] }, include: ['../../src', `./${name}.d.ts`] })
}

function writeProject(name, settings) {
  const config = { extends: '../../tsconfig.base.json', ...settings }
  writeFileSync(join(root, '.build/types', `${name}.json`), JSON.stringify(config))
}

async function check({ config, what, folder }) {
  if (!hasSources(folder)) {
    console.log(`types: ${what}: no source yet`)
    return 'absent'
  }
  const begun = performance.now()
  const { code, output } = await run(process.execPath, [tool('typescript/bin/tsc'), '-p', config, '--noEmit'])
  console.log(`types: ${what}: ${code === 0 ? 'clean' : 'errors'} (${seconds(begun)})`)
  if (code !== 0) console.log(output.trimEnd())
  return code === 0 ? 'passed' : 'failed'
}

writeNarrowLib('dom')
writeNarrowLib('webworker')
const cloudflare = { lib: ['ES2022'], types: ['@cloudflare/workers-types'] }
writeProject('cloudflare', { compilerOptions: cloudflare, include: ['../../src'] })
const outcomes = []
for (const project of projects) outcomes.push(await check(project))
closePart(countsOf(outcomes))
