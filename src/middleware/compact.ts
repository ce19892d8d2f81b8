// Summarises the oldest messages of a conversation that has become too long for its model.
import { amounts } from '../error/amount.ts'
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
  /** All that it covers: the same last message may stand in another conversation, which must not read this one. */
  readonly covers: readonly Message[]
  readonly text: string
  readonly usage: Usage
}

const usual =
  'Summarise the conversation so far for somebody who goes on with the task and has not read it: the goal, decisions, facts found, files touched, what is left to do. Leave out what no longer matters. Answer with the summary alone.'

/**
 * Only the request is shortened: the run keeps all messages. System messages stay as they are. A summary is made once and
 * stands until the next is needed, which builds on it; its tokens count as the run's. After a resume in another process it
 * is made anew. A `model` given here is asked directly, past the middleware that comes after this one.
 */
export function compact(options: CompactOptions = {}): Middleware {
  const { model, instructions = usual } = options
  const { maxTokens } = amounts(options, { maxTokens: 100_000 })
  const { keepTokens } = amounts(options, { keepTokens: maxTokens * 0.4 })
  // By the last message a summary covers.
  const summaries = new WeakMap<Message, Summary>()
  const summaryUpTo = (messages: readonly Message[], end: number): Summary | undefined => {
    const found = summaries.get(messages[end - 1] as Message)
    const isOfThese =
      found?.covers.length === end && found.covers.every((message, index) => message === messages[index])
    return isOfThese ? found : undefined
  }
  return {
    name: 'compact',
    async *model(request, next, call) {
      const { messages } = request
      const { start, before, after } = windowOf(messages, maxTokens, keepTokens)
      if (start === 0) return yield* next(request)
      const ask: ModelNext = model ? (asked) => model.stream(asked, call) : next
      const last = messages[start - 1] as Message
      const known = summaryUpTo(messages, start)
      const made = known ?? (await summarise())
      summaries.set(last, made)
      if (!known) call.onCompaction?.(before, after)
      const summary = textMessage('user', `[Summary of the conversation so far]\n${made.text}`)
      const system = messages.slice(0, start).filter(({ role }) => role === 'system')
      const stream = next({ ...request, messages: [...system, summary, ...messages.slice(start)] })
      return yield* known ? stream : withUsage(stream, made.usage)

      async function summarise(): Promise<Summary> {
        let earlier = start - 1
        let base: Summary | undefined
        while (earlier > 0 && !(base = summaryUpTo(messages, earlier))) earlier--
        const asked = [
          ...(base ? [textMessage('user', base.text)] : []),
          ...messages.slice(earlier, start),
          textMessage('user', instructions),
        ]
        // With the tools that the messages call, as providers want them there, and none to be called.
        const settings = { ...request.settings, toolChoice: 'none', stopSequences: undefined } as const
        const answer = await said(ask({ messages: asked, tools: request.tools, settings }), call)
        return { ...answer, covers: messages.slice(0, start) }
      }
    },
  }
}

/** A summary that is whole: half of one would stand for all that it leaves out. */
async function said(stream: ReturnType<ModelNext>, { signal }: ModelCall): Promise<Omit<Summary, 'covers'>> {
  let text = ''
  let usage: Usage = {}
  let reason: string | undefined
  for await (const events of stream) {
    signal?.throwIfAborted()
    for (const event of events) {
      if (event.type === 'text-delta') text += event.delta
      if (event.type === 'finish') ({ usage, reason } = event)
    }
  }
  if (text.trim() !== '' && (reason === 'stop' || reason === 'unknown')) return { text, usage }
  throw new SameloopError('model-response', 'The model gave no whole summary of the conversation', { retryable: true })
}

async function* withUsage(stream: ReturnType<ModelNext>, usage: Usage): AsyncGenerator<readonly ModelEvent[]> {
  for await (const events of stream) {
    yield events.map((event) => (event.type === 'finish' ? { ...event, usage: addUsage(event.usage, usage) } : event))
  }
}
