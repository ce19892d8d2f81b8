// Builds the one bundle that every environment runs, and lays the small programs that start it beside it.
import { build } from 'esbuild'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundledShell } from '../../scripts/bundled-shell.mjs'
import { entries } from '../../scripts/entries.mjs'
import { root } from '../../scripts/project.mjs'

/** The module `entry-points`: every entry point of the core, so that each is imported in each environment. */
function entryPoints(wanted) {
  const core = wanted ? entries().filter(({ source }) => source.startsWith('src/')) : []
  const imports = core.map(
    ({ source }, index) => `import * as entry${index} from ${JSON.stringify(join(root, source))}`,
  )
  const table = core.map(({ key }, index) => `${JSON.stringify(key)}: entry${index}`)
  const contents = `${imports.join('\n')}\nexport const entryPoints = { ${table.join(', ')} }\n`
  return {
    name: 'entry-points',
    setup(context) {
      context.onResolve({ filter: /^entry-points$/ }, ({ path }) => ({ path, namespace: 'entry-points' }))
      context.onLoad({ filter: /.*/, namespace: 'entry-points' }, () => ({ contents, resolveDir: root }))
    },
  }
}

/**
 * Makes .build/runtime and returns its path. Fails where the core or a scenario imports `node:` or an unknown package.
 * With `only`, just the scenarios whose name contains it, and no entry points.
 */
export async function bundle({ only = '' } = {}) {
  const folder = join(root, '.build/runtime')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'test/runtime/inside'), folder, { recursive: true })
  await build({
    absWorkingDir: root,
    entryPoints: ['test/runtime/suite.ts'],
    outfile: join(folder, 'suite.js'),
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2022',
    charset: 'utf8',
    logLevel: 'warning',
    define: { ONLY_SCENARIOS: JSON.stringify(only) },
    plugins: [entryPoints(only === ''), bundledShell],
  })
  return folder
}
