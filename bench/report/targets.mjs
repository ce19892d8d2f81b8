// The aims of the project for speed and size, T1 to T13, and of plans, each with what was measured.
import { ratio } from './cells.mjs'
import { digits, table } from './table.mjs'

const state = (figure, isAim, isMust) => {
  if (figure === undefined || Number.isNaN(figure)) return 'not measured'
  if (isAim) return 'met'
  return isMust ? 'must is met' : 'MISSED'
}

/** A figure that should be small. */
const atMost = (id, what, figure, { aim, must = aim, unit = 'x' }) => ({
  id,
  what,
  aim: `<= ${aim} ${unit}`.trim(),
  must: must === aim ? '' : `<= ${must} ${unit}`,
  ours: figure === undefined ? '-' : `${digits(figure)} ${unit}`.trim(),
  state: state(figure, figure <= aim, figure <= must),
})

/** How many times less than a rival; should be large. */
const lessThanAi = (id, what, figure, aim) => ({
  id,
  what: `${what}, less than ai`,
  aim: `>= ${aim} x`,
  must: '',
  ours: figure === undefined ? '-' : `${digits(figure)} x`,
  state: state(figure, figure >= aim, figure >= aim),
})

const shown = (id, what, figure, unit) => ({
  id,
  what,
  aim: 'printed',
  must: '',
  ours: figure === undefined ? '-' : `${digits(figure)} ${unit}`,
  state: '',
})

const netOf = (result, base) => (result === undefined || base === undefined ? undefined : result - base)

function cpuTargets({ cpu = {}, checkpoint }) {
  const min = (name, peer = 'ours') => cpu[name]?.[peer]?.min
  const floor = (name) => ratio(min(name), min(name, 'floor'))
  const ai = (name) => ratio(min(name, 'ai'), min(name))
  // A run that writes nothing to its store proves nothing about it.
  const isLogged = checkpoint?.ours?.log?.records > 0
  return [
    atMost('T1', 'loop100, of the floor', floor('loop100'), { aim: 1, must: 1.3 }),
    atMost('T1', 'loop100 with a run store, of the floor', isLogged ? floor('loop100-log') : undefined, {
      aim: 1,
      must: 1.3,
    }),
    lessThanAi('T1', 'loop100', ai('loop100'), 20),
    atMost('T1', 'loop100 on the anthropic wire, of the floor', floor('loop100@anthropic'), { aim: 1, must: 1.3 }),
    atMost('T2', 'CPU per step, loop400 of loop10', ratio(min('loop400') / 401, min('loop10') / 11), { aim: 1.5 }),
    atMost('T2', 'loop400, of the floor', floor('loop400'), { aim: 0.25 }),
    lessThanAi('T2', 'loop400', ai('loop400'), 50),
    atMost('T3', 'text, one event per piece, of the floor', floor('text1000'), { aim: 1, must: 1.2 }),
    lessThanAi('T3', 'text', ai('text1000'), 6),
    shown('T3', 'text in pieces of 16 KiB, of the floor', floor('text1000-16k'), 'x'),
    atMost('T4', 'arguments of 64 KiB, of the floor', floor('args64'), { aim: 1 }),
    atMost('T4', 'arguments of 256 KiB, of the floor', floor('args256'), { aim: 1 }),
    atMost('T4', 'arguments of 256 KiB of 64 KiB (linear is 4)', ratio(min('args256'), min('args64')), { aim: 5 }),
    atMost('T4', '64 KiB with a live view, of the floor', floor('args64-live'), { aim: 2 }),
    atMost('T4', '256 KiB with a live view, of the floor', floor('args256-live'), { aim: 2 }),
    lessThanAi('T4', 'arguments of 64 KiB', ai('args64'), 10),
    lessThanAi('T4', 'arguments of 256 KiB', ai('args256'), 10),
    atMost('T5', 'par64, of the floor (all calls checked)', floor('par64'), { aim: 1.3, must: 1.6 }),
    lessThanAi('T5', 'par64', ai('par64'), 20),
  ]
}

function startTargets({ cold, heap, crowd, ttft, workerd }) {
  const net = (all, peer, key) => netOf(all?.[peer]?.[key], all?.drain?.[key])
  const first = (peer) => net(ttft, peer, 'medianUs')
  return [
    atMost('T6', 'cold first run, of the floor', ratio(cold?.ours?.cpuMs, cold?.floor?.cpuMs), { aim: 1.5, must: 2.5 }),
    lessThanAi('T6', 'cold first run', ratio(cold?.ai?.cpuMs, cold?.ours?.cpuMs), 8),
    atMost('T7', 'heap per live agent, net of drain', net(heap, 'ours', 'kbPerAgent'), {
      aim: 8,
      must: 12,
      unit: 'kB',
    }),
    {
      id: 'T7',
      what: '5,000 live agents under 128 MB of old space',
      aim: 'fit',
      must: '',
      ours: crowd?.ours?.failure ?? (crowd?.ours === undefined ? '-' : `${digits(crowd.ours.heapMb)} MB of heap`),
      state: state(crowd?.ours, crowd?.ours?.failure === undefined),
    },
    shown('T7', 'memory of workerd after warm runs', workerd?.ours?.rssMb, 'MB'),
    atMost('T8', 'time to first token, net of drain', first('ours'), { aim: 100, unit: 'us' }),
    atMost('T8', 'time to first token, net, of the floor', ratio(first('ours'), first('floor')), { aim: 5 }),
    lessThanAi('T8', 'time to first token, net', ratio(first('ai'), first('ours')), 15),
  ]
}

