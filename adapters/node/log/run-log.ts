// Taking over and writing the log of one run.
import { checkAppend } from '../../../src/journal/conflict.ts'
import type { Appending } from '../../../src/journal/conflict.ts'
import { SameloopError } from '../../../src/error/error.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { builtin } from '../builtin.ts'
import { makeDirectories, syncDirectory } from '../files/durable.ts'
import { hostCode } from '../files/host-error.ts'
import { epochsOf, lastEpoch, lastSeqOf, linkPath, newestLink, readLink } from './chain.ts'
import type { Head, Row } from './chain.ts'
import { encodeLine } from './line.ts'
import { changeWithLog, takeBack } from './undo.ts'

export interface LogFolder {
  readonly run: string
  readonly folder: string
  readonly files: Vfs | undefined
  readonly fsync: boolean
}

/** What a writer knows of its file. */
export interface LogState {
  readonly epoch: number
  readonly bytes: number
  readonly lastSeq: number
  /** How the file begins, which is in no other: a run may be deleted, and its name used again. */
  readonly mark: string
}

/** Takes the run over: the file for a new lease. */
export async function takeOver(log: LogFolder): Promise<LogState> {
  const { run, folder, files, fsync } = log
  await makeDirectories(folder, log)
  const epoch = await claim(folder)
  // Only now nobody else adds to what counts.
  const before = await newestLink(folder, epoch)
  const lastSeq = before ? lastSeqOf(before) : 0
  const previous = before && { epoch: before.epoch, bytes: before.bytes }
  const line = encodeLine({ version: 1, run, epoch, id: crypto.randomUUID(), lastSeq, previous } satisfies Head)
  await writeAt(log, { epoch, bytes: 0 }, line)
  if (fsync) for (const path of [folder, builtin('node:path').dirname(folder)]) await syncDirectory(path)
  // Not before: what the owner of before began until then is decided by this line.
  if (files) await takeBack(folder, files, { epoch })
  return { epoch, lastSeq, bytes: line.length, mark: markOf(line) }
}

const markBytes = 8

const markOf = (bytes: Uint8Array): string => new TextDecoder().decode(bytes.subarray(0, markBytes))

/** Makes the next file; who makes it has the lease. */
async function claim(folder: string): Promise<number> {
  for (;;) {
    const epoch = ((await epochsOf(folder))[0] ?? 0) + 1
    if (epoch > lastEpoch) {
      const message = `Cannot lease the run: wanted at most ${lastEpoch - 1} as the last lease, got ${epoch - 1}`
      throw new SameloopError('journal-invalid', message)
    }
    try {
      const handle = await builtin('node:fs/promises').open(linkPath(folder, epoch), 'wx')
      await handle.close()
      return epoch
    } catch (thrown) {
      if (hostCode(thrown) !== 'EEXIST') throw thrown
    }
  }
}

/** Appends, and gives what the writer knows now. `known` is what it knew before. */
export async function appendTo(
  log: LogFolder,
  { records, options }: Appending,
  known: LogState | undefined,
): Promise<LogState | undefined> {
  const { run, folder, files, fsync } = log
  const state = known?.epoch === options.epoch ? known : await stateOf(folder, options.epoch)
  const check = async (lastSeq: number): Promise<void> => {
    const epoch = (await epochsOf(folder))[0] ?? 0
    checkAppend(run, { epoch, lastSeq }, { records, options })
  }
  await check(state?.lastSeq ?? 0)
  if (!state) throw lost(run, 'its lease was not completed')
  const { files: changes = [] } = options
  if (records.length === 0 && changes.length === 0) return state
  const line = encodeLine(records.map(({ seq, type, data }): Row => [seq, type, data]))
  const write = async (): Promise<void> => {
    await writeAt(log, state, line)
    // Whoever took over before this was written may have left it out.
    await check(state.lastSeq)
  }
  const point = { folder, epoch: state.epoch, at: state.bytes, fsync }
  if (files && changes.length > 0) await changeWithLog({ files, changes }, point, write)
  else await write()
  return { ...state, bytes: state.bytes + line.length, lastSeq: state.lastSeq + records.length }
}

async function stateOf(folder: string, epoch: number): Promise<LogState | undefined> {
  const link = await readLink(folder, epoch)
  return link && { epoch, bytes: link.bytes, lastSeq: lastSeqOf(link), mark: link.mark }
}

/** Writes a line whole, or leaves the file as it was. */
async function writeAt(
  { run, folder, fsync }: LogFolder,
  { epoch, bytes, mark }: Pick<LogState, 'epoch' | 'bytes'> & Partial<LogState>,
  line: Uint8Array,
): Promise<void> {
  const handle = await builtin('node:fs/promises').open(linkPath(folder, epoch), 'r+')
  try {
    const first = new Uint8Array(markBytes)
    if (mark !== undefined) await handle.read(first, 0, markBytes, 0)
    if (mark !== undefined && markOf(first) !== mark) throw lost(run, 'it was deleted')
    // A line that could not be written whole is still there.
    if ((await handle.stat()).size !== bytes) await handle.truncate(bytes)
    try {
      for (let done = 0; done < line.length;)
        done += (await handle.write(line, done, line.length - done, bytes + done)).bytesWritten
      if (fsync) await handle.datasync()
    } catch (thrown) {
      await handle.truncate(bytes).catch(() => undefined)
      throw thrown
    }
  } finally {
    await handle.close()
  }
}

const lost = (run: string, why: string): SameloopError =>
  new SameloopError('journal-conflict', `Cannot write the log of run "${run}": ${why}`, { data: { run } })
