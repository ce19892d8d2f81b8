// Who is measured, and how a peer is loaded.
import { isBuilt, rivalsInstalled } from './library.mjs'

/** In the order of the columns; the ratios are against `floor`. */
export const peers = {
  drain: { module: './peers/drain.mjs' },
  floor: { module: './peers/floor.mjs' },
  ours: {
    module: './peers/ours.mjs',
    absent: () => (isBuilt() ? undefined : 'the library is not built: run "npm run build"'),
  },
  ai: {
    module: './rivals/ai.mjs',
    absent: () => (rivalsInstalled() ? undefined : 'not installed: run "npm ci --prefix bench/rivals"'),
  },
}

/** Why a peer cannot be measured here; `undefined` where it can. */
export const whyAbsent = (name) => peers[name].absent?.()

/** A function that plays a scenario once, wired to a provider and a witness. */
export async function loadPeer(name, { wire, live, log }) {
  const { load } = await import(peers[name].module)
  return load(wire, { live, log })
}

export async function loadCore(name) {
  const { load, loadCore: loadPart = () => load('openai') } = await import(peers[name].module)
  return loadPart()
}
