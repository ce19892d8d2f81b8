// What a skill is.

export interface Skill {
  readonly name: string
  /** One line: what it does, and when to use it. */
  readonly description: string
  /** Where its files are. */
  readonly directory: string
}

export const skillFile = 'SKILL.md'

/** Bytes of a `SKILL.md`, and of each file beside it. */
export const maxSkillBytes = 65_536
