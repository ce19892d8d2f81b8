// The preset of no runtime: everything in memory, the same wherever it runs.
import { presetEnvironment } from './environment.ts'
import { memoryParts } from './memory-parts.ts'
import type { Preset, PresetOptions } from './environment.ts'

/**
 * An environment in memory: files (64 MiB) and run store live as long as the object and no longer. For tests, examples
 * and throw-away work. Requests of tools go to public https addresses only. Every part may be replaced.
 */
export function virtual(options: PresetOptions = {}): Preset {
  return presetEnvironment(options, memoryParts)
}
