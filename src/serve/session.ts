// Sessions of clients that begin with a handshake: in memory, few, and forgotten when nobody uses them.
import { grants } from '../approval/grants.ts'
import { amounts } from '../error/amount.ts'
import type { Host } from '../host/host.ts'
import type { RpcId } from '../json-rpc/message.ts'
import type { SessionVersion } from '../mcp-protocol/version.ts'
import type { Remembered } from '../served-tools/caller.ts'
import { unguessable } from '../served-tools/ticket.ts'

export interface SessionLimits {
  /**
   * Default 1000. Where there are as many, one has to go that does nothing: of the principal that has most of these, the
   * one that was used least recently.
   */
  readonly max?: number | undefined
  /** How long one may be unused, in milliseconds. Default 30 minutes. */
  readonly idleMs?: number | undefined
}

export interface Session extends Remembered {
  readonly id: string
  readonly version: SessionVersion
  /** What the client said that it can do: hostile until asked key by key. */
  readonly capabilities: unknown
  /** Whose it is: to anybody else it does not exist. */
  readonly principal: string | undefined
  /** What ends the calls at work. */
  readonly calls: Map<RpcId, () => void>
  usedAt: number
}

type Beginning = Pick<Session, 'version' | 'capabilities' | 'principal'>

export interface Sessions {
  /** `undefined` where there is no room. */
  open(by: Beginning): Promise<Session | undefined>
  find(id: string, principal: string | undefined): Session | undefined
  /** Ends its calls, too. */
  close(session: Session): void
}

export function memorySessions(host: Host, limits: SessionLimits): Sessions {
  const { max, idleMs } = amounts(limits, { max: 1000, idleMs: 30 * 60_000 })
  // The least recently used is the first.
  const open = new Map<string, Session>()
  const close = (session: Session): void => {
    open.delete(session.id)
    for (const end of session.calls.values()) end()
  }
  const isIdle = ({ calls }: Session): boolean => calls.size === 0
  const isOver = (session: Session): boolean => isIdle(session) && session.usedAt + idleMs < host.now()
  const touch = (session: Session): void => {
    session.usedAt = host.now()
    open.delete(session.id)
    open.set(session.id, session)
  }
  return {
    async open(by) {
      const id = await unguessable(host)
      for (const session of open.values()) if (isOver(session)) close(session)
      const spare = open.size < max ? undefined : leastMissed([...open.values()].filter(isIdle))
      if (spare) close(spare)
      if (open.size >= max) return undefined
      const session: Session = { ...by, id, grants: grants(), calls: new Map(), questions: new Map(), usedAt: 0 }
      touch(session)
      return session
    },
    find(id, principal) {
      const session = open.get(id)
      if (session && isOver(session)) close(session)
      if (!session || isOver(session) || session.principal !== principal) return undefined
      touch(session)
      return session
    },
    close,
  }
}

/** The first of whoever has most: nobody can push all others out. */
function leastMissed(idle: readonly Session[]): Session | undefined {
  const held = new Map<string | undefined, number>()
  for (const { principal } of idle) held.set(principal, (held.get(principal) ?? 0) + 1)
  const most = [...held.values()].reduce((left, right) => Math.max(left, right), 0)
  return idle.find(({ principal }) => held.get(principal) === most)
}
