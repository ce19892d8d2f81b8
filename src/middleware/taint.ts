// After a run has read what strangers wrote, its calls with an effect need a person.
import type { ToolResultPart } from '../message/part.ts'
import type { CallFacts } from '../tool/rule.ts'
import { shownNames, toolNames } from '../tool/tool-names.ts'
import type { Middleware } from './middleware.ts'

export interface TaintOptions {
  /** Tools whose results come from outside. */
  readonly from: readonly string[]
  /** Calls to ask about from then on. Default: every call whose effect is not `read`. */
  readonly asks?: readonly string[] | undefined
}

/**
 * Text from the network may carry instructions (prompt injection). Once a tool of `from` has answered, a person is asked
 * before the calls of `asks`. It is read from the messages, so it holds after a resume, and in a conversation that goes
 * on; calls of the same step were planned before the answer was read.
 */
export function taint({ from, asks }: TaintOptions): Middleware {
  const isSource = shownNames(from)
  const isAsked = asks ? toolNames(asks) : undefined
  const source = ({ messages }: CallFacts): string | undefined => {
    const results = messages.flatMap(({ content }) => content as readonly ToolResultPart[])
    return results.find((part) => part.type === 'tool-result' && part.ok && isSource(part.name))?.name
  }
  return {
    name: 'taint',
    rules: [
      (facts) => {
        if (isAsked ? !isAsked(facts.name, facts.uri) : facts.effect === 'read') return undefined
        const name = source(facts)
        return name === undefined
          ? undefined
          : { action: 'ask', reason: `The conversation holds text from outside, which "${name}" brought in` }
      },
    ],
  }
}
