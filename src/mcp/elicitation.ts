// A server that wants to know something from a person: asked in the run whose call it is for.
import { isSameloopError } from '../error/error.ts'
import { cut, parseJson } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import { jsonSchema } from '../schema/check.ts'
import { settle } from '../schema/coerce.ts'
import type { Schema } from '../schema/schema.ts'
import { issueText, toSchema } from '../schema/standard.ts'
import type { ToolContext } from '../tool/context.ts'
import type { McpOffer } from './source.ts'

const maxQuestionChars = 2000
const maxSchemaChars = 20_000
/** An answer that does not fit is asked for again, with what is wrong with it. */
const maxTries = 3

/**
 * Lets a server ask the person, by the tool of that name or URI, for example `ask_human`: it is called with
 * `{ question, context }` in the run whose call the question is for. The server reads `accept` with what fits its form,
 * `decline` where the tool was denied, and `cancel` where nobody could be asked or the answer never fitted.
 */
export const elicitation = (tool: string): McpOffer => ({
  method: 'elicitation/create',
  capability: { elicitation: { form: {} } },
  answer: (params, { server, context }) => elicit(params, { server, tool, context }),
})

interface Asking {
  readonly server: string
  readonly tool: string
  readonly context: ToolContext | undefined
}

async function elicit(params: JsonObject, { server, tool, context }: Asking): Promise<JsonObject> {
  const message = own(params, 'message')
  // A page of the server's own is not opened here.
  if (typeof message !== 'string' || (own(params, 'mode') ?? 'form') !== 'form') return { action: 'decline' }
  if (!context) return { action: 'cancel' }
  const form = formOf(own(params, 'requestedSchema'))
  if (!form) return { action: 'cancel' }
  const question = `The MCP server "${server}" asks: ${cut(message, maxQuestionChars)}`
  let problem = ''
  for (let attempt = 0; attempt < maxTries; attempt++) {
    const asked = { question: problem === '' ? question : `${question}\n${problem}`, context: wanted(form) }
    const answer = await answerOf(context, tool, asked)
    if ('action' in answer) return answer
    const settled = settle(form, withDefaults(filled(answer.value, form), form))
    if (settled.ok) return { action: 'accept', content: settled.json }
    problem = `The answer does not fit: ${issueText(settled.issues, answer.value)}`
  }
  return { action: 'cancel' }
}

function formOf(schema: unknown): Schema | undefined {
  if (!isObject(schema) || JSON.stringify(schema).length > maxSchemaChars) return undefined
  try {
    return toSchema(jsonSchema(schema, { patterns: 'ignore' }), 'input')
  } catch {
    return undefined
  }
}

const propertiesOf = ({ json }: Schema): readonly (readonly [string, unknown])[] =>
  Object.entries(own(json, 'properties') ?? {})

/** What the person should know: the fields, as the server describes them. */
const wanted = (form: Schema): string =>
  propertiesOf(form)
    .map(([key, field]) => `${key}: ${cut(JSON.stringify(field), 500)}`)
    .join('\n')

/** A text is the one field that is asked for, or the whole form as JSON. */
function filled(answer: unknown, form: Schema): unknown {
  if (typeof answer !== 'string') return answer
  const parsed = parseJson(answer)
  if (parsed.ok && isObject(parsed.value)) return parsed.value
  const [first, ...others] = propertiesOf(form)
  if (!first) return {}
  return others.length === 0 ? { [first[0]]: answer } : answer
}

/** What was left out and has a default is as the server proposes. */
function withDefaults(answer: unknown, form: Schema): unknown {
  if (!isObject(answer)) return answer
  const defaults = propertiesOf(form).map(([key, field]) => [key, own(field, 'default')] as const)
  return { ...Object.fromEntries(defaults.filter(([, value]) => value !== undefined)), ...answer }
}

async function answerOf(
  context: ToolContext,
  tool: string,
  asked: Json,
): Promise<{ readonly value: unknown } | { readonly action: string }> {
  try {
    const value = await context.call(tool, asked)
    const keys = isObject(value) ? Object.keys(value) : []
    return { value: keys.length === 1 && keys[0] === 'result' ? own(value, 'result') : value }
  } catch (thrown) {
    return { action: isSameloopError(thrown, 'tool-denied') ? 'decline' : 'cancel' }
  }
}
