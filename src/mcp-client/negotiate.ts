// Which revision both ends speak: a stateless one that the server tells of, else a session from 2025-03-26 on.
import { isSameloopError } from '../error/error.ts'
import { excerpt } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { JsonObject } from '../json/value.ts'
import { rpcNotification } from '../json-rpc/message.ts'
import { isSessionVersion, isStateless, sessionVersions, statelessVersions } from '../mcp-protocol/version.ts'
import type { ProtocolVersion, StatelessVersion } from '../mcp-protocol/version.ts'
import { headerMismatchCode, missingCapabilityCode, unsupportedVersionCode } from '../mcp-protocol/wire.ts'
import { clientInfo, exchange } from './link.ts'
import type { Link } from './link.ts'
import { serverError } from './transport.ts'

/** A server of a session may never answer a question it does not know. */
const discoverMs = 5000

export interface Negotiation {
  /** Speaks this one and tries no other. */
  readonly version: ProtocolVersion | undefined
  /** The server wanted a session before: it is not asked for anything else again. */
  readonly wantedSession: boolean
  readonly timeoutMs: number
}

/** Sets what the link speaks and what the server says of itself. Throws `source-failed` where they have nothing in common. */
export async function negotiate(link: Link, { version, wantedSession, timeoutMs }: Negotiation): Promise<void> {
  const isOpen = version === undefined
  if (isOpen ? !wantedSession : isStateless(version)) {
    const found = await discover(
      link,
      isStateless(version) ? version : statelessVersions[0],
      isOpen ? Math.min(discoverMs, timeoutMs) : timeoutMs,
    )
    if (found) return
    if (!isOpen) throw serverError(link.options.name, `does not speak "${version}"`)
  }
  await initialize(link, isSessionVersion(version) ? version : sessionVersions[0], timeoutMs)
}

/** Whether the server speaks a stateless revision of ours. What is no clear answer means that it wants a session. */
async function discover(link: Link, version: StatelessVersion, timeoutMs: number): Promise<boolean> {
  link.version = version
  let facts: JsonObject | undefined
  let supported: unknown
  try {
    facts = await exchange(link, 'server/discover', {}, { timeoutMs })
    supported = own(facts, 'supportedVersions')
  } catch (thrown) {
    if (!mayWantSession(thrown)) throw thrown
    supported = own(isSameloopError(thrown) ? thrown.data : undefined, 'supported')
  }
  const versions: readonly unknown[] = Array.isArray(supported) ? supported : []
  if (facts && versions.includes(version)) {
    link.facts = facts
    return true
  }
  link.version = undefined
  if (versions.length === 0 || versions.some(isSessionVersion)) return false
  throw serverError(
    link.options.name,
    `speaks only ${excerpt(versions)}, wanted ${excerpt([version, ...sessionVersions])}`,
  )
}

/** Not where nobody answered, where it was refused, or where the server clearly knows the stateless protocol. */
function mayWantSession(thrown: unknown): boolean {
  if (!isSameloopError(thrown)) return false
  const { code, status, timeoutMs, supported } = thrown.data
  if (status === 401 || status === 403 || code === headerMismatchCode || code === missingCapabilityCode) return false
  if (code === unsupportedVersionCode && supported === undefined) return false
  return code !== undefined || status !== undefined || timeoutMs !== undefined
}

async function initialize(link: Link, protocolVersion: string, timeoutMs: number): Promise<void> {
  const { name, capabilities } = link.options
  const asked = { protocolVersion, capabilities, clientInfo }
  const facts = await exchange(link, 'initialize', asked, { timeoutMs })
  const version = own(facts, 'protocolVersion')
  if (!isSessionVersion(version))
    throw serverError(name, `speaks ${excerpt(version)}, wanted one of ${excerpt(sessionVersions)}`)
  link.version = version
  link.facts = facts
  const { signal } = link.life
  const delivery = { version, signal, receive: () => undefined, isOpen: () => false }
  await link.transport.send(rpcNotification('notifications/initialized'), delivery)
}
