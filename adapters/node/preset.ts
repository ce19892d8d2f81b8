// The preset of Node and Bun.
import { presetEnvironment } from '../virtual/environment.ts'
import { memoryParts } from '../virtual/memory-parts.ts'
import type { Preset, PresetOptions } from '../virtual/environment.ts'
import { resolveName } from './resolve.ts'

/**
 * An environment for Node and Bun. Not persistent yet: files (64 MiB) and run store are in memory and end with the
 * process; the disk is not touched. Tools reach public https
 * addresses, by names that lead to none inside. Every part may be replaced.
 */
export function node(options: PresetOptions = {}): Preset {
  return presetEnvironment(options, { ...memoryParts, resolve: resolveName })
}
