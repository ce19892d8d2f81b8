// The tables that are no comparison of CPU: firsts, crowds, and what only we are asked.
import { figureCell, rivalCell } from './cells.mjs'
import { digits, table } from './table.mjs'

const units = { medianUs: 'us', cpuMs: 'ms', kbPerAgent: 'kB', rssMb: 'MB' }

const titles = {
  ttft: 'time to first token (median)',
  cold: 'cold first run of 3 steps, CPU',
  import: 'import of all it needs, CPU',
  'import-core': 'import of the core alone, CPU',
  heap: 'heap per live agent',
  crowd: '5,000 agents in 128 MB: memory',
}

/** Prints a head; the returned function prints the row of a scenario. */
export function firstsTable(peers) {
  const row = table([['', 34], ...peers.map((peer) => [peer, 20]), ['ai/ours', 8]])
  return (name, results, key) => {
    const cells = peers.map((peer) => figureCell(results[peer], results.floor, { key, unit: units[key] }))
    row([titles[name], ...cells, rivalCell(results.ours, results.ai, key)])
  }
}

/** What keeping a run costs. */
export function printCheckpoint({ ours }) {
  if (ours === undefined) return
  if (ours.failure !== undefined) return console.log(`checkpoint: ${ours.failure}`)
  const { log, snapshot } = ours
  console.log('\nCheckpoints (CPU)\n')
  const row = table([
    ['', 52],
    ['figure', 40, 'left'],
  ])
  row([
    'records a run of 100 steps writes to its store',
    `${log.records} in ${log.appends} appends, ${log.messages} messages`,
  ])
  for (const [steps, { us, messages, bytes }] of Object.entries(snapshot)) {
    row([
      `snapshot of a run of ${steps} steps, as JSON`,
      `${digits(us)} us, ${digits(us / messages)} us per message, ${bytes} bytes`,
    ])
  }
}

/** What a log costs a message. */
export function printJournal({ ours }) {
  if (ours === undefined) return
  if (ours.failure !== undefined) return console.log(`journal-append: ${ours.failure}`)
  const { storeUs, journalUs, runs } = ours
  console.log('\nLogs (CPU)\n')
  const row = table([
    ['', 52],
    ['figure', 52, 'left'],
  ])
  for (const length of Object.keys(storeUs)) {
    const said = `${digits(storeUs[length])} us; by way of the run's journal ${digits(journalUs[length])} us`
    row([`append one message to a log of ${length}`, said])
  }
  for (const [name, { withoutMs, withMs, usPerMessage }] of Object.entries(runs)) {
    const said = `${digits(withMs)} ms against ${digits(withoutMs)} ms: ${digits(usPerMessage)} us per message`
    row([`${name} with a store, against without`, said])
  }
}

export function printDefinitions({ ours }) {
  if (ours === undefined) return
  if (ours.failure !== undefined) return console.log(`definitions: ${ours.failure}`)
  console.log('\nSchema work of one agent\n')
  const row = table([
    ['wire', 10],
    ['conversions at set-up', 10],
    ['conversions in runs', 10],
    ['definition serialised', 10],
    ['model calls', 10],
  ])
  for (const [wire, { atSetUp, inRuns, serialisations, runs, steps }] of Object.entries(ours)) {
    row([wire, atSetUp, inRuns, serialisations, runs * (steps + 1)])
  }
}

export function printRegistry({ ours }) {
  if (ours === undefined) return
  if (ours.failure !== undefined) return console.log(`registry: ${ours.failure}`)
  const { byHandNs, callNs, definitionsMs } = ours
  console.log('\nRegistries (CPU)\n')
  const row = table([
    ['', 52],
    ['figure', 40, 'left'],
  ])
  row(['validate and call by hand, one field', `${digits(byHandNs)} ns`])
  row(['registry.call of the same', `${digits(callNs)} ns, ${digits(callNs / byHandNs)}x (aim 3x)`])
  row(['definitions of 500 tools, after the first time', `${digits(definitionsMs)} ms (aim 1 ms)`])
}

export function printWorkerd(found) {
  if (found.skipped !== undefined) return console.log(`\nworkerd: skipped, ${found.skipped}`)
  console.log('\nReal workerd (CPU of the process)\n')
  const row = table([
    ['', 8],
    ['start', 10],
    ['over empty', 10],
    ['first run of 10 steps', 10],
    ['warm run of 10 steps', 10],
    ['memory at start', 10],
    ['memory after runs', 10],
  ])
  for (const [peer, figures] of Object.entries(found)) {
    if (figures.failure !== undefined) {
      console.log(`${peer}: ${figures.failure}`)
      continue
    }
    const { startMs, startRssMb, coldMs, runMs, rssMb } = figures
    row([
      peer,
      `${digits(startMs)} ms`,
      `${digits(startMs - found.empty.startMs)} ms`,
      `${digits(coldMs)} ms`,
      `${digits(runMs)} ms`,
      `${digits(startRssMb)} MB`,
      `${digits(rssMb)} MB`,
    ])
  }
}
