// After the suites: the runs that one environment suspended go on in others, their snapshots as text in between.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { arriveInBun, arriveInDeno, arriveInNode, arriveInWorkerd } from './commands.mjs'
import { arriveInChromium } from './pages.mjs'

/** By environment: takes the folder and the text, gives the report as JSON. */
const destinations = {
  node: arriveInNode,
  deno: arriveInDeno,
  bun: arriveInBun,
  workerd: arriveInWorkerd,
  'chromium-page': arriveInChromium,
}

/** Out of a page, and back into one; where there is no Chromium, whatever ran first stands for the page. */
function legsOf(ran) {
  const named = (name) => ran.find((outcome) => outcome.name === name)
  const page = named('chromium-page')
  const from = page ?? ran[0]
  const back = named('workerd') ?? named('deno') ?? named('node')
  const out = ran.filter(({ name }) => name !== 'chromium-page' && Object.hasOwn(destinations, name))
  return [
    { from, to: out },
    { from: back, to: page === undefined ? [] : [page] },
  ].filter(({ from, to }) => from !== undefined && to.length > 0)
}

async function arrival(folder, { from, to }) {
  try {
    return { from, to, ...JSON.parse(await destinations[to.name](folder, from.report.luggage)) }
  } catch (error) {
    const name = `runs of ${from.label} go on in ${to.label}`
    return { from, to, checks: [{ name, error: error.message }], hash: undefined }
  }
}

const list = (names) => (names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`)

/** Prints what was proven and gives the counts: each check in each environment is a test, and so is an equal trace. */
export async function proveMoves(outcomes, folder) {
  const legs = legsOf(outcomes.filter(({ report }) => report !== undefined))
  const arrivals = []
  for (const { from, to } of legs) {
    writeFileSync(join(folder, 'luggage.js'), `export const luggage = ${JSON.stringify(from.report.luggage)}\n`)
    arrivals.push(...(await Promise.all(to.map((one) => arrival(folder, { from, to: one })))))
  }
  // Ids differ between two departures, and so do the events.
  const wantedFor = (leg) => arrivals.find(({ from, hash }) => from === leg && hash !== undefined)?.hash
  const counts = { passed: 0, failed: 0 }
  const judge = (problem, { from, to }) => {
    counts[problem === undefined ? 'passed' : 'failed']++
    if (problem !== undefined) console.log(`From ${from.label} to ${to.label}: ${problem}`)
  }
  for (const one of arrivals) {
    for (const { name, error } of one.checks) judge(error && `"${name}" failed: ${error}`, one)
    const wanted = wantedFor(one.from)
    judge(one.hash === wanted ? undefined : `the events differ: hash ${one.hash}, wanted ${wanted}`, one)
  }
  if (arrivals.length > 0 && counts.failed === 0) {
    const ways = legs.map(({ from, to }) => `from ${from.label} to ${list(to.map(({ label }) => label))}`)
    console.log(
      `Suspended runs move ${ways.join(', ')}: ${arrivals[0].checks.length} checks each, with a question of a tool ` +
        'and of a sub-agent, signed and as an import, changed tools refused, events equal',
    )
  }
  return counts
}
