// The files of a conversation, here or at the worker, and which of them changed since it began.
import { remoteJson, remoteRequest } from '../../element/session/remote-calls.ts'
import type { RemoteAddress } from '../../element/session/remote-calls.ts'
import type { Host } from '../../src/host/host.ts'
import { isObject } from '../../src/json/value.ts'
import { walk } from '../../src/vfs/walk.ts'
import type { Vfs } from '../../src/index.ts'

export interface FileFacts {
  readonly path: string
  readonly type: 'file' | 'dir'
  readonly size: number
  /** Another one after each change. */
  readonly version: string
}

export interface Listing {
  readonly files: readonly FileFacts[]
  /** Whether there are more. */
  readonly isCut: boolean
}

export interface Files {
  list(): Promise<Listing>
  read(path: string): Promise<Uint8Array>
  write(path: string, data: Uint8Array): Promise<void>
}

const mostListed = 5000

export function localFiles(fs: Vfs): Files {
  return {
    async list() {
      const found: FileFacts[] = []
      for await (const { path, type, size = 0 } of walk(fs, '/')) {
        if (found.length === mostListed) return { files: found, isCut: true }
        const etag = type === 'file' ? (await fs.stat(path))?.etag : undefined
        found.push({ path, type, size, version: etag ?? '' })
      }
      return { files: found, isCut: false }
    },
    read: (path) => fs.read(path),
    write: async (path, data) => void (await fs.write(path, data, { parents: true })),
  }
}

/** The files of a session of a worker; none before there is a session. */
export function remoteFiles(at: RemoteAddress & { readonly host: Host }, session: () => string | undefined): Files {
  const pathOf = (rest: string): string => `sessions/${encodeURIComponent(session() ?? '')}/${rest}`
  return {
    async list() {
      if (session() === undefined) return { files: [], isCut: false }
      const { entries, truncated } = await remoteJson(at, pathOf('files?path=/'))
      const files = Array.isArray(entries) ? entries.filter(isObject).map(factsOf) : []
      return { files, isCut: truncated === true }
    },
    async read(path) {
      const response = await remoteRequest(at, pathOf(`file?path=${encodeURIComponent(path)}`))
      return new Uint8Array(await response.arrayBuffer())
    },
    async write(path, bytes) {
      await remoteRequest(at, pathOf(`file?path=${encodeURIComponent(path)}`), { method: 'PUT', bytes })
    },
  }
}

function factsOf(entry: Readonly<Record<string, unknown>>): FileFacts {
  const { path, type, size, mtime } = entry
  return {
    path: String(path),
    type: type === 'dir' ? 'dir' : 'file',
    size: Number(size) || 0,
    version: `${Number(mtime)} ${Number(size)}`,
  }
}

export type Mark = 'added' | 'changed' | 'deleted'

/** What became of each file since `before` (path → version). A file that a cut list does not name may still be there. */
export function fileMarks(before: ReadonlyMap<string, string>, now: Listing): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>()
  const present = new Set<string>()
  for (const { path, type, version } of now.files) {
    if (type === 'dir') continue
    present.add(path)
    const old = before.get(path)
    if (old === undefined) marks.set(path, 'added')
    else if (old !== version) marks.set(path, 'changed')
  }
  if (!now.isCut) for (const path of before.keys()) if (!present.has(path)) marks.set(path, 'deleted')
  return marks
}
