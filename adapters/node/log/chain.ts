// The log of one run on the disk: a file for each lease, one going on where the one before was taken over.
//
// Who leases a run makes the next file, looks how far the one before is written, and puts that at the top of its own.
// What the owner of before still appends to its file comes after that place and counts for nothing, so it needs no lock
// that a crash could leave behind.
import { SameloopError } from '../../../src/error/error.ts'
import { isObject, own } from '../../../src/json/value.ts'
import type { RunRecord } from '../../../src/tool/run-store.ts'
import { builtin } from '../builtin.ts'
import { hostCode } from '../files/host-error.ts'
import { firstOf, readLines } from './line.ts'
import { namesIn, readWhole } from './whole-file.ts'

/** The first line of a file. */
export interface Head {
  readonly version: 1
  readonly run: string
  readonly epoch: number
  /** Of this file and no other, also where a run is deleted and its name used again. */
  readonly id: string
  /** Of the last record before this file. */
  readonly lastSeq: number
  /** The file before, and how much of it counts. */
  readonly previous?: { readonly epoch: number; readonly bytes: number } | undefined
}

export interface Link extends Head {
  /** How much of the file counts. */
  readonly bytes: number
  /** How the file begins: with the checksum of its first line. */
  readonly mark: string
  readonly records: readonly RunRecord[]
}

export const linkPath = (folder: string, epoch: number): string => builtin('node:path').join(folder, `${epoch}.log`)

/** As many digits as are read. */
export const lastEpoch: number = 10 ** 15 - 1

/** The leases of a run, the newest first. */
export async function epochsOf(folder: string): Promise<readonly number[]> {
  const found = (await namesIn(folder)).map((name) => /^([1-9]\d{0,14})\.log$/.exec(name)?.[1])
  return found.flatMap((digits) => (digits === undefined ? [] : [Number(digits)])).sort((a, b) => b - a)
}

/** The newest file below `before` that was begun; one whose owner ended before it wrote its first line counts for nothing. */
export async function newestLink(folder: string, before: number = Infinity): Promise<Link | undefined> {
  for (const epoch of await epochsOf(folder)) {
    const link = epoch < before ? await readLink(folder, epoch) : undefined
    if (link) return link
  }
  return undefined
}

/** `undefined` where nothing was begun. `bytes` is how much counts; without, all whole lines do. */
export async function readLink(folder: string, epoch: number, bytes?: number): Promise<Link | undefined> {
  const what = `file ${epoch}.log of a run`
  const found = await readWhole(linkPath(folder, epoch)).catch((thrown: unknown) => {
    throw hostCode(thrown) === 'EISDIR' ? invalid(what, 'it is a directory') : thrown
  })
  if (found === undefined) return undefined
  const [first, ...rest] = readLines(found.subarray(0, bytes), what)
  if (first === undefined) return undefined
  const end = rest.at(-1)?.end ?? first.end
  if (bytes !== undefined && end !== bytes) throw invalid(what, `it ends at byte ${end}, and ${bytes} are needed`)
  const mark = new TextDecoder().decode(found.subarray(0, 8))
  return {
    ...headOf(first.value, what),
    mark,
    bytes: end,
    records: rest.flatMap(({ value }) => recordsOf(value, what)),
  }
}

/** Whose log it is, as far as any of its files says so, whatever else is broken in them. */
export async function runIn(folder: string): Promise<string | undefined> {
  for (const epoch of await epochsOf(folder)) {
    const found = await readWhole(linkPath(folder, epoch)).catch(() => undefined)
    const run = own(found && firstOf(found), 'run')
    if (typeof run === 'string') return run
  }
  return undefined
}

/** A file and those before it, the newest first; only those that are needed for records after `after` are read. */
export async function* linksFrom(
  folder: string,
  newest: Link | undefined,
  after = 0,
): AsyncGenerator<Link, void, void> {
  for (let link = newest; link !== undefined;) {
    yield link
    const { previous, lastSeq } = link
    if (previous === undefined || lastSeq <= after) return
    link = await readLink(folder, previous.epoch, previous.bytes)
    if (link === undefined) throw invalid(`file ${previous.epoch}.log of a run`, 'it is missing')
  }
}

export const lastSeqOf = ({ records, lastSeq }: Link): number => records.at(-1)?.seq ?? lastSeq

function headOf(value: unknown, what: string): Head {
  if (!isObject(value)) throw invalid(what, 'its first line is none')
  const { version, run, epoch, id, lastSeq, previous } = value
  if (version !== 1)
    throw new SameloopError('journal-version', `Cannot read ${what}: wanted version 1, got ${String(version)}`)
  if (typeof run !== 'string' || typeof id !== 'string' || !isCount(epoch) || !isCount(lastSeq))
    throw invalid(what, 'its first line is incomplete')
  if (previous === undefined) return { version, run, epoch, id, lastSeq }
  // Always older than this one, so that following them ends.
  if (!isObject(previous) || !isCount(previous['epoch']) || !isCount(previous['bytes']) || previous['epoch'] >= epoch)
    throw invalid(what, 'its first line names no file before it')
  return { version, run, epoch, id, lastSeq, previous: { epoch: previous['epoch'], bytes: previous['bytes'] } }
}

const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0

export type Row = readonly [seq: number, type: string, data: string]

function recordsOf(value: unknown, what: string): readonly RunRecord[] {
  if (!Array.isArray(value)) throw invalid(what, 'a line holds no records')
  return value.map((row: unknown) => {
    const [seq, type, data] = Array.isArray(row) ? (row as readonly unknown[]) : []
    if (!isCount(seq) || typeof type !== 'string' || typeof data !== 'string')
      throw invalid(what, 'a record is incomplete')
    return { seq, type, data }
  })
}

const invalid = (what: string, why: string): SameloopError =>
  new SameloopError('journal-invalid', `Cannot read ${what}: ${why}`)
