// After a run has read what strangers wrote, its calls with an effect need a person.
import type { ToolResultPart } from '../message/part.ts'
import type { CallFacts } from '../tool/rule.ts'
import { shownNames, toolNames } from '../tool/tool-names.ts'
import type { Middleware } from './middleware.ts'

export interface TaintOptions {
  /** Tools whose results come from outside. Default `http_request` and `web_*`, the web tools of the library. */
  readonly from?: readonly string[] | undefined
  /** Calls to ask about from then on. Default: every call whose effect is not `read`. */
  readonly asks?: readonly string[] | undefined
}

/**
 * Text from the network may carry instructions (prompt injection). Once a tool of `from` has answered, a person is asked
 * before the calls of `asks`. It is read from the messages, so it holds after a resume, and in a conversation that goes
 * on; calls of the same step were planned before the answer was read. A failure may carry such text too. That a source was
 * called by an alias or by another tool is known in this process alone, and what a sub-agent read is not seen: name such
 * tools and sub-agents in `from`.
 */
export function taint({ from = ['http_request', 'web_*'], asks }: TaintOptions = {}): Middleware {
  const isSource = shownNames(from)
  const isAsked = asks ? toolNames(asks) : undefined
  const isSourceTool = toolNames(from)
  // What the messages do not tell: a source that was called by an alias, or by another tool.
  const known = new Set<string>()
  const keyOf = ({ run, session }: CallFacts, callId: string): string => `${session ?? run} ${callId.split('/')[0]}`
  const note = (facts: CallFacts): void => {
    known.add(keyOf(facts, facts.callId))
    const [oldest = ''] = known
    if (known.size > 10_000) known.delete(oldest)
  }
  const source = (facts: CallFacts): string | undefined => {
    const results = facts.messages.flatMap(({ content }) => content as readonly ToolResultPart[])
    return results.find(
      (part) =>
        part.type === 'tool-result' && isRead(part) && (isSource(part.name) || known.has(keyOf(facts, part.callId))),
    )?.name
  }
  return {
    name: 'taint',
    rules: [
      (facts) => {
        if (isSourceTool(facts.name, facts.uri)) note(facts)
        if (isAsked ? !isAsked(facts.name, facts.uri) : facts.effect === 'read') return undefined
        const name = source(facts)
        return name === undefined
          ? undefined
          : { action: 'ask', reason: `The conversation holds text from outside, which "${name}" brought in` }
      },
    ],
  }
}

/** Whether a result may hold what the tool brought in: it ran. */
const isRead = ({ ok, reason }: ToolResultPart): boolean =>
  ok || reason === undefined || reason === 'failed' || reason === 'invalid-output'
