// Leaves out the oldest messages of a conversation that has become too long for its model.
import { amounts } from '../error/amount.ts'
import type { Message } from '../message/part.ts'
import { textMessage } from '../message/text.ts'
import type { Middleware } from './middleware.ts'
import { windowOf } from './window.ts'

export interface TrimOptions {
  /** Above this many tokens (counted as four characters each) something goes. Default 100,000. */
  readonly maxTokens?: number | undefined
  /** So many stay then. Default 60 % of `maxTokens`, so that the cut does not move with every step. */
  readonly keepTokens?: number | undefined
}

/** Only the request is shortened: the run keeps all messages. Calls stay with their results, system messages stay. */
export function trim(options: TrimOptions = {}): Middleware {
  const { maxTokens } = amounts(options, { maxTokens: 100_000 })
  const { keepTokens } = amounts(options, { keepTokens: maxTokens * 0.6 })
  /** Where the conversation was cut last: a cut that did not move is no news. */
  const cuts = new WeakMap<readonly Message[], number>()
  return {
    name: 'trim',
    model(request, next, { onCompaction }) {
      const { messages } = request
      const { start, before, after } = windowOf(messages, maxTokens, keepTokens)
      if (start === 0) return next(request)
      if (cuts.get(messages) !== start) onCompaction?.(before, after)
      cuts.set(messages, start)
      const system = messages.slice(0, start).filter(({ role }) => role === 'system')
      const note = textMessage('user', '[Earlier messages of this conversation were left out]')
      return next({ ...request, messages: [...system, note, ...messages.slice(start)] })
    },
  }
}
