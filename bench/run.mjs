// `node bench/run.mjs`: measures peers in scenarios, each in a process of its own, and prints ratios against a
// hand-written floor of the same run. Options: see README.md beside this file.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { closePart } from '../scripts/project.mjs'
import { check } from './check.mjs'
import { better, measure } from './measurement.mjs'
import { sizes } from './measure/sizes.mjs'
import { peers as knownPeers, planners as knownPlanners, whyAbsent } from './peers.mjs'
import { allScenarios, cpuScenarios, otherScenarios, plansTakePart, takesPart } from './plan.mjs'
import { cpuCell, rivalCell } from './report/cells.mjs'
import { machine, recordLines } from './report/readme.mjs'
import { planTable } from './report/plans.mjs'
import {
  firstsTable,
  printCheckpoint,
  printDefinitions,
  printJournal,
  printRegistry,
  printWorkerd,
} from './report/sections.mjs'
import { table } from './report/table.mjs'
import { printTargets, targets } from './report/targets.mjs'
import { scenario } from './scenario.mjs'
import { planScenario } from './steps.mjs'
import { measureWorkerd } from './workerd/measure.mjs'
import { whyNoWorkerd } from './workerd/process.mjs'

const { values: options } = parseArgs({
  options: {
    scenarios: { type: 'string' },
    peers: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'string' },
    readme: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
  },
})

const listed = (text, all) => (text === undefined ? all : text.split(',').filter((name) => name !== ''))

/** The wanted of these that are here; says why the others are not. */
const present = (known) =>
  listed(options.peers, Object.keys(known)).filter((name) => {
    if (!Object.hasOwn(known, name)) return false
    const reason = whyAbsent(name)
    if (reason !== undefined) console.log(`${name}: skipped, ${reason}`)
    return reason === undefined
  })

function checkPeers() {
  const known = Object.keys({ ...knownPeers, ...knownPlanners })
  const unknown = listed(options.peers, []).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`Unknown peer "${unknown}": wanted some of ${known.join(', ')}`)
}

const { quick } = options
const rounds = Number(options.rounds ?? (quick ? 1 : 2))
const limitMs = quick ? 60_000 : 180_000

/** Every peer in turn, as often as there are rounds, so that a busy moment meets all alike. */
async function inTurn(peers, turns, task) {
  const results = {}
  for (let turn = 0; turn < turns; turn++) {
    for (const peer of peers) {
      const { heapMb, ...rest } = task
      results[peer] = better(results[peer], await measure({ ...rest, peer, quick }, { limitMs, heapMb }))
    }
  }
  return results
}

async function measureCpu(names, peers, results) {
  if (names.length === 0) return
  console.log('\nCPU of one warm run in ms, smallest / median (smallest against the floor)\n')
  const row = table([['scenario', 22], ...peers.map((peer) => [peer, 24]), ['ai/ours', 8]])
  results.cpu = {}
  for (const name of names) {
    const taking = peers.filter((peer) => takesPart(peer, name))
    const found = await inTurn(taking, rounds, { mode: 'cpu', scenario: name })
    results.cpu[name] = found
    row([name, ...peers.map((peer) => cpuCell(found[peer], found.floor)), rivalCell(found.ours, found.ai, 'min')])
  }
}

async function measureOthers(names, peers, results) {
  const compared = names.filter((name) => otherScenarios[name].key !== undefined)
  if (compared.length > 0) console.log('\nFirsts and crowds (against the floor)\n')
  const row = compared.length > 0 ? firstsTable(peers) : undefined
  for (const name of names) {
    const { key, fresh, mode, scenario: played, heapMb } = otherScenarios[name]
    const taking = peers.filter((peer) => takesPart(peer, name))
    const turns = quick ? Math.min(fresh, 3) : fresh
    results[name] = await inTurn(taking, turns, { mode, scenario: played, heapMb })
    if (key !== undefined) row(name, results[name], key)
  }
  if (results.checkpoint !== undefined) printCheckpoint(results.checkpoint)
  if (results['journal-append'] !== undefined) printJournal(results['journal-append'])
  if (results.definitions !== undefined) printDefinitions(results.definitions)
  if (results.registry !== undefined) printRegistry(results.registry)
}

async function measurePlans(names, results) {
  if (names.length === 0) return
  const planners = present(knownPlanners)
  console.log('\nPlans: CPU of a warm run in us per step, smallest / median (smallest against bare calls)\n')
  const row = planTable(planners)
  results.plans = {}
  for (const name of names) {
    const taking = planners.filter((planner) => plansTakePart(planner, name))
    results.plans[name] = await inTurn(taking, rounds, { mode: 'plans', scenario: name })
    row(name, results.plans[name], results.plans[name.replace('-read', '')].call)
  }
}

async function measureHere(names, peers, results) {
  if (names.includes('sizes') && peers.includes('ours')) results.sizes = await sizes()
  if (!names.includes('workerd')) return
  const skipped = await whyNoWorkerd()
  results.workerd = skipped === undefined ? await measureWorkerd(peers, quick) : { skipped }
  printWorkerd(results.workerd)
}

/** Says in full what failed; a peer that gave a wrong result is no peer to compare with. */
function printFailures(results) {
  const failures = Object.entries({ ...results.cpu, ...results.plans, ...results }).flatMap(([name, found]) =>
    Object.entries(found ?? {}).flatMap(([peer, { failure } = {}]) =>
      failure === undefined ? [] : [`${name}, ${peer}: ${failure}`],
    ),
  )
  if (failures.length > 0) console.log(`\nFailures:\n${failures.join('\n')}`)
  const isWrong = Object.values(results.cpu ?? {}).some((found) =>
    [found.floor, found.ours].some((one) => one?.failure),
  )
  if (isWrong) process.exitCode = 1
}

const isPlan = (name) => name.startsWith('plan-')

async function main() {
  if (options.check) return closePart(await check(listed(options.peers, ['floor', 'ours'])))
  const toReadme = options.readme ? recordLines() : undefined
  checkPeers()
  const peers = present(knownPeers)
  const names = listed(options.scenarios, allScenarios)
  // Any other size of a family is measured like those of the plan.
  const others = names.filter((name) => !allScenarios.includes(name))
  others.forEach((name) => (isPlan(name) ? planScenario(name) : scenario(name)))
  const results = { machine: machine(), quick, rounds }
  await measureCpu(
    names.filter((name) => cpuScenarios.includes(name) || (others.includes(name) && !isPlan(name))),
    peers,
    results,
  )
  await measureOthers(
    names.filter((name) => Object.hasOwn(otherScenarios, name)),
    peers,
    results,
  )
  await measurePlans(names.filter(isPlan), results)
  await measureHere(names, peers, results)
  const found = targets(results)
  console.log(`\nTargets (${results.machine}${quick ? ', quick: figures are rough' : ''})\n`)
  printTargets(found)
  printFailures(results)
  toReadme?.(`\n${results.machine}${quick ? '; rough figures of a quick run' : ''}.`)
  if (options.json !== undefined)
    writeFileSync(options.json, `${JSON.stringify({ ...results, targets: found }, null, 2)}\n`)
}

await main().catch((error) => {
  console.error(error.message)
  process.exitCode = 1
})
