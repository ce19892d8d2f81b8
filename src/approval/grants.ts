// What a person allowed or forbade for a session: by exact input unless the tool says otherwise, never for the agent.

/** Plain JSON, part of every snapshot. */
export interface Grants {
  /** `tool name + "\n" + scope` of each approve-session, after the URIs of the sub-agents whose tool it is. */
  readonly allowed: string[]
  /** Tools that deny-always covers. */
  readonly denied: string[]
}

export function grants(): Grants {
  return { allowed: [], denied: [] }
}

/** Adds what is not there yet. */
export function addGrants(into: Grants, { allowed = [], denied = [] }: Partial<Grants>): Grants {
  for (const key of allowed) if (!into.allowed.includes(key)) into.allowed.push(key)
  for (const tool of denied) if (!into.denied.includes(tool)) into.denied.push(tool)
  return into
}
