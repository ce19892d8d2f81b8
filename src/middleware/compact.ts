// Summarises the oldest messages of a conversation that has become too long for its model.
import { SameloopError } from '../error/error.ts'
import type { ModelEvent } from '../message/model-event.ts'
import type { Message } from '../message/part.ts'
import { textMessage } from '../message/text.ts'
import { addUsage } from '../message/usage.ts'
import type { Usage } from '../message/usage.ts'
import type { Model, ModelCall } from '../model/model.ts'
import type { Middleware, ModelNext } from './middleware.ts'
import { windowOf } from './window.ts'

export interface CompactOptions {
  /** Above this many tokens (counted as four characters each) the oldest messages are summarised. Default 100,000. */
  readonly maxTokens?: number | undefined
  /** So many stay as they are. Default 40 % of `maxTokens`. */
  readonly keepTokens?: number | undefined
  /** Who summarises. Default: the agent's own model. */
  readonly model?: Model | undefined
  /** What a summary should hold. */
  readonly instructions?: string | undefined
}

interface Summary {
  readonly text: string
  readonly usage: Usage
}

const usual =
  'Summarise the conversation so far for somebody who goes on with the task and has not read it: the goal, decisions, facts found, files touched, what is left to do. Leave out what no longer matters. Answer with the summary alone.'

/**
 * Only the request is shortened: the run keeps all messages. System messages stay as they are. A summary is made once and stands until the next is needed,
 * which builds on it; its tokens count as the run's. After a resume in another process it is made anew.
 */
export function compact(options: CompactOptions = {}): Middleware {
  const { maxTokens = 100_000, keepTokens = maxTokens * 0.4, model, instructions = usual } = options
  // By the last message a summary covers: messages are immutable, and their order is that of their run.
  const summaries = new WeakMap<Message, Summary>()
  return {
    name: 'compact',
    async *model(request, next, call) {
      const { messages } = request
      const { start, before, after } = windowOf(messages, maxTokens, keepTokens)
      if (start === 0) return yield* next(request)
      const ask: ModelNext = model ? (asked) => model.stream(asked, call) : next
      const last = messages[start - 1] as Message
      const known = summaries.get(last)
      const made = known ?? (await summarise())
      summaries.set(last, made)
      if (!known) call.onCompaction?.(before, after)
      const summary = textMessage('user', `[Summary of the conversation so far]\n${made.text}`)
      const system = messages.slice(0, start).filter(({ role }) => role === 'system')
      const stream = next({ ...request, messages: [...system, summary, ...messages.slice(start)] })
      return yield* known ? stream : withUsage(stream, made.usage)

      async function summarise(): Promise<Summary> {
        let earlier = start - 2
        while (earlier >= 0 && !summaries.has(messages[earlier] as Message)) earlier--
        const base = earlier < 0 ? [] : [textMessage('user', summaries.get(messages[earlier] as Message)?.text ?? '')]
        const asked = [...base, ...messages.slice(earlier + 1, start), textMessage('user', instructions)]
        return said(ask({ messages: asked, tools: [], settings: request.settings }), call)
      }
    },
  }
}

async function said(stream: ReturnType<ModelNext>, { signal }: ModelCall): Promise<Summary> {
  let text = ''
  let usage: Usage = {}
  for await (const events of stream) {
    signal?.throwIfAborted()
    for (const event of events) {
      if (event.type === 'text-delta') text += event.delta
      if (event.type === 'finish') ({ usage } = event)
    }
  }
  if (text.trim() !== '') return { text, usage }
  throw new SameloopError('model-response', 'The model gave no summary of the conversation', { retryable: true })
}

async function* withUsage(stream: ReturnType<ModelNext>, usage: Usage): AsyncGenerator<readonly ModelEvent[]> {
  for await (const events of stream) {
    yield events.map((event) => (event.type === 'finish' ? { ...event, usage: addUsage(event.usage, usage) } : event))
  }
}
