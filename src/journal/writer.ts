// Writing the log of one run: what is noted together is appended together, one append after the other.
import { SameloopError, isSameloopError } from '../error/error.ts'
import { joinDelta } from '../message/delta.ts'
import type { RunEvent } from '../message/event.ts'
import type { FileChange } from '../overlay/change.ts'
import type { Opening, RunJournal, RunRecord, RunStorage } from '../tool/run-store.ts'
import { fileWork } from './file-work.ts'
import type { FileTurns } from './file-work.ts'
import { logVersion, recordSeq } from './log.ts'

/** Text that streams is written at least so often, in rows of about so many characters. */
const deltaMs = 250
const deltaChars = 2048

/** How long a store may take for one append. */
const storeMs = 60_000

interface Writer {
  readonly storage: RunStorage
  readonly run: string
  readonly opening: Opening
  epoch: number
  /** Of the last record that is in the store or on its way. */
  lastSeq: number
  rows: RunRecord[]
  files: FileChange[]
  readonly turns: FileTurns
  /** The last delta, which the next one may join. */
  delta?: Delta | undefined
  /** Something was noted that must not be torn from what is noted next: only a commit writes it. */
  held: boolean
  cancelFlush?: (() => void) | undefined
  /** The append that is on its way. */
  writing?: Promise<void> | undefined
  /** The one after it, which will take all that is noted until then. */
  next?: Promise<void> | undefined
  failed?: SameloopError
}

type Delta = Extract<RunEvent, { readonly delta: string }>

export function journal(storage: RunStorage, run: string, opening: Opening): RunJournal {
  const writer: Writer = {
    storage,
    run,
    opening,
    epoch: 0,
    lastSeq: 0,
    rows: [],
    files: [],
    turns: { count: 0, changed: new Map() },
    held: false,
  }
  const opened = inTime(writer, open(writer)).catch((thrown: unknown) => {
    throw fail(writer, thrown)
  })
  writer.writing = opened
  void opened.then(
    () => settled(writer, opened),
    () => {},
  )
  return {
    work: (files) => (files && files === storage.files ? fileWork(files, writer.turns, opening.host.now) : undefined),
    opened,
    note: (type, data) => note(writer, type, data),
    commit: (files = []) => commit(writer, files),
  }
}

/** Takes the run over, and writes where it goes on from: in the log's own words, where the log has all up to there. */
async function open(writer: Writer): Promise<void> {
  const { storage, run, opening } = writer
  const { driver, seq, snapshot, input, recovery, isImport } = opening
  // A new run does not wait for its store.
  const first = seq === 0 && recovery === undefined ? snapshot() : undefined
  // Looked at before it is taken over: who is refused must not take it from whoever works on it.
  const last = recovery === undefined && !isImport ? await storage.last(run) : undefined
  if (last && seq === 0)
    throw new SameloopError('journal-conflict', `There is a run "${run}" already`, { data: { run } })
  const at = last ? recordSeq(last) : -1
  if (at > seq || last?.type === 'journal-open') throw used(writer)
  const { epoch, lastSeq } = await storage.lease(run)
  if (last && last.seq !== lastSeq) throw used(writer)
  const known = !isImport && (recovery !== undefined || at === seq)
  const data = {
    version: logVersion,
    driver,
    seq,
    recovery,
    isImport,
    input,
    snapshot: known ? undefined : (first ?? snapshot()),
  }
  const row = { seq: lastSeq + 1, type: 'journal-open', data: JSON.stringify(data) }
  await storage.append(run, [row], { expectSeq: lastSeq, epoch }).catch((thrown: unknown) => {
    // Somebody else went on from there at the same moment.
    throw seq > 0 && isSameloopError(thrown, 'journal-conflict') ? used(writer) : thrown
  })
  writer.epoch = epoch
  writer.lastSeq = lastSeq + 1
}

