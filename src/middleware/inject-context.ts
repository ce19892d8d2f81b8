// Adds what the model should know now, without making it part of the conversation.
import { textMessage } from '../message/text.ts'
import type { ModelRequest } from '../model/model.ts'
import type { Middleware } from './middleware.ts'

/**
 * Text for each model call: the time, the open file, what a search found. It is the last message of the request, in the
 * name of the user, and is not stored, so everything before it stays cached by the provider. `undefined` adds nothing.
 */
export function injectContext(
  text: (request: ModelRequest) => string | undefined | Promise<string | undefined>,
): Middleware {
  return {
    name: 'inject-context',
    async *model(request, next) {
      const said = await text(request)
      yield* next(said ? { ...request, messages: [...request.messages, textMessage('user', said)] } : request)
    },
  }
}
