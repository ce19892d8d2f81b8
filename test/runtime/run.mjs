// `npm run test:runtime`: the same scenarios, from the same bundle, in twelve environments, whose traces must be equal.
// With `--only name,name` (a name or a part of one) just those environments run, and with `--scenario text` just the
// scenarios whose name contains the text.
import { entries } from '../../scripts/entries.mjs'
import { closePart, seconds } from '../../scripts/project.mjs'
import { provideBrowsers } from '../browser/programs.mjs'
import { bundle } from './bundle.mjs'
import { checkWithDeno, installRuntimes, runBun, runDeno, runNode, runWorkerd } from './commands.mjs'
import { environments, placeOf } from './environments.mjs'
import { proveMoves } from './moves.mjs'
import { runChromium, runExtension, runFirefox, runWebkit } from './pages.mjs'

const groups = {
  node: runNode,
  deno: runDeno,
  bun: runBun,
  workerd: runWorkerd,
  chromium: runChromium,
  'chromium-extension': runExtension,
  firefox: runFirefox,
  webkit: runWebkit,
}

const browserOf = (group) => ['chromium', 'firefox', 'webkit'].find((name) => group.startsWith(name))

function option(name) {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : (process.argv[at + 1] ?? '')
}

function wantedEnvironments() {
  const only = option('--only')
  if (only === undefined) return environments
  const parts = only.split(',').filter((part) => part !== '')
  const chosen = environments.filter(({ name }) => parts.some((part) => name.includes(part)))
  if (chosen.length > 0) return chosen
  throw new Error(
    `No environment matches "${parts.join(',')}": wanted one of ${environments.map(({ name }) => name).join(', ')}`,
  )
}

/** What an environment said, or why there is nothing. */
function outcomeOf(environment, answer) {
  const text = answer[placeOf(environment.name)]
  const said = JSON.parse(text)
  return {
    ...environment,
    version: answer.version,
    ...(said.failure === undefined ? { report: said } : { failure: said.failure }),
  }
}

async function runGroup(group, members, { folder, missing }) {
  const begun = performance.now()
  const browser = browserOf(group)
  const absent = () => members.map((member) => ({ ...member, skipped: 'not installed' }))
  let outcomes
  try {
    const skip = browser !== undefined && missing.includes(browser)
    const answer = skip
      ? undefined
      : await groups[group](
          folder,
          members.map(({ name }) => placeOf(name)),
        )
    outcomes = answer === undefined ? absent() : members.map((member) => outcomeOf(member, answer))
  } catch (error) {
    outcomes = members.map((member) => ({ ...member, failure: error.message }))
  }
  console.log(`${group}: ${members.length} of the environments, ${seconds(begun)}`)
  return outcomes
}

/** Runs the groups, two at a time, and returns the outcomes in the order of the environments. */
async function runGroups(wanted, context) {
  const waiting = [...new Set(wanted.map(({ group }) => group))]
  const outcomes = []
  const lane = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const name = group
      outcomes.push(
        ...(await runGroup(
          name,
          wanted.filter((one) => one.group === name),
          context,
        )),
      )
    }
  }
  await Promise.all([lane(), lane()])
  return wanted.map(({ name }) => outcomes.find((outcome) => outcome.name === name))
}

/** Why an environment is not as it should be, in words; empty when all is well. */
function problemsOf(outcome, reference) {
  if (outcome.failure !== undefined) return [`could not run: ${outcome.failure}`]
  const { scenarios, faults, hash } = outcome.report
  const failed = scenarios.filter(({ ok }) => !ok).map(({ name, error }) => `"${name}" failed: ${error}`)
  const different = hash === reference.report.hash ? [] : [firstDifference(outcome, reference)]
  return [...failed, ...faults, ...different]
}

