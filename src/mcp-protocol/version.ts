// The revisions of the Model Context Protocol, newest first, and which of them know no session.

/** Each request says of itself which revision it speaks and what its sender can do. */
export const statelessVersions = ['2026-07-28'] as const

/** A handshake, `initialize`, agrees on the revision for all that follows. */
export const sessionVersions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const

export type StatelessVersion = (typeof statelessVersions)[number]
export type SessionVersion = (typeof sessionVersions)[number]
export type ProtocolVersion = StatelessVersion | SessionVersion

export const isStateless = (version: unknown): version is StatelessVersion =>
  statelessVersions.some((known) => known === version)

export const isSessionVersion = (version: unknown): version is SessionVersion =>
  sessionVersions.some((known) => known === version)
