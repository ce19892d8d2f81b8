// Runs scenarios once per peer and looks at every request: for correctness, not for time.
import { loadPeer, loadPlanner, peers, planners, whyAbsent } from './peers.mjs'
import { provider } from './provider.mjs'
import { callsOf, scenario, witness } from './scenario.mjs'
import { checkValues, planScenario } from './steps.mjs'

/** Small, but one of each kind that is measured. */
const checked = [
  'loop0',
  'loop10',
  'loop100',
  'par1',
  'par8',
  'par64',
  'text50',
  'text50-16k',
  'args16',
  'args16-16k',
  'args16-live',
  'hist100',
  'loop10-log',
  'loop10@anthropic',
  'par8@anthropic',
  'text50@anthropic',
  'text50-16k@anthropic',
  'args16@anthropic',
  'hist100@anthropic',
]

const checkedPlans = ['plan-chain-100', 'plan-wide-100', 'plan-each-100', 'plan-chain-20-read', 'plan-each-20-read']

/** What a request said about earlier calls, as `id`, input and result, whatever the wire. */
function said({ messages }) {
  const calls = new Map()
  const results = new Map()
  for (const message of messages) {
    for (const { id, function: made } of message.tool_calls ?? []) calls.set(id, JSON.parse(made.arguments))
    if (message.role === 'tool') results.set(message.tool_call_id, textOf(message.content))
    for (const block of Array.isArray(message.content) ? message.content : []) {
      if (block.type === 'tool_use') calls.set(block.id, block.input)
      if (block.type === 'tool_result') results.set(block.tool_use_id, textOf(block.content))
    }
  }
  return { calls, results }
}

const textOf = (content) => (typeof content === 'string' ? content : content.map(({ text }) => text).join(''))

/** Throws unless the request of `step` holds every earlier call with its input and its result, and nothing else. */
function inspectRequest(chosen, body, step) {
  const { calls, results } = said(JSON.parse(body))
  let wanted = 0
  for (let earlier = 0; earlier < step; earlier++) {
    for (const { id, input } of callsOf(chosen, earlier)) {
      wanted++
      const isRight = JSON.stringify(calls.get(id)) === JSON.stringify(input) && results.get(id) === `ok ${input.i}`
      if (!isRight) throw new Error(`Request ${step}: call "${id}" is wrong or has no result`)
    }
  }
  if (calls.size !== wanted || results.size !== wanted)
    throw new Error(`Request ${step}: wanted ${wanted} calls, got ${calls.size}`)
}

/** Plays one scenario once; throws unless text, calls, arguments and every request are right. */
export async function checkOnce(peer, name) {
  const chosen = scenario(name)
  const run = await loadPeer(peer, chosen)
  const inspect = peer === 'drain' ? undefined : (body, step) => inspectRequest(chosen, body, step)
  const model = provider(chosen, { inspect })
  const { onText, work, check } = witness(chosen, model)
  await run(chosen, { fetch: model.fetch, onText, work })
  check()
}

/** Runs one plan once; throws unless its values are right. */
async function checkPlan(planner, name) {
  const chosen = planScenario(name)
  const { build, run } = await loadPlanner(planner)
  checkValues(chosen, await run(chosen, build(chosen)))
}

/** What a peer is checked in, with the check. */
const checksOf = (peer) => [
  ...(Object.hasOwn(peers, peer) ? checked.map((name) => [name, checkOnce]) : []),
  ...(Object.hasOwn(planners, peer) ? checkedPlans.map((name) => [name, checkPlan]) : []),
]

/** Checks the named peers in every scenario; prints what is wrong. Returns counts. */
export async function check(names, print = console.log) {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const peer of names) {
    const reason = whyAbsent(peer)
    if (reason !== undefined) {
      print(`${peer}: skipped, ${reason}`)
      counts.skipped += checksOf(peer).length
      continue
    }
    for (const [name, once] of checksOf(peer)) {
      try {
        await once(peer, name)
        counts.passed++
      } catch (error) {
        print(`${peer}, ${name}: ${error.message}`)
        counts.failed++
      }
    }
  }
  return counts
}