const used = ({ run, opening: { seq } }: Writer): SameloopError =>
  new SameloopError('run-snapshot-used', 'Cannot resume: the snapshot was resumed before', { data: { run, seq } })

/** What must not be in the store without what is noted next. */
const holding = new Set(['journal-said', 'journal-start', 'journal-value'])

function note(writer: Writer, type: string, data: object): void {
  if (writer.failed) return
  if ('delta' in data) return noteDelta(writer, data as Delta)
  settleDelta(writer)
  // Serialised at once: what others do with an event afterwards is not what happened.
  addRow(writer, type, data)
  if (holding.has(type)) writer.held = true
  else if (!writer.held) flushSoon(writer)
}

function noteDelta(writer: Writer, delta: Delta): void {
  const joined = joinDelta(writer.delta, delta)
  if (!joined) settleDelta(writer)
  writer.delta = joined ?? delta
  if (writer.delta.delta.length >= deltaChars) settleDelta(writer)
  flushSoon(writer)
}

function settleDelta(writer: Writer): void {
  if (writer.delta) addRow(writer, writer.delta.type, writer.delta)
  writer.delta = undefined
}

/** The numbers are given when it is written: a take-over may have come in between. */
function addRow({ rows }: Writer, type: string, data: object): void {
  rows.push({ seq: 0, type, data: JSON.stringify(data) })
}

function flushSoon(writer: Writer): void {
  writer.cancelFlush ??= writer.opening.host.timer(deltaMs, () => {
    writer.cancelFlush = undefined
    if (!writer.held) void commit(writer, [])?.catch(() => {})
  })
}

function commit(writer: Writer, files: readonly FileChange[]): Promise<void> | undefined {
  if (writer.failed) return Promise.reject(writer.failed)
  settleDelta(writer)
  writer.files.push(...files)
  if (!writer.rows.length && !writer.files.length) return writer.next ?? writer.writing
  if (writer.next) return writer.next
  // Not at once: what is noted in the same breath belongs to the same append.
  const next = (writer.writing ?? Promise.resolve()).then(() => write(writer))
  writer.next = next
  next.catch(() => {})
  return next
}

async function write(writer: Writer): Promise<void> {
  const { storage, run, epoch, lastSeq } = writer
  writer.cancelFlush?.()
  writer.cancelFlush = undefined
  writer.held = false
  const writing = writer.next as Promise<void>
  writer.writing = writing
  writer.next = undefined
  const records = writer.rows.map((row, index) => ({ ...row, seq: lastSeq + index + 1 }))
  const files = writer.files
  writer.rows = []
  writer.files = []
  try {
    writer.lastSeq += records.length
    await inTime(
      writer,
      storage.append(run, records, { expectSeq: lastSeq, epoch, files: files.length ? files : undefined }),
    )
  } catch (thrown) {
    throw fail(writer, thrown)
  }
  settled(writer, writing)
}

/** A store that does not answer has failed: nobody waits for it for ever. */
function inTime(writer: Writer, work: Promise<void>): Promise<void> {
  const { host } = writer.opening
  return new Promise((resolve, reject) => {
    const late = new Error(`The store did not answer within ${storeMs} ms`)
    const cancel = host.timer(storeMs, () => reject(late))
    work.then(resolve, reject).finally(cancel)
  })
}

/** Nothing is on its way any more, unless something is again. */
function settled(writer: Writer, writing: Promise<void>): void {
  if (writer.writing === writing) writer.writing = undefined
}

/** After a failure nothing is written any more: what is in the store stays a beginning of what happened. */
function fail(writer: Writer, thrown: unknown): SameloopError {
  writer.cancelFlush?.()
  const isOurs = isSameloopError(thrown) && /^(journal|run)-/.test(thrown.code)
  return (writer.failed ??= isOurs
    ? thrown
    : new SameloopError('journal-failed', `Cannot write the log of run "${writer.run}"`, {
        data: { run: writer.run },
        cause: thrown,
        retryable: true,
      }))
}
