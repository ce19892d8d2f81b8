// The preset of Deno.
import { diskParts } from '../node/disk.ts'
import type { DiskPresetOptions } from '../node/disk.ts'
import { presetEnvironment } from '../virtual/environment.ts'
import { memoryParts } from '../virtual/memory-parts.ts'
import type { Preset } from '../virtual/environment.ts'
import { resolveName } from './resolve.ts'

/**
 * An environment for Deno. With `root` files and run store are in that directory and survive the process, for which
 * `--allow-read` and `--allow-write` of it are enough; without, files (64 MiB) and run store are in memory and end with it,
 * and no permission is needed before a tool uses the network. Tools reach public https addresses, by names that lead to
 * none inside. Every part may be replaced.
 */
export function deno(options: DiskPresetOptions = {}): Preset {
  const { root } = options
  return presetEnvironment(options, { ...(root === undefined ? memoryParts : diskParts(root)), resolve: resolveName })
}
