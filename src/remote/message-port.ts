// What messages go through, whatever the runtime calls it.

interface Sender {
  /** `transfer` names the buffers that the sender gives away. */
  postMessage(message: unknown, transfer: ArrayBuffer[]): void
  /** Only what also has a `start`, a port, is closed: the global object of a Worker has a `close`, too, which ends it. */
  start?(): void
  close?(): void
}

/** A `MessagePort`, a `Worker`, or the global object of a Worker. */
export interface EventPort extends Sender {
  addEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void
  removeEventListener(type: string, listener: (event: { readonly data?: unknown }) => void): void
}

/** A port or Worker of `node:worker_threads`. */
export interface EmitterPort extends Sender {
  on(type: string, listener: (message?: unknown) => void): unknown
  off(type: string, listener: (message?: unknown) => void): unknown
}

export type MessagePortLike = EventPort | EmitterPort

export interface PortListener {
  readonly onMessage: (message: unknown) => void
  /** The other end is gone; not every runtime says so. */
  readonly onClose: () => void
}

/** Listens until the returned function is called. */
export function listenTo(port: MessagePortLike, { onMessage, onClose }: PortListener): () => void {
  if ('on' in port) {
    port.on('message', onMessage)
    port.on('close', onClose)
    return () => {
      port.off('message', onMessage)
      port.off('close', onClose)
    }
  }
  const onEvent = ({ data }: { readonly data?: unknown }): void => onMessage(data)
  port.addEventListener('message', onEvent)
  port.addEventListener('close', onClose)
  port.start?.()
  return () => {
    port.removeEventListener('message', onEvent)
    port.removeEventListener('close', onClose)
  }
}

/** A port whose messages go through another. */
export interface InnerPort {
  readonly port: EventPort
  /** A message has come for it. */
  deliver(message: unknown): void
}

export function innerPort(postMessage: EventPort['postMessage']): InnerPort {
  const listeners = new Set<(event: { readonly data?: unknown }) => void>()
  return {
    port: {
      postMessage,
      addEventListener: (type, listener) => {
        if (type === 'message') listeners.add(listener)
      },
      removeEventListener: (_, listener) => void listeners.delete(listener),
    },
    deliver: (data) => {
      for (const listener of listeners) listener({ data })
    },
  }
}

export function closePort(port: MessagePortLike): void {
  if (port.start) port.close?.()
}

/** The same bytes in a buffer of their own that may be given away. Bytes that are nobody else's are not copied. */
export function whole(data: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = data
  // A part of a larger buffer would take the rest along.
  if (!(buffer instanceof ArrayBuffer) || buffer.byteLength !== data.byteLength) return new Uint8Array(data)
  return new Uint8Array(buffer)
}
