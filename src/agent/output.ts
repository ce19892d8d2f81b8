// Structured output: the answer's text against the agent's schema, with one repair round.
import { SameloopError } from '../error/error.ts'
import { settle } from '../schema/coerce.ts'
import { issueText } from '../schema/standard.ts'
import { parseJson } from '../json/text.ts'
import type { AgentState } from './state.ts'

/** `undefined` when the answer fits (or none is asked for); else what to tell the model. Fails the second time. */
export function checkOutput(state: AgentState): string | undefined {
  const { schema, text } = state
  if (!schema) return undefined
  // Models like to fence JSON although they are asked not to.
  const parsed = parseJson(/^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(text)?.[1] ?? text)
  const settled = parsed.ok ? settle(schema, parsed.value) : undefined
  if (settled?.ok) {
    state.output = settled.value
    return undefined
  }
  const why = parsed.ok && settled ? issueText(settled.issues, parsed.value) : 'it is not JSON'
  const message = `The answer does not fit the output schema: ${why}`
  if (state.repaired) throw new SameloopError('schema-mismatch', message, { data: { text: text.slice(0, 1000) } })
  state.repaired = true
  return `${message}. Answer again with the JSON alone`
}
