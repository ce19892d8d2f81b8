// The worker's side: plays a scenario as often as a request asks for.
import { provider } from '../provider.mjs'
import { scenario, witness } from '../scenario.mjs'

/** A worker around a peer: `/?scenario=loop10&runs=100`. */
export function worker(load) {
  let playing
  return {
    async fetch(request) {
      const { searchParams } = new URL(request.url)
      const chosen = scenario(searchParams.get('scenario'))
      playing ??= load(chosen.wire)
      const run = await playing
      for (let left = Number(searchParams.get('runs')); left > 0; left--) {
        const model = provider(chosen)
        const { onText, work, check } = witness(chosen, model)
        await run(chosen, { fetch: model.fetch, onText, work })
        check()
      }
      return new Response('right')
    },
  }
}
