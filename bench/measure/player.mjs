// A peer on a scenario: every play has a conversation, an agent and a witness of its own, and is checked.
import { loadPeer } from '../peers.mjs'
import { provider } from '../provider.mjs'
import { scenario, witness } from '../scenario.mjs'

/** `play(providerOptions?)`, which rejects when the run was wrong, and resolves to `{ beforeMs, afterMs }`. */
export async function player(peer, name) {
  const chosen = scenario(name)
  const run = await loadPeer(peer, chosen)
  return async (options) => {
    const model = provider(chosen, options)
    const { seen, onText, work, check } = witness(chosen, model)
    const begun = performance.now()
    await run(chosen, { fetch: model.fetch, onText, work })
    check()
    return { beforeMs: model.firstRequestAt - begun, afterMs: seen.firstTextAt - model.firstRequestAt }
  }
}
