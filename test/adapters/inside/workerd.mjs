// workerd: answers a request with the report.
import { report } from './suite.js'

export default {
  async fetch() {
    return new Response(await report())
  },
}