function firstDifference(outcome, reference) {
  for (const [index, wanted] of reference.report.scenarios.entries()) {
    const came = outcome.report.scenarios[index]
    const length = Math.max(wanted.trace.length, came?.trace.length ?? 0)
    for (let line = 0; line < length; line++) {
      if (wanted.trace[line] === came?.trace[line]) continue
      const at = `"${wanted.name}", line ${line + 1}`
      return `differs from ${reference.label} at ${at}\n    ${reference.label}: ${wanted.trace[line] ?? 'no line'}\n    ${outcome.label}: ${came?.trace[line] ?? 'no line'}`
    }
  }
  return `differs from ${reference.label} in the number of scenarios`
}

/** Prints columns as wide as they need to be. */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
}

function row(outcome) {
  if (outcome.report === undefined)
    return [outcome.label, outcome.version ?? '', '', outcome.skipped ?? 'could not run']
  const { scenarios, hash } = outcome.report
  const passed = scenarios.filter(({ ok }) => ok).length
  return [outcome.label, outcome.version, `${passed} of ${scenarios.length}`, hash.slice(0, 16)]
}

/** Counts: each scenario in each environment is a test, and so is each environment's equality with the others. */
function count(outcomes, problems) {
  const ran = outcomes.filter(({ report }) => report !== undefined)
  const reports = ran.flatMap(({ report }) => report.scenarios)
  const broken = outcomes.filter((outcome, index) => problems[index].length > 0).length
  const failedScenarios = reports.filter(({ ok }) => !ok).length
  const passed =
    reports.length - failedScenarios + ran.filter((outcome) => problems[outcomes.indexOf(outcome)].length === 0).length
  const skipped = outcomes.filter(({ skipped }) => skipped !== undefined).length
  return { passed, failed: failedScenarios + broken, skipped }
}

async function main() {
  const begun = performance.now()
  const wanted = wantedEnvironments()
  const folder = await bundle({ only: option('--scenario') })
  if (wanted.some(({ group }) => group === 'deno' || group === 'bun')) await installRuntimes()
  const browsers = [...new Set(wanted.map(({ group }) => browserOf(group)).filter((name) => name !== undefined))]
  const missing = await provideBrowsers(browsers)
  const outcomes = await runGroups(wanted, { folder, missing })
  const reference = outcomes.find(({ report }) => report !== undefined)
  // In CI nothing may be missing: a proof that silently shrinks is none.
  const judged = process.env.CI ? outcomes.map(missingIsFailure) : outcomes
  const problems = judged.map((outcome) => (outcome.skipped === undefined ? problemsOf(outcome, reference) : []))
  table([['environment', 'version', 'scenarios', 'hash'], ...judged.map(row)])
  for (const [index, outcome] of judged.entries()) {
    for (const problem of problems[index]) console.log(`${outcome.label}: ${problem}`)
  }
  const counts = count(judged, problems)
  const moved = option('--scenario') === undefined ? await proveMoves(judged, folder) : { passed: 0, failed: 0 }
  const checked = await denoCheck(wanted)
  const compared = judged.length - counts.skipped
  if (counts.failed === 0)
    console.log(`All traces are equal in ${compared} of ${environments.length} environments (${seconds(begun)})`)
  closePart(sumOf(counts, moved, checked))
}

const sumOf = (counts, ...others) => ({
  ...counts,
  passed: others.reduce((sum, { passed }) => sum + passed, counts.passed),
  failed: others.reduce((sum, { failed }) => sum + failed, counts.failed),
})

/** One more test where Deno is among the environments: it checks the types of the core's sources. */
async function denoCheck(wanted) {
  if (option('--scenario') !== undefined || wanted.every(({ name }) => name !== 'deno')) return { passed: 0, failed: 0 }
  const sources = entries()
    .map(({ source }) => source)
    .filter((source) => source.startsWith('src/'))
  const problems = await checkWithDeno(sources)
  if (problems === undefined) return { passed: 0, failed: 0 }
  console.log(`deno check: ${sources.length} entry points: ${problems === '' ? 'clean' : problems}`)
  return problems === '' ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

const missingIsFailure = ({ skipped, ...outcome }) =>
  skipped === undefined ? outcome : { ...outcome, failure: `${skipped}, and with CI set nothing may be missing` }

await main().catch((error) => {
  console.log(error.message)
  closePart({ passed: 0, failed: 1, skipped: 0 })
})
