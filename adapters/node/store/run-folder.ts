// The folder of a run: a name that every disk can have, for a run of any name.
import { webHost } from '../../../src/host/web-host.ts'
import { hex } from '../../../src/stream/bytes.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { builtin } from '../builtin.ts'
import { takeBackOfDead } from '../log/undo.ts'
import { namesIn } from '../log/whole-file.ts'

const digits = 32

/** Begins as the run's name does, for people, and is told from others by a digest of it. */
export async function folderName(run: string): Promise<string> {
  // As JSON, half a surrogate pair stays what it is.
  const digest = hex(await webHost.digest(new TextEncoder().encode(JSON.stringify(run))))
  const words = run
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .slice(0, 40)
  return `${words}-${digest.slice(0, digits)}`
}

export const isRunFolder = (name: string): boolean => /^[a-z0-9_-]*-[0-9a-f]{32}$/.test(name)

/** Takes back what processes that are gone left half done in the files of these logs. */
export async function takeBackInAll(top: string, files: Vfs): Promise<void> {
  for (const name of (await namesIn(top)).filter(isRunFolder))
    await takeBackOfDead(builtin('node:path').join(top, name), files)
}
