// The contents of files, in chunks: a range is read, and an append written, without the rest.
import { valueOf } from './database.ts'

const chunkBytes = 2 ** 20

const rangeOf = (content: number, first: number, last = Infinity): IDBKeyRange =>
  IDBKeyRange.bound([content, first], [content, last])

const chunks = (transaction: IDBTransaction): IDBObjectStore => transaction.objectStore('chunks')

/** The bytes from `from` to before `to`; `undefined` where a chunk of them is missing. */
export async function readChunks(
  transaction: IDBTransaction,
  content: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Uint8Array | undefined> {
  if (to <= from) return new Uint8Array()
  const first = Math.floor(from / chunkBytes)
  const last = Math.floor((to - 1) / chunkBytes)
  const found: readonly Uint8Array[] = await valueOf(chunks(transaction).getAll(rangeOf(content, first, last)))
  if (found.length !== last - first + 1) return undefined
  const bytes = new Uint8Array(to - from)
  for (const [index, chunk] of found.entries()) {
    const begin = (first + index) * chunkBytes
    const piece = chunk.subarray(Math.max(0, from - begin), Math.max(0, to - begin))
    bytes.set(piece, Math.max(0, begin - from))
  }
  return bytes
}

/** Puts `data` after the first `kept` bytes, in the place of all that follows them. */
export async function writeChunks(
  transaction: IDBTransaction,
  content: number,
  { data, kept }: { readonly data: Uint8Array; readonly kept: number },
): Promise<void> {
  const store = chunks(transaction)
  const first = Math.floor(kept / chunkBytes)
  const begun = kept % chunkBytes
  const tail: Uint8Array | undefined = begun === 0 ? undefined : await valueOf(store.get([content, first]))
  store.delete(rangeOf(content, first))
  let part = first
  let at = 0
  if (tail) {
    at = Math.min(chunkBytes - begun, data.length)
    const head = new Uint8Array(begun + at)
    head.set(tail.subarray(0, begun))
    head.set(data.subarray(0, at), begun)
    store.put(head, [content, part++])
  }
  // A view would be stored with all of the buffer behind it.
  for (; at < data.length; at += chunkBytes) store.put(data.slice(at, at + chunkBytes), [content, part++])
}

export function dropChunks(transaction: IDBTransaction, content: number): void {
  chunks(transaction).delete(rangeOf(content, 0))
}
