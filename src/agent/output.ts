// Structured output: the answer's text against the agent's schema, with one repair round.
import { SameloopError } from '../error/error.ts'
import { settle } from '../schema/coerce.ts'
import { issueText } from '../schema/standard.ts'
import { parseJson } from '../stream/json.ts'
import type { AgentState } from './state.ts'

/** `undefined` when the answer fits (or none is asked for); else what to tell the model. Fails the second time. */
export function checkOutput(state: AgentState): string | undefined {
  const schema = state.setup.output
  if (schema === undefined) return undefined
  const parsed = parseJson(unfenced(state.text))
  const settled = parsed.ok ? settle(schema, parsed.value) : undefined
  if (settled?.ok === true) {
    state.output = settled.value
    return undefined
  }
  const why = settled === undefined ? 'it is not JSON' : issueText(settled.issues, parsed.ok ? parsed.value : undefined)
  if (state.repaired) throw new SameloopError('schema-mismatch', `The answer does not fit the output schema: ${why}`, { data: { text: state.text.slice(0, 1000) } })
  state.repaired = true
  return `Your answer does not fit the required JSON schema: ${why}. Answer again with the JSON alone.`
}

/** Models like to fence JSON although they are asked not to. */
function unfenced(text: string): string {
  const match = /^\s*```(?:json)?\n([\s\S]*?)\n```\s*$/.exec(text)
  return match?.[1] ?? text
}
