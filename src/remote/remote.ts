// Files of another thread: the end that has them not.
import { guarded } from '../error/guard.ts'
import { listen } from '../stream/signal.ts'
import { vfsError } from '../vfs/error.ts'
import { normalizePath } from '../vfs/path.ts'
import { checkBytes, pageSize, rangeOf } from '../vfs/rule.ts'
import type { Vfs, VfsCapabilities, VfsChange, VfsOperation } from '../vfs/vfs.ts'
import { answerChecks, maxBytes, maxWatches, readAnswering, readAsking } from './file-message.ts'
import type { Asking, CallOptions, Check, FileCall } from './file-message.ts'
import { closePort, listenTo } from './message-port.ts'
import type { MessagePortLike } from './message-port.ts'
import { receivedError } from './sent-error.ts'

/** As many operations are under way at once; further ones wait for their turn, as `serve` would not take them. */
const maxOpen = 64

interface Pending {
  readonly call: FileCall
  /** Of the data, which is gone when it is sent. */
  readonly size: number
  isSent: boolean
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Client {
  readonly port: MessagePortLike
  /** Until they are answered, even where nobody waits for the answer any more. */
  readonly open: Map<number, Pending>
  readonly waiting: Pending[]
  readonly watches: Map<number, (change: VfsChange) => void>
  readonly send: (message: Asking, transfer?: ArrayBuffer[]) => void
  lastId: number
  bytes: number
  isClosed: boolean
}

const closed = (path = '/'): Error => vfsError('EIO', path, { reason: 'the other thread does not answer any more' })

/**
 * The files that `serve` offers at the other end of `port`, when it has answered. They are gone, and everything rejects
 * with `vfs-failed`, when either end closes; `dispose` closes this one and the port. What is written is copied once and
 * then transferred: a caller's buffer is never detached. `batch` does not cross. An answer that never comes is waited for
 * until the signal. A 257th watch at once is `vfs-busy`.
 */
export function remote(port: MessagePortLike, { signal }: VfsOperation = {}): Promise<Vfs> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const client: Client = {
      port,
      open: new Map(),
      waiting: [],
      watches: new Map(),
      send: (message, transfer = []) => port.postMessage(message, transfer),
      lastId: 0,
      bytes: 0,
      isClosed: false,
    }
    const close = (reason: unknown = closed()): void => {
      if (client.isClosed) return
      client.isClosed = true
      stopListening()
      forget()
      for (const pending of [...client.open.values(), ...client.waiting]) pending.reject(reason)
      client.watches.clear()
      reject(reason)
    }
    const stopListening = listenTo(port, {
      onMessage: (message) => {
        const answer = readAnswering(message)
        if (answer?.files === 'bye') close()
        else if (answer?.files === 'welcome') {
          forget()
          resolve(filesOf(client, answer.capabilities, close))
        } else if (answer) take(client, answer)
      },
      onClose: () => close(),
    })
    const forget = listen(signal, close)
    client.send({ files: 'hello' })
  })
}

function take(client: Client, answer: Exclude<ReturnType<typeof readAnswering>, undefined>): void {
  if (answer.files === 'change') return guarded(() => client.watches.get(answer.id)?.(answer.change), undefined)
  if (answer.files !== 'done' && answer.files !== 'failed') return
  const pending = client.open.get(answer.id)
  if (!pending) return
  client.open.delete(answer.id)
  client.bytes -= pending.size
  if (answer.files === 'done') pending.resolve(answer.value)
  else pending.reject(receivedError(answer.error))
  admit(client)
}

/** What an operation carries beside its path and its number. */
type Carried = Partial<Pick<FileCall, 'to' | 'data'>> & { readonly options?: (CallOptions & VfsOperation) | undefined }

