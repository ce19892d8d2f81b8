// Writes a request of the Anthropic messages dialect.
import type { ToolDefinition } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import type { Message } from '../message/part.ts'
import type { ModelCall, ModelRequest } from '../model/model.ts'
import { stringifyJson } from '../json/text.ts'
import {
  addMessage,
  type AnthropicHistory,
  anthropicHistory,
  cacheMark,
  mostMarks,
  openText,
} from './anthropic-history.ts'
import { written } from './history.ts'

export interface AnthropicRequestOptions {
  readonly model: string
  readonly provider: string
  /** Whether marks are set where the caller set none. */
  readonly marks: boolean
  readonly serverTools: readonly Json[]
  readonly histories: WeakMap<readonly Message[], AnthropicHistory>
  readonly tools: WeakMap<readonly ToolDefinition[], string>
}

const defaultMaxTokens = 8192

function toolsText(tools: readonly ToolDefinition[], serverTools: readonly Json[]): string {
  const own = tools.map(({ name, description, inputSchema }) => ({ name, description, input_schema: inputSchema }))
  return stringifyJson([...serverTools, ...own])
}

function toolChoice(request: ModelRequest, thinks: boolean, ignored: (name: string) => undefined): Json | undefined {
  const { toolChoice: choice } = request.settings
  if (!choice || request.tools.length === 0) return undefined
  if (choice === 'auto' || choice === 'none') return { type: choice }
  if (thinks) return ignored('toolChoice')
  return choice === 'required' ? { type: 'any' } : { type: 'tool', name: choice.tool }
}

function thinking(reasoning: ModelRequest['settings']['reasoning']): { [key: string]: Json } {
  if (!reasoning) return {}
  if (reasoning === 'off') return { thinking: { type: 'disabled' } }
  if (typeof reasoning === 'object') return { thinking: { type: 'enabled', budget_tokens: reasoning.tokens } }
  return { thinking: { type: 'adaptive' }, output_config: { effort: reasoning } }
}

function settingsOf(request: ModelRequest, call: ModelCall, provider: string): { [key: string]: unknown } {
  const {
    temperature,
    topP,
    maxOutputTokens = defaultMaxTokens,
    stopSequences,
    reasoning,
    providerOptions,
  } = request.settings
  const thinks = reasoning !== undefined && reasoning !== 'off'
  const ignored = (name: string): undefined =>
    void call.onWarning?.('setting-ignored', `Setting "${name}" cannot be combined with reasoning`)
  return {
    // The provider counts thinking as output.
    max_tokens: maxOutputTokens + (typeof reasoning === 'object' ? reasoning.tokens : 0),
    temperature: thinks && temperature !== undefined ? ignored('temperature') : temperature,
    top_p: topP,
    stop_sequences: stopSequences?.length ? stopSequences : undefined,
    tool_choice: toolChoice(request, thinks, ignored),
    ...thinking(reasoning),
    ...providerOptions?.[provider],
  }
}

/** The schema of the answer is said in words, which every model takes; the native form is in `providerOptions`. */
const schemaText = (schema: Json): string =>
  `Answer with nothing but JSON that satisfies this JSON Schema: ${stringifyJson(schema)}`

/**
 * The request's JSON. A message that was written before is not written again. Cache marks go on the last block, the
 * system text, the last tool and the last block of the user message before, in this order as far as four allow.
 */
export function anthropicRequestBody(request: ModelRequest, call: ModelCall, options: AnthropicRequestOptions): string {
  const { model, provider, serverTools } = options
  const { messages, tools, instructions, output } = request
  const history = written(options.histories, messages, {
    make: anthropicHistory,
    add: (state, message) => addMessage(state, message, provider),
  })
  let marks = options.marks ? mostMarks - history.marks : 0
  const mark = (wanted: unknown): string => (wanted && marks-- > 0 ? cacheMark : '')

  const open = openText(history, mark(history.role === 'user' && history.blocks.at(-1)?.marked === false))
  const system = [instructions, ...history.system, output && schemaText(output)]
    .filter((text) => text?.trim())
    .join('\n\n')
  const systemMark = mark(system)
  let definitions = tools.length + serverTools.length > 0 ? options.tools.get(tools) : ''
  if (definitions === undefined) options.tools.set(tools, (definitions = toolsText(tools, serverTools)))
  const toolsMark = mark(definitions)

  let body = stringifyJson({ model, stream: true, ...settingsOf(request, call, provider) }).slice(0, -1)
  if (definitions) body += `,"tools":${definitions.slice(0, -2)}${toolsMark}}]`
  if (system) body += `,"system":[${stringifyJson({ type: 'text', text: system }).slice(0, -1)}${systemMark}}]`
  const closed = history.before + mark(history.before) + history.after
  return `${body},"messages":[${open ? closed + open : closed.slice(0, -1)}]}`
}
