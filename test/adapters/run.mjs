// `npm run test:adapters`: the adapters of each runtime, under the contracts of their ports, in that runtime.
// With `--only name,name` (a name or a part of one) just those environments run, and with `--measure` they say how long
// files take beside memory.
import { closePart, seconds } from '../../scripts/project.mjs'
import { provideBrowsers } from '../browser/programs.mjs'
import { installRuntimes, runBun, runDeno, runNode, runWorkerd } from '../runtime/commands.mjs'
import { environments, placeOf } from '../runtime/environments.mjs'
import { runChromium, runExtension, runFirefox, runWebkit } from '../runtime/pages.mjs'
import { patience } from '../runtime/patience.mjs'
import { bundle } from './bundle.mjs'

const denoPermissions = ['--allow-read', '--allow-write', '--allow-run', '--allow-env', '--unstable-kv']

const groups = {
  node: { kind: 'node', start: runNode },
  deno: { kind: 'deno', start: (folder) => runDeno(folder, [], denoPermissions) },
  bun: { kind: 'node', start: runBun },
  workerd: { kind: 'workerd', start: runWorkerd },
  chromium: { kind: 'browser', start: runChromium },
  'chromium-extension': { kind: 'browser', start: runExtension },
  firefox: { kind: 'browser', start: runFirefox },
  webkit: { kind: 'browser', start: runWebkit },
}

const browserOf = (group) => ['chromium', 'firefox', 'webkit'].find((name) => group.startsWith(name))

function wantedEnvironments() {
  const at = process.argv.indexOf('--only')
  if (at < 0) return environments
  const parts = (process.argv[at + 1] ?? '').split(',').filter((part) => part !== '')
  const chosen = environments.filter(({ name }) => parts.some((part) => name.includes(part)))
  if (chosen.length > 0) return chosen
  throw new Error(
    `No environment matches "${parts.join(',')}": wanted one of ${environments.map(({ name }) => name).join(', ')}`,
  )
}

function outcomeOf({ name, label }, answer) {
  const said = JSON.parse(answer[placeOf(name)])
  return said.failure === undefined ? { label, report: said } : { label, failure: said.failure }
}

/** Runs one environment group, and says of each environment what came of it. */
async function runGroup(group, members, { folders, missing }) {
  const begun = performance.now()
  const { kind, start } = groups[group]
  const places = members.map(({ name }) => placeOf(name))
  const absent = members.map(({ label }) => ({ label, skipped: 'not installed' }))
  try {
    if (missing.includes(browserOf(group))) return absent
    const answer = await start(await folders(kind), places)
    return answer === undefined ? absent : members.map((member) => outcomeOf(member, answer))
  } catch (error) {
    return members.map(({ label }) => ({ label, failure: error.message }))
  } finally {
    console.log(`${group}: ${members.length} of the environments, ${seconds(begun)}`)
  }
}

/** Prints what an environment came to, and counts it. */
function judge({ label, report, failure, skipped }) {
  if (skipped !== undefined && !process.env.CI) {
    console.log(`${label}: skipped, ${skipped}`)
    return { passed: 0, failed: 0, skipped: 1 }
  }
  if (report === undefined) {
    console.log(`${label}: could not run: ${failure ?? `${skipped}, and with CI set nothing may be missing`}`)
    return { passed: 0, failed: 1, skipped: 0 }
  }
  const { cases, lines } = report
  const failed = cases.filter(({ error }) => error !== undefined)
  const left = cases.filter((one) => one.skipped !== undefined)
  for (const suite of new Set(cases.map((one) => one.suite))) {
    const mine = cases.filter((one) => one.suite === suite)
    const passed = mine.filter((one) => one.error === undefined && one.skipped === undefined).length
    const reasons = [...new Set(mine.flatMap((one) => one.skipped ?? []))]
    const why = reasons.length === 0 ? '' : ` (left out: ${reasons.join('; ')})`
    console.log(`${label}: ${suite}: ${passed} of ${mine.length}${why}`)
  }
  for (const line of lines) console.log(`${label}: ${line}`)
  for (const { suite, name, error } of failed) console.log(`${label}: ${suite}: "${name}" failed: ${error}`)
  return { passed: cases.length - failed.length - left.length, failed: failed.length, skipped: left.length }
}

/** Hostile programs take their time, in as many Workers as there are environments in a browser. */
patience.ms = 900_000

async function main() {
  const wanted = wantedEnvironments()
  if (wanted.some(({ group }) => group === 'deno' || group === 'bun')) await installRuntimes()
  const browsers = [...new Set(wanted.map(({ group }) => browserOf(group)).filter((name) => name !== undefined))]
  const missing = await provideBrowsers(browsers)
  const made = new Map()
  const folders = (kind) => {
    if (!made.has(kind)) made.set(kind, bundle(kind, { measure: process.argv.includes('--measure') }))
    return made.get(kind)
  }
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const group of new Set(wanted.map((one) => one.group))) {
    const members = wanted.filter((one) => one.group === group)
    for (const outcome of await runGroup(group, members, { folders, missing })) {
      const counts = judge(outcome)
      for (const word of Object.keys(total)) total[word] += counts[word]
    }
  }
  closePart(total)
}

await main().catch((error) => {
  console.log(error.message)
  closePart({ passed: 0, failed: 1, skipped: 0 })
})
