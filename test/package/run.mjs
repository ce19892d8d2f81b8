// `npm run test:package`: what npm would publish, installed into an empty project, imported and type-checked there.
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { entries } from '../../scripts/entries.mjs'
import { provideBrowsers } from '../browser/programs.mjs'
import { closePart, countsOf, root, run, seconds, tool } from '../../scripts/project.mjs'
import { checkPage, pageKinds } from './pages.mjs'

const here = dirname(fileURLToPath(import.meta.url))

/** npm beside this Node where it is, else that of PATH. */
const npm = (args, options) => run('npm', args, { limitMs: 300_000, ...options })

async function must(what, running) {
  const { code, output } = await running
  if (code !== 0) throw new Error(`${what} failed:\n${output}`)
  return output
}

async function pack(folder) {
  await must('The build', run(process.execPath, [join(root, 'scripts/build.mjs'), 'library', 'declarations']))
  await must('npm pack', npm(['pack', '--pack-destination', folder, '--ignore-scripts']))
  return readdirSync(folder).find((name) => name.endsWith('.tgz'))
}

/** An empty project with the tarball as its one dependency. */
async function install(folder, tarball) {
  const project = join(folder, 'consumer')
  mkdirSync(project)
  const manifest = { name: 'consumer', private: true, type: 'module', dependencies: { sameloop: `file:../${tarball}` } }
  writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
  await must('npm install', npm(['install', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: project }))
  return project
}

function installedPackages(project) {
  const { packages } = JSON.parse(readFileSync(join(project, 'node_modules/.package-lock.json'), 'utf8'))
  return Object.keys(packages)
    .map((path) => path.replace(/^.*node_modules\//, ''))
    .sort()
}

/** Entry points that a plain Node can import: not those of other runtimes. */
const importable = () =>
  entries().filter(({ key }) => !/^\.\/(cloudflare|deno|extension|ai-sdk|mcp-sdk)(\/|$)/.test(key))

const specifier = (key) => `sameloop${key.slice(1)}`

const checks = {
  'publint finds nothing': async () => {
    await must('publint', run(process.execPath, [tool('publint/src/cli.js'), '--strict', root]))
  },
  'a plain install brings just these packages': async ({ project }) => {
    const wanted = JSON.parse(readFileSync(join(here, 'installed.json'), 'utf8'))
    const came = installedPackages(project)
    if (JSON.stringify(came) !== JSON.stringify(wanted))
      throw new Error(`Wanted ${wanted.join(', ')}, got ${came.join(', ')}`)
  },
  'every entry point can be imported': async ({ project }) => {
    const lines = importable().map(
      ({ key }) =>
        `if (Object.keys(await import('${specifier(key)}')).length === 0) throw new Error('${key} gives nothing')`,
    )
    writeFileSync(join(project, 'imports.mjs'), lines.join('\n'))
    await must('Importing', run(process.execPath, ['imports.mjs'], { cwd: project }))
  },
  'shell and programs run from what was installed, in a Worker and without': async ({ project }) => {
    const program = `
      import * as here from 'sameloop/node'
      import * as virtual from 'sameloop/virtual'
      for (const { shell, javascript } of [here, virtual]) {
        for (const [sandbox, command] of [[shell(), 'echo $((6 * 7))'], [javascript(), 'console.log(6 * 7)']]) {
          const { stdout, stderr } = await sandbox.exec({ command })
          if (stdout !== '42\\n') throw new Error(stdout + stderr)
          await sandbox.dispose()
        }
      }`
    writeFileSync(join(project, 'sandboxes.mjs'), program)
    await must('Running them', run(process.execPath, ['sandboxes.mjs'], { cwd: project }))
  },
  'nothing but the entry points can be imported': async ({ project }) => {
    const program = `await import('sameloop/dist/index.js').then(() => process.exit(1), (error) => process.exit(error.code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' ? 0 : 1))`
    await must('The refusal', run(process.execPath, ['--input-type=module', '-e', program], { cwd: project }))
  },
  'a consumer compiles in strict mode, its libraries checked too': async ({ project }) => {
    const names = importable().map(({ key }, index) => `import * as entry${index} from '${specifier(key)}'`)
    const uses = importable().map((_, index) => `entry${index}`)
    writeFileSync(
      join(project, 'consumer.ts'),
      `${names.join('\n')}\nexport const all: readonly object[] = [${uses.join(', ')}]\n`,
    )
    const options = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom',
      '--types',
      '',
    ]
    await must('tsc', run(process.execPath, [tool('typescript/bin/tsc'), ...options, 'consumer.ts'], { cwd: project }))
  },
}

/** Pages need a Chromium; in CI that it is missing is a failure. */
async function pageChecks() {
  const missing = await provideBrowsers(['chromium'])
  if (missing.length === 0 || process.env.CI)
    return Object.fromEntries(
      pageKinds.map((kind) => [
        `a page built by ${kind} runs commands and programs`,
        ({ project }) => checkPage(kind, project),
      ]),
    )
  console.log('package: pages are not built and opened: there is no Chromium')
  return undefined
}

async function main() {
  const begun = performance.now()
  const folder = mkdtempSync(join(tmpdir(), 'sameloop-package-'))
  const outcomes = []
  try {
    const tarball = await pack(folder)
    const project = await install(folder, tarball)
    console.log(`package: ${tarball} built, packed and installed (${seconds(begun)})`)
    const ofPages = await pageChecks()
    if (ofPages === undefined) outcomes.push(...pageKinds.map(() => 'skipped'))
    for (const [what, check] of Object.entries({ ...checks, ...ofPages })) {
      const problem = await check({ project }).then(
        () => undefined,
        (error) => error.message,
      )
      console.log(`package: ${what}: ${problem ?? 'yes'}`)
      outcomes.push(problem === undefined ? 'passed' : 'failed')
    }
  } catch (error) {
    console.log(`package: ${error.message}`)
    outcomes.push('failed')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  closePart(countsOf(outcomes))
}

await main()
