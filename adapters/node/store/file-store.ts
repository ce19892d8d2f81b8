// The run store on the disk: for Node, Bun and Deno.
import { isSameloopError } from '../../../src/error/error.ts'
import { runStore } from '../../../src/journal/run-store.ts'
import type { RunStore, RunSummary } from '../../../src/tool/run-store.ts'
import type { Vfs } from '../../../src/vfs/vfs.ts'
import { builtin, folderAt } from '../builtin.ts'
import { makeDirectories, syncDirectory } from '../files/durable.ts'
import { hostCode, whereFound } from '../files/host-error.ts'
import { inTurn } from '../files/turns.ts'
import { epochsOf, lastSeqOf, linkPath, linksFrom, newestLink, runIn } from '../log/chain.ts'
import type { Link } from '../log/chain.ts'
import { openFormat } from './format.ts'
import { appendTo, takeOver } from '../log/run-log.ts'
import type { LogFolder, LogState } from '../log/run-log.ts'
import { folderName, isRunFolder } from './run-folder.ts'
import { inStore } from './store-error.ts'
import { namesIn, writeWhole } from '../log/whole-file.ts'

export interface FileStoreOptions {
  /**
   * Files that change together with the log, for tools with the effect `local`: `directoryFiles()`, and the same object as
   * the `fs` of the environment. What a process that ended left half done is taken back when its run is leased again.
   */
  readonly files?: Vfs | undefined
  /** Whether an append is on the disk when it resolves, and so survives the end of the machine. Default true. */
  readonly fsync?: boolean | undefined
}

/**
 * A run store in a folder, which is made where it is missing; each run has a folder of its own in it. It survives the end
 * of the process at any moment: an append that was cut off is not there. Several processes may use one folder: who leases
 * a run takes it from whoever had it, whose appends are refused from then on; a lease is for the process that has it. A
 * run whose log is damaged is listed with 0 as its last record, as far as its name can be read. Rejects with `journal-version` for a folder
 * that a newer release wrote, `journal-invalid` for a log that was damaged, `journal-failed` where the disk fails;
 * throws `config-invalid` for a `folder` that is no path.
 */
export function fileStore(folder: string, { files, fsync = true }: FileStoreOptions = {}): RunStore {
  const { join } = builtin('node:path')
  const top = folderAt(folder)
  const states = new Map<string, LogState>()
  let opened: Promise<void> | undefined
  const open = (): Promise<void> => {
    opened ??= openFormat(top).then(() => sweep(top))
    opened.catch(() => (opened = undefined))
    return opened
  }
  const logOf = async (run: string): Promise<LogFolder> => {
    await open()
    return { run, folder: join(top, await folderName(run)), files, fsync }
  }
  /** One after the other for each run. */
  const change = <Result>(run: string, action: string, work: (log: LogFolder) => Promise<Result>): Promise<Result> =>
    inStore(`${action} run "${run}"`, async () => {
      const log = await logOf(run)
      return inTurn([log.folder], () => work(log))
    })
  const look = <Result>(run: string, work: (folder: string) => Promise<Result>): Promise<Result> =>
    inStore(`read the log of run "${run}"`, async () => work((await logOf(run)).folder))
  return runStore({
    files,
    append: (run, records, options) =>
      change(run, 'write the log of', async (log) => {
        const known = states.get(run)
        // What fails in the middle leaves nothing that can be relied on.
        states.delete(run)
        const state = await appendTo(log, { records, options }, known)
        if (state) states.set(run, state)
      }),
    lease: (run) =>
      change(run, 'lease', async (log) => {
        const state = await takeOver(log)
        states.set(run, state)
        return { epoch: state.epoch, lastSeq: state.lastSeq }
      }),
    timer: (run, at) => change(run, 'set the timer of', (log) => setTimer(log, at)),
    delete: (run) =>
      change(run, 'delete', async (log) => {
        states.delete(run)
        await drop(log)
      }),
    async *read(run, after) {
      const links = await look(run, async (at) => collect(linksFrom(at, await newestLink(at), after)))
      for (const { records } of links.reverse()) for (const record of records) if (record.seq > after) yield record
    },
    last: (run) =>
      look(run, async (at) => {
        for await (const { records } of linksFrom(at, await newestLink(at)))
          if (records.length > 0) return records.at(-1)
        return undefined
      }),
    list: () =>
      inStore('list the runs', async () => {
        await open()
        return summariesIn(top)
      }),
  })
}

/** Logs, each whole, for a list. */
const readAtOnce = 16

async function setTimer({ folder, fsync }: LogFolder, at: number | undefined): Promise<void> {
  const { unlink } = builtin('node:fs/promises')
  const path = builtin('node:path').join(folder, 'wake')
  if (at === undefined) return void (await whereFound(unlink(path)))
  await makeDirectories(folder, { fsync })
  await writeWhole({ path, data: new TextEncoder().encode(`${at}\n`), fsync })
}

/**
 * At once for all who look, whatever time the removal takes. What stays is a lease that nobody has: who wrote the run
 * cannot write to a new one of its name.
 */
async function drop({ folder, fsync }: LogFolder): Promise<void> {
  const { mkdir, rename, rm, writeFile } = builtin('node:fs/promises')
  const [epoch] = await epochsOf(folder)
  const gone = `${folder}.${crypto.randomUUID()}.deleted`
  await whereFound(rename(folder, gone))
  if (epoch !== undefined) {
    await mkdir(folder, { recursive: true })
    // Who leased it again meanwhile, and again and again, has written there.
    await writeFile(linkPath(folder, epoch + 1), '', { flag: 'wx' }).catch((thrown: unknown) => {
      if (hostCode(thrown) !== 'EEXIST') throw thrown
    })
    if (fsync) await syncDirectory(folder)
  }
  if (fsync) await syncDirectory(builtin('node:path').dirname(folder))
  await rm(gone, { recursive: true, force: true })
}

/** What a process that ended while it deleted a run left of it. */
async function sweep(top: string): Promise<void> {
  const { join } = builtin('node:path')
  for (const name of await namesIn(top))
    if (name.endsWith('.deleted'))
      await builtin('node:fs/promises').rm(join(top, name), { recursive: true, force: true })
}

async function summariesIn(top: string): Promise<readonly RunSummary[]> {
  const names = (await namesIn(top)).filter(isRunFolder).sort()
  const found: RunSummary[] = []
  for (let from = 0; from < names.length; from += readAtOnce) {
    const some = names.slice(from, from + readAtOnce)
    const summaries = await Promise.all(some.map((name) => summaryOf(builtin('node:path').join(top, name))))
    found.push(...summaries.flatMap((summary) => summary ?? []))
  }
  return found
}

async function collect(links: AsyncIterable<Link>): Promise<Link[]> {
  const all: Link[] = []
  for await (const link of links) all.push(link)
  return all
}

/** A log that is damaged hides no other one; who reads it is told why. */
async function summaryOf(folder: string): Promise<RunSummary | undefined> {
  const [epoch = 0] = await epochsOf(folder)
  try {
    const newest = await newestLink(folder)
    const lastSeq = newest ? lastSeqOf(newest) : 0
    return newest && lastSeq > 0 ? { run: newest.run, lastSeq, epoch } : undefined
  } catch (thrown) {
    if (!isSameloopError(thrown)) throw thrown
    const run = await runIn(folder)
    return run === undefined ? undefined : { run, lastSeq: 0, epoch }
  }
}
