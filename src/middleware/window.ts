// Where a long conversation is cut: the same place in every step until it must move, so that providers can cache what
// stays.
import type { Message, Part } from '../message/part.ts'

const sizes = /* @__PURE__ */ new WeakMap<Message, number>()

/** About how many tokens a message has: four characters each; an image or a file counts as 1,500. */
export function tokensOf(message: Message): number {
  const known = sizes.get(message)
  if (known !== undefined) return known
  const size = message.content.reduce((sum, part) => sum + partTokens(part), 4)
  sizes.set(message, size)
  return size
}

const partTokens = (part: Part): number =>
  part.type === 'file' ? 1500 : Math.ceil((part.type === 'text' ? part.text : JSON.stringify(part)).length / 4)

const goneWith = (message: Message): number => (message.role === 'system' ? 0 : tokensOf(message))

export interface Window {
  /** The index of the first message that stays; 0 where nothing is cut. */
  readonly start: number
  /** About how many tokens there are without the cut, and with it. */
  readonly before: number
  readonly after: number
}

/**
 * Walks the conversation as it grew: when it has more than `most` tokens, the oldest messages go until it has `least`.
 * Calls stay with their results, the last message always stays, and so do system messages: what they take is no room for
 * others, but they leave them half of what they do not take, so that the cut does not move with every step.
 */
export function windowOf(messages: readonly Message[], most: number, least: number): Window {
  let start = 0
  let before = 0
  let after = 0
  let fixed = 0
  for (const [index, message] of messages.entries()) {
    const size = tokensOf(message)
    before += size
    after += size
    if (message.role === 'system') fixed += size
    // A call whose results are still to come is not parted from them.
    if (after <= most || messages[index + 1]?.role === 'tool') continue
    const wanted = Math.max(least, fixed + (most - fixed) / 2)
    while (start < index && (after > wanted || messages[start]?.role === 'tool'))
      after -= goneWith(messages[start++] as Message)
    while (start > 0 && messages[start]?.role === 'tool') after += goneWith(messages[--start] as Message)
  }
  return { start, before, after }
}
