// Who calls a tool from afar, and what can be said to them meanwhile.
import type { Grants } from '../approval/grants.ts'
import type { ReceivedMessage, RpcId, RpcMessage } from '../json-rpc/message.ts'
import type { ProtocolVersion } from '../mcp-protocol/version.ts'

/** What the host program knows of whoever sent a request. */
export interface McpAccess {
  /** For the tools (`context.deps`) and for `registry.allow`. */
  readonly deps?: unknown
  /** Whose request it is: a session, and the question of a call, are nobody else's. */
  readonly principal?: string | undefined
}

export interface Caller {
  readonly access: McpAccess
  readonly version: ProtocolVersion
  /** What the client said that it can do: hostile until asked key by key. */
  readonly capabilities: unknown
  /** What is kept between requests, where there is a session. */
  readonly session: Remembered | undefined
  /** Aborts when the client takes its request back otherwise than by leaving. */
  readonly cancelled?: AbortSignal | undefined
}

export interface Remembered {
  readonly grants: Grants
  /** What takes the answers to open questions. */
  readonly questions: Map<RpcId, (answer: ReceivedMessage) => void>
}

/** The way back to a client while its request is at work. */
export interface Line {
  /** Whether anything can be said before the answer. */
  readonly canStream: boolean
  /** Aborts when the client has left. */
  readonly left: AbortSignal
  /** Says it at once. `isSpare`: left out where the client does not keep up. */
  send(message: RpcMessage, options?: { readonly isSpare?: boolean }): void
}
