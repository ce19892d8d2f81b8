// Files that change together with a log: how they were is kept until the log says that they changed.
import type { FileChange } from '../../../src/overlay/change.ts'
import { applyChange } from '../../../src/overlay/change.ts'
import { putBack, undoOf } from '../../../src/overlay/undo.ts'
import { encodeIntent, readIntent } from '../../../src/history/intent.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { builtin } from '../builtin.ts'
import { whereFound } from '../files/host-error.ts'
import { epochsOf, linksFrom, newestLink } from './chain.ts'
import { namesIn, readWhole, writeWhole } from './whole-file.ts'

/** Where in the log the line will be that makes the changes final. */
export interface CommitPoint {
  readonly folder: string
  readonly epoch: number
  readonly at: number
  readonly fsync: boolean
}

/** What this process has begun and not ended. */
const underWay = new Set<string>()

/** How long a change of files may be under way in a process of which nothing is known. */
const unknownMs = 60_000

/**
 * Makes the changes, and then what makes them final. Where that fails, or the process ends before, they are taken back:
 * here, or by who leases the run next.
 */
export async function changeWithLog(
  { files, changes }: { readonly files: Vfs; readonly changes: readonly FileChange[] },
  { folder, epoch, at, fsync }: CommitPoint,
  makeFinal: () => Promise<void>,
): Promise<void> {
  const undo = await undoOf(files, changes)
  const path = builtin('node:path').join(folder, `${epoch}-${at}-${builtinPid()}.undo`)
  underWay.add(path)
  try {
    await writeWhole({ path, data: encodeIntent(undo), fsync })
    for (const change of changes) await applyChange(files, change)
    await makeFinal()
    await whereFound(builtin('node:fs/promises').unlink(path))
  } catch (thrown) {
    await giveUp(folder, files, { path, epoch, at })
    throw thrown
  } finally {
    underWay.delete(path)
  }
}

/** Takes the changes back, unless who took the run over counts them as made: only its log says so. */
async function giveUp(folder: string, files: Vfs, begun: Omit<Undo, 'pid'>): Promise<void> {
  const { epoch } = begun
  const isTaken = (await epochsOf(folder))[0] !== epoch
  const newest = await newestLink(folder)
  // Who is about to take it over finishes this as well.
  if (isTaken && (newest === undefined || newest.epoch <= epoch)) return
  await finish(folder, files, begun)
}

const builtinPid = (): number => (globalThis as { readonly process?: { readonly pid?: number } }).process?.pid ?? 0

/** Takes back what the leases of a run before `epoch` left half done, and forgets what became final. */
export async function takeBack(folder: string, files: Vfs, { epoch }: { readonly epoch: number }): Promise<void> {
  // They may have to be made ready, which takes back some of it.
  await files.stat('/')
  for (const one of await undosIn(folder)) if (one.epoch < epoch) await finish(folder, files, one)
}

/** The same for processes that are gone, before anybody looks at the files. */
export async function takeBackOfDead(folder: string, files: Vfs): Promise<void> {
  for (const one of await undosIn(folder)) if (await isDead(one)) await finish(folder, files, one)
}

interface Undo {
  readonly path: string
  readonly epoch: number
  readonly at: number
  readonly pid: number
}

async function undosIn(folder: string): Promise<readonly Undo[]> {
  return (await namesIn(folder)).flatMap((name) => {
    const [epoch, at, pid] = (/^(\d+)-(\d+)-(\d+)\.undo$/.exec(name) ?? []).slice(1).map(Number)
    if (epoch === undefined || at === undefined || pid === undefined) return []
    return [{ path: builtin('node:path').join(folder, name), epoch, at, pid }]
  })
}

async function finish(folder: string, files: Vfs, { path, epoch, at }: Omit<Undo, 'pid'>): Promise<void> {
  const intent = await readWhole(path)
  const undo = intent && !(await isFinal(folder, { epoch, at })) ? readIntent(intent) : undefined
  await putBack(files, undo ?? [])
  await whereFound(builtin('node:fs/promises').unlink(path))
}

/** Whether the line is in the log that makes the changes final. */
async function isFinal(folder: string, { epoch, at }: Pick<Undo, 'epoch' | 'at'>): Promise<boolean> {
  for await (const link of linksFrom(folder, await newestLink(folder))) if (link.epoch === epoch) return link.bytes > at
  return false
}

async function isDead({ path, pid }: Undo): Promise<boolean> {
  if (pid === builtinPid()) return !underWay.has(path)
  const { process } = globalThis as { readonly process?: { kill(pid: number, signal: 0): unknown } }
  try {
    process?.kill(pid, 0)
    return false
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown }
    if (code === 'ESRCH') return true
    if (code === 'EPERM') return false
    // Deno may not be allowed to ask.
    const stat = await whereFound(builtin('node:fs/promises').stat(path))
    return stat !== undefined && Date.now() - stat.mtimeMs > unknownMs
  }
}
