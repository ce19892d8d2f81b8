// The files of a session over HTTP: a flat list, and one file at a time.
import { normalizePath } from '../../../src/vfs/path.ts'
import type { Vfs, VfsStat } from '../../../src/vfs/vfs.ts'
import { walk } from '../../../src/vfs/walk.ts'

const maxListed = 10_000

type FileFacts = Pick<VfsStat, 'path' | 'type' | 'size' | 'mtime'>

const pathOf = (request: Request): string => normalizePath(new URL(request.url).searchParams.get('path') ?? '/')

/** Everything below `?path=`, directories before what is in them; `truncated` above 10,000 entries. */
export async function listFiles(
  files: Vfs,
  request: Request,
): Promise<{ readonly entries: readonly FileFacts[]; readonly truncated: boolean }> {
  const entries: FileFacts[] = []
  for await (const { path, type, size = 0, mtime = 0 } of walk(files, pathOf(request))) {
    if (entries.length === maxListed) return { entries, truncated: true }
    entries.push({ path, type, size, mtime })
  }
  return { entries, truncated: false }
}

/** The bytes of `?path=`, as a download whatever they are: a page written by a model must not run here. */
export async function fileBytes(files: Vfs, request: Request): Promise<Response> {
  const path = pathOf(request)
  const stat = await files.stat(path)
  const headers = new Headers({ 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' })
  if (stat?.etag !== undefined) headers.set('etag', `"${stat.etag}"`)
  return new Response(await files.read(path), { headers })
}

/** Writes `?path=`, with its directories. An `If-Match` that is not the file's etag is `vfs-conflict`. */
export async function putFile(files: Vfs, request: Request): Promise<VfsStat> {
  const ifMatch = request.headers.get('if-match')?.replace(/^"|"$/g, '')
  const data = new Uint8Array(await request.arrayBuffer())
  return files.write(pathOf(request), data, { parents: true, ifMatch })
}
