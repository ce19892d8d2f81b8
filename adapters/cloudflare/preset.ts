// The preset of a Cloudflare Durable Object.
import { presetEnvironment } from '../virtual/environment.ts'
import type { Preset, PresetOptions } from '../virtual/environment.ts'
import { sqliteStore } from './store.ts'
import { sqliteFiles } from './files/vfs.ts'
import type { SqlBase } from './files/vfs.ts'

/**
 * An environment for an object with SQLite storage. Persistent: the files (256 MiB, 32 MiB each) and the run store, which
 * survive eviction, restarts and deployments; `files` is written when their tables are first made. Tools reach public
 * https addresses. `_env` is for parts that need bindings; every part may be replaced.
 */
export function cloudflare(
  state: { readonly storage: SqlBase },
  _env: object = {},
  options: PresetOptions = {},
): Preset {
  return presetEnvironment(options, {
    fs: ({ now }, { files }) => sqliteFiles(state.storage, { now, ...(files === undefined ? {} : { files }) }),
    store: (files) => sqliteStore(state.storage, { files }),
  })
}
