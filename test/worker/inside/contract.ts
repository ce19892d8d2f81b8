// A worker that runs the contract of the Vfs port over the files of a Durable Object and reports what broke.
import { sqliteFiles } from '../../../adapters/cloudflare/vfs.ts'
import { vfsContract } from '../../../src/testing/contract/vfs.ts'

export class Probe {
  readonly #state: DurableObjectState

  constructor(state: DurableObjectState) {
    this.#state = state
  }

  async fetch(): Promise<Response> {
    const { storage } = this.#state
    const report: Record<string, string> = {}
    const make = async () => {
      for (const table of ['vfs_nodes', 'vfs_totals', 'blob_chunks']) storage.sql.exec(`DROP TABLE IF EXISTS ${table}`)
      return sqliteFiles(storage)
    }
    for (const { name, run } of vfsContract(make)) {
      report[name] = await run().then(
        () => 'kept',
        (error: unknown) => String(error),
      )
    }
    return Response.json(report)
  }
}

export default {
  fetch: (request: Request, env: { readonly PROBE: DurableObjectNamespace }) =>
    env.PROBE.get(env.PROBE.idFromName('probe')).fetch(request),
}
