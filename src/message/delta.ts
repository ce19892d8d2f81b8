// Joining the deltas of one block: many small events become one that says the same.
import type { RunEvent } from './event.ts'

export type Delta = Extract<RunEvent, { readonly delta: string }>

export const isDelta = (event: RunEvent): event is Delta => 'delta' in event

const isSameBlock = (left: Delta, right: Delta): boolean =>
  left.type === right.type &&
  left.id === right.id &&
  left.step === right.step &&
  left.run === right.run &&
  left.path?.join('\n') === right.path?.join('\n')

/**
 * Two neighbouring events as one where both are deltas of one block, else `undefined`. It has the later one's `seq` and
 * `at`: who goes on reading after this `seq` has read all of the text, and events that are joined in other places end up
 * the same.
 */
export function joinDelta(left: RunEvent | undefined, right: RunEvent): Delta | undefined {
  if (!left || !isDelta(left) || !isDelta(right) || !isSameBlock(left, right)) return undefined
  return { ...right, delta: left.delta + right.delta }
}
