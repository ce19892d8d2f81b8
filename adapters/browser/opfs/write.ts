// Writing through handles: whole files, appends, copies.
import { childOf } from './handle.ts'
import type { Dir, Handle } from './handle.ts'

/** What only Workers have: it writes in place. */
interface SyncHandle {
  getSize(): number
  write(data: Uint8Array, options: { readonly at: number }): number
  truncate(size: number): void
  flush(): void
  close(): void
}

type MaybeSync = FileSystemFileHandle & { createSyncAccessHandle?: () => Promise<SyncHandle> }

/** Puts `data` in the place of a file's content, or after it. The file has the old content until all of it is written. */
export async function writeWhole(
  handle: FileSystemFileHandle,
  data: Uint8Array<ArrayBuffer> | Blob,
  { after = 0 }: { readonly after?: number } = {},
): Promise<void> {
  if (!handle.createWritable) throw new DOMException('There is no createWritable()', 'NotSupportedError')
  const stream = await handle.createWritable({ keepExistingData: after > 0 })
  try {
    if (after > 0) await stream.seek(after)
    await stream.write(data)
    await stream.close()
  } catch (error) {
    await stream.abort().catch(() => {})
    throw error
  }
}

/** Adds to the end: in place where the runtime can, else by writing the whole anew. */
export async function append(handle: FileSystemFileHandle, data: Uint8Array<ArrayBuffer>): Promise<void> {
  const { createSyncAccessHandle } = handle as MaybeSync
  if (!createSyncAccessHandle) return writeWhole(handle, data, { after: (await handle.getFile()).size })
  const open = await createSyncAccessHandle.call(handle)
  const size = open.getSize()
  try {
    let done = 0
    while (done < data.length) done += writtenBy(open, data.subarray(done), size + done)
    open.flush()
  } catch (error) {
    open.truncate(size)
    throw error
  } finally {
    open.close()
  }
}

function writtenBy(open: SyncHandle, data: Uint8Array, at: number): number {
  const count = open.write(data, { at })
  if (count > 0) return count
  throw new DOMException('Nothing more could be written', 'QuotaExceededError')
}

/** A file of this name; where it is new and the work fails, it is not there. */
export async function withFile(
  dir: Dir,
  name: string,
  { isNew, work }: { readonly isNew: boolean; readonly work: (handle: FileSystemFileHandle) => Promise<void> },
): Promise<FileSystemFileHandle> {
  const handle = await dir.getFileHandle(name, { create: true })
  try {
    await work(handle)
    return handle
  } catch (error) {
    if (isNew) await dir.removeEntry(name).catch(() => {})
    throw error
  }
}

/** Copies a file, or a directory with all in it, without having the contents in memory. */
export async function copyTo(from: Handle, into: Dir, name: string): Promise<void> {
  if (from.kind === 'file') {
    const content = await from.getFile()
    const isNew = (await childOf(into, name)) === undefined
    await withFile(into, name, { isNew, work: (handle) => writeWhole(handle, content) })
    return
  }
  const dir = await into.getDirectoryHandle(name, { create: true })
  for await (const [inner, handle] of from.entries()) await copyTo(handle, dir, inner)
}
