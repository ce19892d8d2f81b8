// What a person allowed or forbade for a session: by exact input unless the tool names a wider scope, never for the agent.

/** Plain JSON, part of every snapshot. */
export interface Grants {
  /** `tool name + "\n" + scope` of each approve-session. */
  readonly allowed: string[]
  /** Tools that deny-always covers. */
  readonly denied: string[]
}

export function grants(): Grants {
  return { allowed: [], denied: [] }
}

/** The key of an approve-session: the tool with its scope. */
export const grantKey = (tool: string, scope: string): string => `${tool}\n${scope}`

/** What earlier decisions of the session say about a call, if anything. */
export function granted(from: Grants, tool: string, scope: () => string): 'allow' | 'deny' | undefined {
  if (from.denied.includes(tool)) return 'deny'
  if (from.allowed.length > 0 && from.allowed.includes(grantKey(tool, scope()))) return 'allow'
  return undefined
}

export function grant(into: Grants, tool: string, scope: string): void {
  const key = grantKey(tool, scope)
  if (!into.allowed.includes(key)) into.allowed.push(key)
}

export function forbid(into: Grants, tool: string): void {
  if (!into.denied.includes(tool)) into.denied.push(tool)
}
