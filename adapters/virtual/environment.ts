// What every preset has in common: parts that may be replaced, and defaults that are made when they are first read.
import { memoryStore } from '../../src/journal/memory-store.ts'
import { guardedFetch } from '../../src/policy/guarded-fetch.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Resolve } from '../../src/policy/url-rule.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import type { Host } from '../../src/host/host.ts'
import type { RunStore } from '../../src/tool/run-store.ts'
import type { Environment } from '../../src/tool/environment.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'

/** Parts to use in the place of a preset's own. */
export interface PresetOptions extends Environment {
  /** What is in the preset's files at the start; nothing where `fs` is given. */
  readonly files?: Readonly<Record<string, string | Uint8Array>> | undefined
}

/** An environment of which every part but `shell` and `code` is there. */
export interface Preset extends Environment {
  readonly host: Host
  readonly fs: Vfs
  readonly fetch: NonNullable<Environment['fetch']>
  readonly store: RunStore
}

/** How a preset makes the parts it has of its own; each is asked once, and only when somebody reads that part. */
export interface PresetParts {
  readonly fs?: ((host: Host) => Vfs) | undefined
  /** `fs` are the preset's own files, where those are used: they may change together with the log. */
  readonly store?: ((host: Host, fs: Vfs | undefined) => RunStore) | undefined
  /** How the runtime finds the addresses of a name, for the guard of tools' requests. */
  readonly resolve?: Resolve | undefined
}

/**
 * The environment of a preset. What neither `options` nor `parts` bring is kept in memory; requests of tools are
 * confined by the default policy, to public https addresses and 2 MiB an answer.
 */
export function presetEnvironment(options: PresetOptions, parts: PresetParts = {}): Preset {
  const { host = webHost, shell, code, files } = options
  const fs = once(() => options.fs ?? parts.fs?.(host) ?? memoryFiles({ now: host.now, files }))
  const fetch = once(() => options.fetch ?? guardedFetch(host.fetch, { resolve: parts.resolve }))
  const store = once(() => {
    const own = options.fs ? undefined : fs()
    // What is in memory may change together; files elsewhere have a life of their own.
    return options.store ?? parts.store?.(host, own) ?? memoryStore({ files: parts.fs ? undefined : own })
  })
  return {
    host,
    shell,
    code,
    get fs() {
      return fs()
    },
    get fetch() {
      return fetch()
    },
    get store() {
      return store()
    },
  }
}

function once<Part>(make: () => Part): () => Part {
  let part: { readonly made: Part } | undefined
  return () => (part ??= { made: make() }).made
}
