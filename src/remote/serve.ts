// Files for another thread: the end that has them.
import { guarded } from '../error/guard.ts'
import { vfsError } from '../vfs/error.ts'
import { normalizePath } from '../vfs/path.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { maxBytes, maxWatches, readAsking } from './file-message.ts'
import type { Answering, FileCall } from './file-message.ts'
import { listenTo, whole } from './message-port.ts'
import type { MessagePortLike } from './message-port.ts'
import { sentError } from './sent-error.ts'

/** Operations at once; `remote` asks for fewer. */
const maxOpen = 256

export interface ServeOptions {
  /** The other end said what it may not, and is not listened to any more. */
  readonly onBroken?: (() => void) | undefined
}

interface Server {
  readonly vfs: Vfs
  readonly open: Map<number, AbortController>
  readonly watches: Map<number, () => void>
  /** Whether it could be sent. */
  readonly send: (message: Answering, transfer?: ArrayBuffer[]) => boolean
  bytes: number
}

/**
 * Lets `remote` at the other end of `port` use these files, for as long as the returned function is not called: then
 * what is under way is aborted. The other end may be anybody: what it says is checked, and who breaks the protocol, has
 * more than 256 operations, 256 watches or 256 MiB under way at once, or asks with a message of the wrong shape, is cut
 * off. Other messages on the port are left alone. What is read is transferred, not copied.
 */
export function serve(vfs: Vfs, port: MessagePortLike, { onBroken }: ServeOptions = {}): () => void {
  const server: Server = {
    vfs,
    open: new Map(),
    watches: new Map(),
    // A port that is closed is no concern of the files.
    send: (message, transfer = []) =>
      guarded(() => {
        port.postMessage(message, transfer)
        return true
      }, false),
    bytes: 0,
  }
  const stop = (): void => {
    stopListening()
    for (const control of server.open.values()) control.abort()
    for (const unwatch of server.watches.values()) guarded(unwatch, undefined)
    server.open.clear()
    server.watches.clear()
  }
  const stopListening = listenTo(port, {
    onMessage: (message) => {
      if (typeof message !== 'object' || message === null || !Object.hasOwn(message, 'files')) return
      const isGood = answered(server, message, stop)
      if (isGood) return
      stop()
      server.send({ files: 'bye' })
      onBroken?.()
    },
    onClose: stop,
  })
  return () => {
    stop()
    server.send({ files: 'bye' })
  }
}

/** Whether the other end may say this. */
function answered(server: Server, message: unknown, stop: () => void): boolean {
  const { vfs, open, watches, send } = server
  const asked = readAsking(message)
  switch (asked?.files) {
    case undefined:
      return false
    case 'hello':
      send({ files: 'welcome', capabilities: plainCapabilities(vfs) })
      return true
    case 'bye':
      stop()
      return true
    case 'abort':
      open.get(asked.id)?.abort()
      return true
    case 'unwatch': {
      const unwatch = watches.get(asked.id)
      watches.delete(asked.id)
      if (unwatch) guarded(unwatch, undefined)
      return true
    }
    case 'watch':
      return watched(server, asked)
    case 'call':
      if (open.has(asked.id) || open.size >= maxOpen || isTooMuch(server, asked)) return false
      void perform(server, asked)
      return true
  }
}

const isTooMuch = ({ bytes }: Server, { data }: FileCall): boolean => bytes > 0 && bytes + data.length > maxBytes

function watched({ vfs, watches, send }: Server, { id, prefix }: { readonly id: number; readonly prefix: string }) {
  if (watches.has(id) || watches.size >= maxWatches) return false
  const unwatch = guarded(
    () => vfs.watch?.(normalizePath(prefix), ({ type, path }) => send({ files: 'change', id, change: { type, path } })),
    undefined,
  )
  if (unwatch) watches.set(id, unwatch)
  return true
}

async function perform(server: Server, call: FileCall): Promise<void> {
  const { id, operation, path, data } = call
  const { open, send } = server
  const control = new AbortController()
  open.set(id, control)
  server.bytes += data.length
  try {
    if (data.length > maxBytes) throw vfsError('EFBIG', path, { action: operation })
    const value = await operate(server.vfs, call, control.signal)
    if (!answer(server, id, value))
      throw vfsError('EIO', path, { action: operation, reason: 'its answer cannot be sent to another thread' })
  } catch (error) {
    const sent = sentError(error)
    const unknown = (): Error => vfsError('EIO', path, { action: operation })
    send({ files: 'failed', id, error: 'errno' in sent || 'code' in sent ? sent : sentError(unknown()) })
  } finally {
    open.delete(id)
    server.bytes -= data.length
  }
}

/** Whether the answer could be sent. Some memory cannot be given away. */
function answer({ send }: Server, id: number, value: unknown): boolean {
  if (!(value instanceof Uint8Array)) return send({ files: 'done', id, value })
  const bytes = whole(value)
  return send({ files: 'done', id, value: bytes }, [bytes.buffer]) || send({ files: 'done', id, value: bytes.slice() })
}

function operate(vfs: Vfs, call: FileCall, signal: AbortSignal): Promise<unknown> {
  const path = normalizePath(call.path)
  const options = { ...call.options, signal }
  switch (call.operation) {
    case 'stat':
      return vfs.stat(path, options)
    case 'list':
      return vfs.list(path, options)
    case 'read':
      return vfs.read(path, options)
    case 'write':
      return vfs.write(path, call.data, options)
    case 'mkdir':
      return vfs.mkdir(path, options)
    case 'rm':
      return vfs.rm(path, options)
    case 'rename':
      return vfs.rename(path, normalizePath(call.to), options)
  }
}

function plainCapabilities({ capabilities, watch }: Vfs): Vfs['capabilities'] {
  const { name, persistent, readOnly, atomicRename, cas, append, maxFileBytes, root } = capabilities
  const canWatch = capabilities.watch && watch !== undefined
  return { name, persistent, readOnly, atomicRename, cas, append, watch: canWatch, maxFileBytes, root }
}
