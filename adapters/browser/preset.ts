// The preset of a web page and its Workers.
import { presetEnvironment } from '../virtual/environment.ts'
import type { Preset, PresetOptions } from '../virtual/environment.ts'
import { keptParts } from './kept-parts.ts'

export interface BrowserOptions extends PresetOptions {
  /** Of the IndexedDB database that has the files and the runs. Default "sameloop". */
  readonly name?: string | undefined
}

/**
 * An environment for a page, a Worker of it, or a page of an extension. Persistent: files (512 MiB each) and runs are in
 * one IndexedDB database, so that what a tool with the effect `local` does happens exactly once, also when its tab is
 * closed in the middle. All tabs of a site share what is under one `name`; `files` is written when the database is made
 * for the first time. The browser may remove all of it when space is short, unless the page got
 * `navigator.storage.persist()`. Where there is no IndexedDB, or the browser denies it (an opaque origin, a private
 * window), both are in memory: after the first operation `fs.capabilities.persistent` says which it is. Tools reach
 * public https addresses, as far as the page's own security policy and CORS allow it; a redirect is refused, because a
 * page cannot see where it leads. Every part may be replaced.
 */
export function browser(options: BrowserOptions = {}): Preset {
  const { name = 'sameloop' } = options
  return presetEnvironment(options, keptParts(name))
}
