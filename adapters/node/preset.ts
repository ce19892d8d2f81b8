// The preset of Node and Bun.
import { presetEnvironment } from '../virtual/environment.ts'
import { memoryParts } from '../virtual/memory-parts.ts'
import type { Preset } from '../virtual/environment.ts'
import { diskParts } from './disk.ts'
import type { DiskPresetOptions } from './disk.ts'
import { resolveName } from './resolve.ts'

/**
 * An environment for Node and Bun. With `root` files and run store are in that directory and survive the process; without,
 * files (64 MiB) and run store are in memory and end with it. Tools reach public https addresses, by names that lead to
 * none inside. Every part may be replaced.
 */
export function node(options: DiskPresetOptions = {}): Preset {
  const { root } = options
  return presetEnvironment(options, { ...(root === undefined ? memoryParts : diskParts(root)), resolve: resolveName })
}
