// Who is measured, and how a peer is loaded.
import { isBuilt, rivalInstalled } from './library.mjs'

const unbuilt = () => (isBuilt() ? undefined : 'the library is not built: run "npm run build"')
const notInstalled = (name) => () =>
  rivalInstalled(name) ? undefined : 'not installed: run "npm ci --prefix bench/rivals"'

/** In the order of the columns; the ratios are against `floor`. */
export const peers = {
  drain: { module: './peers/drain.mjs' },
  floor: { module: './peers/floor.mjs' },
  ours: {
    module: './peers/ours.mjs',
    absent: unbuilt,
  },
  ai: {
    module: './rivals/ai.mjs',
    absent: notInstalled('ai'),
  },
}

/** Who runs plans; the ratios are against `call`. */
export const planners = {
  call: { module: './planners/call.mjs', absent: unbuilt },
  ours: { module: './planners/ours.mjs', absent: unbuilt },
  langgraph: { module: './rivals/langgraph.mjs', absent: notInstalled('@langchain/langgraph') },
}

/** Why a peer cannot be measured here; `undefined` where it can. */
export const whyAbsent = (name) => (peers[name] ?? planners[name]).absent?.()

/** A function that plays a scenario once, wired to a provider and a witness. */
export async function loadPeer(name, { wire, live, log }) {
  const { load } = await import(peers[name].module)
  return load(wire, { live, log })
}

export async function loadCore(name) {
  const { load, loadCore: loadPart = () => load('openai') } = await import(peers[name].module)
  return loadPart()
}

/** `{ build(scenario), run(scenario, built) }`; a run resolves to the values. */
export async function loadPlanner(name) {
  const { load } = await import(planners[name].module)
  return load()
}