function partTargets(results) {
  const { sizes, workerd, definitions, checkpoint } = results
  const core = results['import-core']
  const kib = (name, what, aim) => atMost('T9', what, sizes?.[name]?.kib, { aim, unit: 'KiB' })
  const impure = sizes && Object.values(sizes).filter((size) => size.eval || size.node.length > 0).length
  const { storeUs, journalUs, runs } = results['journal-append']?.ours ?? {}
  const log = checkpoint?.ours?.log
  const wires = definitions?.ours && Object.values(definitions.ours)
  const most = (key) => (wires === undefined ? undefined : Math.max(...wires.map((wire) => wire[key])))
  return [
    kib('core', 'agent, tool, ok, fail, fatal, gzipped', 14),
    kib('openai', 'with openaiChat', 17.5),
    kib('anthropic', 'with anthropic', 20),
    kib('valibot', 'agent, openaiChat, valibot and a schema', 22),
    atMost('T9', 'programs with eval or node: imports', impure, { aim: 0, unit: '' }),
    atMost('T10', 'import of the core over an empty module', netOf(core?.ours?.cpuMs, core?.drain?.cpuMs), {
      aim: 3,
      unit: 'ms',
    }),
    atMost('T10', 'workerd start over an empty worker', netOf(workerd?.ours?.startMs, workerd?.empty?.startMs), {
      aim: 10,
      unit: 'ms',
    }),
    atMost('T11', 'ten steps in workerd, warm, with the provider', workerd?.ours?.runMs, { aim: 3, unit: 'ms' }),
    atMost('T12', 'schema conversions per agent, before its runs', most('atSetUp'), { aim: 1, unit: '' }),
    atMost('T12', 'schema conversions in two runs of 50 steps', most('inRuns'), { aim: 0, unit: '' }),
    atMost('T12', 'definition serialised, two runs of 50 steps', most('serialisations'), { aim: 1, unit: '' }),
    atMost('T13', 'append to a log of 10,000 messages', storeUs?.[10000], { aim: 2, unit: 'us' }),
    atMost('T13', 'append at 10,000 messages of at 100', ratio(storeUs?.[10000], storeUs?.[100]), { aim: 1.5 }),
    atMost('T13', 'the same by the journal, at 10,000', journalUs?.[10000], { aim: 2, unit: 'us' }),
    atMost('T13', 'per message, loop100 with a run store', runs?.loop100?.usPerMessage, { aim: 2, unit: 'us' }),
    atMost('T13', 'per message, loop400 with a run store', runs?.loop400?.usPerMessage, { aim: 2, unit: 'us' }),
    shown('T13', 'records in the store after loop100', log?.records, `of ${log?.messages} messages`),
  ]
}

function planTargets({ plans = {} }) {
  const us = (name, planner = 'ours') => plans[`plan-${name}`]?.[planner]?.stepUs
  const calls = (name) => ratio(us(name), us(name, 'call'))
  const growth = (shape, small, large) => ratio(us(`${shape}-${large}`), us(`${shape}-${small}`))
  return Object.entries({ chain: 'in a row', wide: 'side by side', each: 'one forEach' }).flatMap(([shape, what]) => [
    atMost('P', `1,000 steps, ${what}, of bare calls`, calls(`${shape}-1000`), { aim: 2 }),
    atMost('P', `a step of 1,000, of 100, ${what}`, growth(shape, 100, 1000), { aim: 1.2 }),
    atMost('P', `a step of 10,000, of 1,000, ${what}`, growth(shape, 1000, 10_000), { aim: 1.2 }),
  ])
}

/** All targets with their figures and states. */
export const targets = (results) => [
  ...cpuTargets(results),
  ...startTargets(results),
  ...partTargets(results),
  ...planTargets(results),
]

export function printTargets(found) {
  const row = table([
    ['', 3],
    ['target', 46, 'left'],
    ['aim', 11],
    ['must', 10],
    ['ours', 18],
    ['', 12, 'left'],
  ])
  for (const { id, what, aim, must, ours, state: said } of found) row([id, what, aim, must, ours, said])
  const count = (word) => found.filter(({ state: said }) => said === word).length
  const words = { met: 'met', 'must is met': 'within the must', MISSED: 'missed', 'not measured': 'not measured' }
  const counts = Object.entries(words).map(([word, said]) => `${count(word)} ${said}`)
  console.log(`\n${counts.join(', ')}`)
}
