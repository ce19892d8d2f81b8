// What every preset has in common: parts that may be replaced, and defaults that are made when they are first read.
import { guardedFetch } from '../../src/policy/guarded-fetch.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Resolve } from '../../src/policy/url-rule.ts'
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
  readonly fs: (host: Host, options: PresetOptions) => Vfs
  /** `fs` are the preset's own files, where those are used: they may change together with the log. */
  readonly store: (fs: Vfs | undefined) => RunStore
  /** How the runtime finds the addresses of a name, for the guard of tools' requests. */
  readonly resolve?: Resolve | undefined
}

/**
 * The environment of a preset: the `parts` that `options` do not replace. Requests of tools are confined by the default
 * policy, to public https addresses and 2 MiB an answer.
 */
export function presetEnvironment(options: PresetOptions, parts: PresetParts): Preset {
  const { host = webHost, shell, code } = options
  const fs = once(() => options.fs ?? parts.fs(host, options))
  const fetch = once(() => options.fetch ?? guardedFetch(host.fetch, { resolve: parts.resolve }))
  const store = once(() => options.store ?? parts.store(options.fs ? undefined : fs()))
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
