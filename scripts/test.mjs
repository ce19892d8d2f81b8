// `npm test`: every part in order, and one closing line with the sums. With names as arguments, just those parts.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root, run, seconds, tool } from './project.mjs'

const vitest = (...args) => ({ vitest: true, args: [tool('vitest/vitest.mjs'), 'run', ...args] })
const script = (path, ...args) => ({ args: [join(root, path), ...args] })

/** In the order in which a mistake is cheapest to find. */
const parts = {
  types: script('scripts/test-types.mjs'),
  lint: script('scripts/test-lint.mjs'),
  layers: script('scripts/check-layers.mjs'),
  unit: {
    before: script('scripts/install-peers.mjs'),
    ...vitest('--exclude', 'test/contract/**', '--exclude', 'test/surface/**'),
  },
  contract: vitest('test/contract'),
  surface: { before: script('scripts/build.mjs', 'library'), ...vitest('test/surface') },
  runtime: script('test/runtime/run.mjs'),
  adapters: script('test/adapters/run.mjs'),
  browser: script('test/browser/run.mjs'),
  package: script('test/package/run.mjs'),
}

const resultFolder = join(root, '.build/results')

/** Counts of a Vitest run, from its own report. */
function vitestCounts(file) {
  if (!existsSync(file)) return undefined
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  // A file that cannot be loaded has no tests to fail, but has failed.
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.length === 0,
  )
  return { passed: numPassedTests, failed: numFailedTests + broken.length, skipped: numPendingTests + numTodoTests }
}

const readCounts = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined)

async function runPart(name) {
  const { vitest: isVitest = false, before, args } = parts[name]
  const report = join(resultFolder, `${name}.json`)
  const nothing = { passed: 0, failed: 0, skipped: 0 }
  const extra = isVitest ? ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`] : []
  const options = { echo: true, limitMs: 1_200_000, env: isVitest ? { NO_COLOR: '1' } : { SAMELOOP_COUNTS: report } }
  if (before !== undefined) {
    const { code } = await run(process.execPath, before.args, options)
    if (code !== 0) return { ...nothing, failed: 1 }
  }
  const { code } = await run(process.execPath, [...args, ...extra], options)
  // A part that counts nothing is one test.
  const counts = (isVitest ? vitestCounts(report) : readCounts(report)) ?? { ...nothing, passed: code === 0 ? 1 : 0 }
  // Whatever was counted, a part that ends badly has failed.
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
}

const hasTests = (folder) =>
  existsSync(join(root, folder)) &&
  readdirSync(join(root, folder), { recursive: true }).some((name) => name.endsWith('.test.ts'))

const present = {
  contract: () => hasTests('test/contract'),
  surface: () => hasTests('test/surface'),
  browser: () => existsSync(join(root, 'test/browser/run.mjs')),
}

async function main() {
  const wanted = process.argv.slice(2)
  const unknown = wanted.find((name) => !Object.hasOwn(parts, name))
  if (unknown !== undefined)
    throw new Error(`Unknown part "${unknown}": wanted one of ${Object.keys(parts).join(', ')}`)
  const names = wanted.length === 0 ? Object.keys(parts) : wanted
  rmSync(resultFolder, { recursive: true, force: true })
  mkdirSync(resultFolder, { recursive: true })
  const total = { passed: 0, failed: 0, skipped: 0 }
  const failed = []
  const rows = []
  for (const [index, name] of names.entries()) {
    console.log(`\n== ${name} (part ${index + 1} of ${names.length})`)
    const begun = performance.now()
    const counts = present[name]?.() === false ? { passed: 0, failed: 0, skipped: 1 } : await runPart(name)
    for (const word of Object.keys(total)) total[word] += counts[word]
    if (counts.failed > 0) failed.push(name)
    rows.push(
      `${name.padEnd(10)} ${seconds(begun).padStart(8)}  ${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`,
    )
  }
  console.log(`\n== In short\n${rows.join('\n')}`)
  if (failed.length > 0) console.log(`Failed parts: ${failed.join(', ')}`)
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
  process.exitCode = failed.length > 0 ? 1 : 0
}

await main().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
