// Bytes of any length in SQLite rows of at most 1 MiB: a Durable Object refuses values above 2 MB.

const chunkBytes = 2 ** 20

/** Makes the table `blob_chunks` where it is missing. */
export function chunkTable(sql: SqlStorage): void {
  sql.exec('CREATE TABLE IF NOT EXISTS blob_chunks (owner TEXT, part INTEGER, data BLOB, PRIMARY KEY (owner, part))')
}

/** The bytes of `owner` from `from` to before `to`, which both lie within them. */
export function readChunks(
  sql: SqlStorage,
  owner: string,
  { from, to }: { readonly from: number; readonly to: number },
): Uint8Array {
  const bytes = new Uint8Array(to - from)
  const first = Math.floor(from / chunkBytes)
  const rows = sql.exec<{ part: number; data: ArrayBuffer }>(
    'SELECT part, data FROM blob_chunks WHERE owner = ? AND part BETWEEN ? AND ? ORDER BY part',
    owner,
    first,
    Math.floor(Math.max(from, to - 1) / chunkBytes),
  )
  for (const { part, data } of rows) {
    const begin = part * chunkBytes
    const piece = new Uint8Array(data).subarray(Math.max(0, from - begin), Math.max(0, to - begin))
    bytes.set(piece, Math.max(0, begin - from))
  }
  return bytes
}

/** Puts `data` after the first `kept` bytes of `owner`, in the place of all that follows them. */
export function writeChunks(
  sql: SqlStorage,
  owner: string,
  data: Uint8Array,
  { kept = 0 }: { readonly kept?: number } = {},
): void {
  const first = Math.floor(kept / chunkBytes)
  const tail = kept % chunkBytes === 0 ? undefined : readChunks(sql, owner, { from: first * chunkBytes, to: kept })
  sql.exec('DELETE FROM blob_chunks WHERE owner = ? AND part >= ?', owner, first)
  const put = (part: number, bytes: Uint8Array): void => {
    sql.exec('INSERT INTO blob_chunks (owner, part, data) VALUES (?, ?, ?)', owner, part, bytes)
  }
  let at = 0
  let part = first
  if (tail !== undefined) {
    const head = new Uint8Array(Math.min(chunkBytes, tail.length + data.length))
    head.set(tail)
    head.set(data.subarray(0, (at = head.length - tail.length)), tail.length)
    put(part++, head)
  }
  for (; at < data.length; at += chunkBytes) put(part++, data.slice(at, at + chunkBytes))
}

export function dropChunks(sql: SqlStorage, owner: string): void {
  sql.exec('DELETE FROM blob_chunks WHERE owner = ?', owner)
}

const longChars = 2 ** 18

/** What goes into a column for `text`: itself, or nothing where it is long: then `owner` keeps it. */
export function columnText(sql: SqlStorage, owner: string, text: string): string | null {
  if (text.length <= longChars) return text
  writeText(sql, owner, text)
  return null
}

/** The text behind a column of `columnText`; none, which is no JSON, where it is gone. */
export const textOfColumn = (sql: SqlStorage, owner: string, data: string | null): string =>
  data ?? readText(sql, owner) ?? ''

/** Keeps a text of any length under `owner`. */
export function writeText(sql: SqlStorage, owner: string, text: string): void {
  writeChunks(sql, owner, new TextEncoder().encode(text))
}

/** The text kept under `owner`, or `undefined`. */
export function readText(sql: SqlStorage, owner: string): string | undefined {
  const decoder = new TextDecoder()
  const rows = sql.exec<{ data: ArrayBuffer }>('SELECT data FROM blob_chunks WHERE owner = ? ORDER BY part', owner)
  let text: string | undefined
  for (const { data } of rows) text = (text ?? '') + decoder.decode(data, { stream: true })
  return text
}
