// workerd: answers a request with the report, after a look that no Node global is there.
import { report } from './suite.js'

export default {
  async fetch() {
    const found = ['process', 'Buffer', 'require'].filter((name) => name in globalThis)
    if (found.length > 0) return new Response(`Node globals are there: ${found.join(', ')}`, { status: 500 })
    return new Response(await report())
  },
}
