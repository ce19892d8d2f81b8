// What a session needs to go on, as JSON: the conversation, and what waits for a person.
import type { Grants } from '../../../src/approval/grants.ts'
import type { ApprovalRequest } from '../../../src/message/decision.ts'
import type { Message } from '../../../src/message/part.ts'
import { isObject } from '../../../src/json/value.ts'
import { dropChunks, readText, writeText } from '../files/chunk.ts'
import { keptJson } from '../files/kept-json.ts'

/** Long texts of the session, by what they are. */
interface Kept {
  readonly messages: readonly Message[]
  readonly pending: readonly ApprovalRequest[]
  /** What was approved or denied for the whole session. */
  readonly grants: Grants
}

export function keep<Key extends keyof Kept>(sql: SqlStorage, key: Key, value: Kept[Key] | undefined): void {
  if (value === undefined) dropChunks(sql, key)
  else writeText(sql, key, JSON.stringify(value))
}

const shapes: Readonly<Record<keyof Kept, (value: unknown) => boolean>> = {
  messages: Array.isArray,
  pending: Array.isArray,
  grants: isObject,
}

/** Throws `journal-invalid` where it is damaged. */
export function kept<Key extends keyof Kept>(sql: SqlStorage, key: Key): Kept[Key] | undefined {
  const text = readText(sql, key)
  return text === undefined ? undefined : (keptJson(text, `the ${key} of the session`, shapes[key]) as Kept[Key])
}
