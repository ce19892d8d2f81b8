// Large files piece by piece, as Web Streams.
import { amounts } from '../error/amount.ts'
import { vfsError } from './error.ts'
import { absolutePath } from './path.ts'
import type { Vfs, VfsOperation } from './vfs.ts'

export interface ReadStreamOptions extends VfsOperation {
  /** Bytes. Default 0. */
  readonly offset?: number | undefined
  /** Bytes. Default: to the end. */
  readonly length?: number | undefined
  /** Bytes read at once. Default 256 KiB. */
  readonly chunkBytes?: number | undefined
}

/**
 * A file's bytes. A file that changes while it is read errors with `vfs-conflict`, where the files tell changes apart:
 * no reader gets half of one and half of another. Throws `config-invalid` for a range or a chunk that cannot be.
 */
export function readStream(files: Vfs, path: string, options: ReadStreamOptions = {}): ReadableStream<Uint8Array> {
  const { signal } = options
  const { offset, length } = amounts(options, { offset: 0, length: Infinity })
  const { chunkBytes } = amounts(options, { chunkBytes: 256 * 1024 }, { least: 1 })
  const at = absolutePath(files, path)
  let done = 0
  let etag: string | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const stat = await files.stat(at, { signal })
        if (stat?.type !== 'file') throw vfsError(stat ? 'EISDIR' : 'ENOENT', at, { action: 'read' })
        if (etag !== undefined && stat.etag !== etag) throw vfsError('ECONFLICT', at, { action: 'read' })
        etag = stat.etag
        const size = Math.min(chunkBytes, length - done)
        const bytes =
          size > 0 ? await files.read(at, { offset: offset + done, length: size, signal }) : new Uint8Array()
        done += bytes.length
        if (bytes.length > 0) controller.enqueue(bytes)
        if (bytes.length < size || done >= length || size <= 0) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * Writes what comes to a file beside `path`, its name with `.part` at the end, which takes its place when the stream
 * closes: a stream that is aborted leaves the file as it was. What is called so is overwritten, so one stream at a time
 * may write a file. Missing directories are made.
 */
export function writeStream(files: Vfs, path: string, { signal }: VfsOperation = {}): WritableStream<Uint8Array> {
  const at = absolutePath(files, path)
  const beside = `${at}.part`
  let begun = false
  const put = async (bytes: Uint8Array): Promise<void> => {
    await files.write(beside, bytes, { mode: begun ? 'append' : 'overwrite', parents: true, signal })
    begun = true
  }
  return new WritableStream<Uint8Array>({
    write: put,
    async close() {
      if (!begun) await put(new Uint8Array())
      await files.rename(beside, at, { signal })
    },
    abort: () => (begun ? files.rm(beside, { force: true }) : undefined),
  })
}
