// The records of one append as values of at most 64 KiB, all of which come to be in one moment.
import { SameloopError } from '../../../src/error/error.ts'
import { parseJson } from '../../../src/json/text.ts'
import type { RunRecord } from '../../../src/tool/run-store.ts'
import { clear } from './kv.ts'
import type { Kv, KvKey } from './kv.ts'

/** Below what a value may have, so that there is room for what the database adds. */
const chunkBytes = 60 * 1024

/** What stands for the records. What does not fit into it is in chunks, which were written before. */
export interface Page {
  readonly first: Uint8Array
  /** Where the chunks are. */
  readonly id: string
  readonly chunks: number
}

/** Where the chunks of a page are, below the run's. */
const chunksOf = (run: KvKey, id: string): KvKey => [...run, id]

/** Writes what does not fit into the page: nobody sees it until the page is there. */
export async function writePage(kv: Kv, run: KvKey, records: readonly RunRecord[]): Promise<Page> {
  const bytes = new TextEncoder().encode(JSON.stringify(records.map(({ seq, type, data }) => [seq, type, data])))
  const id = crypto.randomUUID()
  let chunks = 0
  for (let at = chunkBytes; at < bytes.length; at += chunkBytes)
    await kv
      .atomic()
      .set([...chunksOf(run, id), chunks++], bytes.slice(at, at + chunkBytes))
      .commit()
  return { first: bytes.slice(0, chunkBytes), id, chunks }
}

export const dropChunks = (kv: Kv, run: KvKey, { id, chunks }: Page): Promise<void> =>
  chunks === 0 ? Promise.resolve() : clear(kv, chunksOf(run, id))

/** Throws `journal-invalid` for what is no page, or has lost a part. */
export async function readPage(kv: Kv, run: KvKey, value: unknown): Promise<readonly RunRecord[]> {
  const { first, id, chunks } = (value ?? {}) as Partial<Record<keyof Page, unknown>>
  if (!(first instanceof Uint8Array) || typeof id !== 'string' || typeof chunks !== 'number') throw invalid()
  const parts = [first]
  if (chunks > 0) {
    for await (const { value: chunk } of kv.list({ prefix: chunksOf(run, id) })) {
      if (!(chunk instanceof Uint8Array)) throw invalid()
      parts.push(chunk)
    }
  }
  if (parts.length !== chunks + 1) throw invalid()
  const read = parseJson(textOf(parts))
  if (!read.ok || !Array.isArray(read.value)) throw invalid()
  return read.value.map(recordOf)
}

function textOf(parts: readonly Uint8Array[]): string {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode()
}

function recordOf(row: unknown): RunRecord {
  const [seq, type, data] = Array.isArray(row) ? (row as readonly unknown[]) : []
  if (typeof seq !== 'number' || typeof type !== 'string' || typeof data !== 'string') throw invalid()
  return { seq, type, data }
}

const invalid = (): SameloopError =>
  new SameloopError('journal-invalid', 'Cannot read the log: an entry of the database is not what it should be')
