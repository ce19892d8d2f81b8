// workerd: answers a request with the report, after a look that no Node global is there. Runs that were suspended
// elsewhere come with a POST, and go on here.
import { arrive, report } from './suite.js'

export default {
  async fetch(request) {
    const found = ['process', 'Buffer', 'require'].filter((name) => name in globalThis)
    if (found.length > 0) return new Response(`Node globals are there: ${found.join(', ')}`, { status: 500 })
    return new Response(request.method === 'POST' ? await arrive(await request.text()) : await report())
  },
}
