// The preset of a web page and its Workers.
import { presetEnvironment } from '../virtual/environment.ts'
import { memoryParts } from '../virtual/memory-parts.ts'
import type { Preset, PresetOptions } from '../virtual/environment.ts'

/**
 * An environment for a page or a Worker of it. Not persistent yet: files (64 MiB) and run store are in memory and end
 * with the page. Tools reach public https addresses, as far as the page's own security policy and CORS allow it; a
 * redirect is refused, because a page cannot see where it leads. Every part may be replaced.
 */
export function browser(options: PresetOptions = {}): Preset {
  return presetEnvironment(options, memoryParts)
}
