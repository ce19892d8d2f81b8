// What a dialect already wrote of a conversation: the run's array only grows, so each message is written once.
import type { Message } from '../message/part.ts'

/** What was written of one array of messages; a dialect adds its own text to it. */
export interface Written {
  count: number
  last: Message | undefined
}

/**
 * The state for `messages`, with every message taken in by `add`; made anew where the array is another one, or was not
 * only appended to.
 */
export function written<State extends Written>(
  cache: WeakMap<readonly Message[], State>,
  messages: readonly Message[],
  how: { readonly make: () => State; readonly add: (state: State, message: Message) => void },
): State {
  let state = cache.get(messages)
  if (!state || messages[state.count - 1] !== state.last) {
    state = how.make()
    cache.set(messages, state)
  }
  for (const message of state.count === 0 ? messages : messages.slice(state.count)) how.add(state, message)
  state.count = messages.length
  state.last = messages[state.count - 1]
  return state
}

const safe = (text: string, longest: number): string => text.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest)

/** A tool's name as every provider takes it: models make names up, and the history holds what they said. */
export const toolName = (name: string): string => safe(name, 64) || 'unnamed'

/**
 * Call ids as a provider takes them: letters, digits, `_` and `-`, at most `longest`; the same id always becomes the
 * same, and two ids never become one.
 */
export function callIds(longest: number): (id: string) => string {
  const known = new Map<string, string>()
  const taken = new Set<string>()
  return (id) => {
    let sent = known.get(id)
    if (sent !== undefined) return sent
    const base = safe(id, longest) || 'call'
    sent = base
    for (let number = 2; taken.has(sent); number++)
      sent = `${base.slice(0, longest - 1 - String(number).length)}_${number}`
    known.set(id, sent)
    taken.add(sent)
    return sent
  }
}