function filesOf(client: Client, capabilities: VfsCapabilities, close: () => void): Vfs {
  const ask = <Value>(
    operation: FileCall['operation'],
    path: string,
    { options = {}, ...carried }: Carried,
    check: Check<Value>,
  ): Promise<Value> => {
    const { signal, ...plain } = options
    const at = normalizePath(path)
    const call = callOf(++client.lastId, operation, at, { ...carried, options: inRange(at, plain) })
    return asked(client, call, signal).then((value) => {
      if (!check(value)) throw vfsError('EIO', path, { action: operation, reason: 'the answer has another shape' })
      return value
    })
  }
  const { stat, list, read, write, nothing } = answerChecks
  return {
    capabilities: { ...capabilities, name: `remote(${capabilities.name})` },
    stat: async (path, options) => {
      const found = await ask('stat', path, { options }, stat)
      // What the other end says of its own files is no reason to trust them.
      return found && { ...found, trusted: undefined }
    },
    list: async (path, options) => ask('list', path, { options }, list),
    read: async (path, options) => ask('read', path, { options }, read),
    write: async (path, data, options) => {
      checkBytes(path, data)
      return ask('write', path, { data: new Uint8Array(data), options }, write)
    },
    mkdir: async (path, options) => ask('mkdir', path, { options }, nothing),
    rm: async (path, options) => ask('rm', path, { options }, nothing),
    rename: async (path, to, options) => ask('rename', path, { to: normalizePath(to), options }, nothing),
    ...(capabilities.watch && {
      watch: (prefix, listener) => {
        const id = ++client.lastId
        const at = normalizePath(prefix)
        if (client.isClosed) return () => {}
        if (client.watches.size >= maxWatches)
          throw vfsError('EBUSY', at, { action: 'watch', reason: `there may be ${maxWatches} watches at once` })
        client.watches.set(id, listener)
        client.send({ files: 'watch', id, prefix: at })
        return () => {
          if (client.watches.delete(id)) client.send({ files: 'unwatch', id })
        }
      },
    }),
    dispose: async () => {
      if (client.isClosed) return
      client.send({ files: 'bye' })
      close()
      closePort(client.port)
    },
  }
}

/** The call, if the other end takes it: it listens no more to who asks for something else. */
function callOf(
  id: number,
  operation: FileCall['operation'],
  path: string,
  { to = '/', data = new Uint8Array(), options }: Carried,
): FileCall {
  const call = readAsking({ files: 'call', id, operation, path, to, data, options })
  if (call?.files === 'call') return call
  throw vfsError('EINVAL', path, { action: operation, reason: 'an option of it is of another type' })
}

/** Throws for a page or a range that is none. Only what has its own name for it can be without end. */
function inRange(path: string, { limit = Infinity, length = Infinity, ...options }: CallOptions): CallOptions {
  pageSize(path, limit)
  rangeOf(path, 0, { ...options, length })
  return { ...options, ...(limit < Infinity && { limit }), ...(length < Infinity && { length }) }
}

/** Sends the call when it is its turn, and waits for what comes of it, or for the signal. */
function asked(client: Client, call: FileCall, signal: AbortSignal | undefined): Promise<unknown> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    if (client.isClosed) return reject(closed(call.path))
    const pending: Pending = {
      call,
      size: call.data.length,
      isSent: false,
      resolve: (value) => {
        forget()
        resolve(value)
      },
      reject: (error) => {
        forget()
        reject(error)
      },
    }
    const forget = listen(signal, (reason) => {
      reject(reason)
      if (pending.isSent) client.send({ files: 'abort', id: call.id })
      else client.waiting.splice(client.waiting.indexOf(pending), 1)
    })
    client.waiting.push(pending)
    admit(client)
  })
}

/** Sends what waits, as far as there is room for it. */
function admit(client: Client): void {
  const { open, waiting } = client
  for (let next = waiting[0]; next && hasRoom(client, next); next = waiting[0]) {
    waiting.shift()
    const { call, size } = next
    open.set(call.id, next)
    next.isSent = true
    client.bytes += size
    // `write` made a copy of the data.
    client.send(call, size ? [call.data.buffer as ArrayBuffer] : [])
  }
}

const hasRoom = ({ open, bytes }: Client, { size }: Pending): boolean =>
  open.size < maxOpen && (bytes === 0 || bytes + size <= maxBytes)
