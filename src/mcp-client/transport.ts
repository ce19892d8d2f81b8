// The transport port: how messages reach an MCP server and come back. HTTP is one, a process another.
import { SameloopError } from '../error/error.ts'
import type { ErrorDetails } from '../error/error.ts'
import type { RpcMessage } from '../json-rpc/message.ts'
import type { ProtocolVersion } from '../mcp-protocol/version.ts'

/** One message on its way. */
export interface Delivery {
  /** What both ends speak; `undefined` before they agreed on a session. */
  readonly version: ProtocolVersion | undefined
  /** Aborts when nobody waits any more: what goes on for this message ends. */
  readonly signal: AbortSignal
  /** Headers that repeat parameters; only HTTP has a place for them. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Given, parsed and unchecked, what comes back for this message alone. */
  receive(message: unknown): void
  /** Whether something is still awaited. */
  isOpen(): boolean
}

/** What comes that belongs to no message, where all share one channel. */
export interface Channel {
  receive(message: unknown): void
  /** The channel is gone, and will not come back. */
  end(reason: SameloopError): void
}

export interface Transport {
  /** Every message has an answer of its own, whose end is the end of it; else all share one channel. */
  readonly isHttp: boolean
  /** Once, before the first message. Throws `source-failed` where there is nobody to talk to. */
  open(channel: Channel): Promise<void>
  /** Resolves when the message was taken and, with HTTP, everything that answers it has come. Throws `source-failed`. */
  send(message: RpcMessage, delivery: Delivery): Promise<void>
  /** Waits for what the server says by itself, until the signal aborts or the server offers nothing of the kind. */
  listen?(delivery: Delivery): Promise<void>
  close(): Promise<void>
}

/** What went wrong with a server, in our words. `data.status` is of HTTP, `data.code` of JSON-RPC. */
export const serverError = (name: string, what: string, details?: ErrorDetails): SameloopError =>
  new SameloopError('source-failed', `The MCP server "${name}" ${what}`, details)
