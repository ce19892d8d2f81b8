// Writes a request of the OpenAI chat completions dialect.
import type { ToolDefinition } from '../message/model-event.ts'
import type { ContentPart, FilePart, Message, Part, ReasoningPart, ToolResultPart } from '../message/part.ts'
import type { Json } from '../json/value.ts'
import { contentText } from '../message/text.ts'
import type { ModelCall, ModelRequest, ModelSettings } from '../model/model.ts'
import { isObject } from '../json/value.ts'
import { stringifyJson } from '../json/text.ts'
import { callIds, toolName, type Written, written } from './history.ts'

export interface ChatRequestOptions {
  readonly model: string
  readonly provider: string
  readonly maxTokensKey: string
  readonly includeUsage: boolean
}

/** One array of messages as JSON text, without brackets. */
interface ChatHistory extends Written {
  text: string
  readonly id: (id: string) => string
}

/** What of earlier requests is used again. */
export interface ChatCache {
  readonly histories: WeakMap<readonly Message[], ChatHistory>
  readonly tools: WeakMap<readonly ToolDefinition[], string>
}

export const chatCache = (): ChatCache => ({ histories: new WeakMap(), tools: new WeakMap() })

// The longest call id that OpenAI takes back.
const longestCallId = 40

function filePart(file: FilePart): Json {
  const { mediaType, data = '', name = 'file' } = file
  const url = file.url ?? `data:${mediaType};base64,${data}`
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  // A file somewhere else can only be named.
  if (file.url !== undefined) return { type: 'text', text: contentText([file]) }
  if (mediaType.startsWith('audio/'))
    return { type: 'input_audio', input_audio: { data, format: mediaType === 'audio/mpeg' ? 'mp3' : 'wav' } }
  return { type: 'file', file: { filename: name, file_data: url } }
}

function userContent(content: readonly Part[]): Json {
  if (!content.some((part) => part.type === 'file')) return contentText(content)
  return content.map((part) => (part.type === 'file' ? filePart(part) : { type: 'text', text: contentText([part]) }))
}

/** Reasoning goes back under the key it came by, to the provider it came from. */
function reasoning(parts: readonly ReasoningPart[], provider: string): { [key: string]: Json } {
  const sent: { [key: string]: Json } = {}
  const details: Json[] = []
  for (const { text, providerData } of parts) {
    const { field, reasoning_details: more } = providerData?.[provider] ?? {}
    if (Array.isArray(more)) details.push(...more)
    if (field === 'reasoning' || field === 'reasoning_content')
      sent[field] = ((sent[field] as string | undefined) ?? '') + text
  }
  if (details.length > 0) sent['reasoning_details'] = details
  return sent
}

function assistant(content: readonly Part[], id: (id: string) => string, provider: string): Json | undefined {
  let text = ''
  const thoughts: ReasoningPart[] = []
  const calls: Json[] = []
  for (const part of content) {
    if (part.type === 'text' || part.type === 'json') text += contentText([part])
    else if (part.type === 'reasoning') thoughts.push(part)
    else if (part.type === 'tool-call' && !part.providerExecuted) {
      // What was no JSON object in the answer must not be sent as arguments: servers refuse the whole history.
      const input = isObject(part.input) ? part.input : {}
      const extra = part.providerData?.[provider]?.['extra_content']
      const call = {
        id: id(part.callId),
        type: 'function',
        function: { name: toolName(part.name), arguments: stringifyJson(input) },
      }
      calls.push(extra === undefined ? call : { ...call, extra_content: extra })
    }
  }
  if (text === '' && calls.length === 0) return undefined
  const base = { role: 'assistant', content: text || null, ...reasoning(thoughts, provider) }
  return calls.length > 0 ? { ...base, tool_calls: calls } : base
}

function* wireMessages(message: Message, history: ChatHistory, provider: string): Generator<Json> {
  const { role, content } = message
  if (role === 'assistant') {
    const said = assistant(content, history.id, provider)
    if (said) yield said
    return
  }
  if (role !== 'tool') return yield { role, content: userContent(content) }
  const results = content.filter(
    (part): part is ToolResultPart => part.type === 'tool-result' && !part.providerExecuted,
  )
  for (const { callId, content: said } of results)
    yield { role: 'tool', tool_call_id: history.id(callId), content: contentText(said) }
  // A tool message holds text only; what a tool shows comes right after all of them.
  const files = results.flatMap((result) =>
    result.content.filter((part: ContentPart): part is FilePart => part.type === 'file'),
  )
  if (files.length > 0) yield { role: 'user', content: files.map(filePart) }
}

function toolsText(tools: readonly ToolDefinition[]): string {
  return stringifyJson(
    tools.map(({ name, description, inputSchema }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema },
    })),
  )
}

function toolChoice(choice: ModelSettings['toolChoice']): Json | undefined {
  return typeof choice === 'object' ? { type: 'function', function: { name: choice.tool } } : choice
}

function settingsOf(request: ModelRequest, call: ModelCall, options: ChatRequestOptions): { [key: string]: unknown } {
  const { settings, output, tools } = request
  const { temperature, topP, maxOutputTokens, stopSequences, reasoning: effort } = settings
  if (typeof effort === 'object') {
    call.onWarning?.('setting-ignored', 'Setting "reasoning" in tokens is not known to this dialect: use a level')
  }
  return {
    temperature,
    top_p: topP,
    [options.maxTokensKey]: maxOutputTokens,
    stop: stopSequences?.length ? stopSequences : undefined,
    reasoning_effort: typeof effort === 'object' ? undefined : effort?.replace('off', 'none'),
    tool_choice: tools.length > 0 ? toolChoice(settings.toolChoice) : undefined,
    response_format: output && { type: 'json_schema', json_schema: { name: 'answer', schema: output } },
    stream_options: options.includeUsage ? { include_usage: true } : undefined,
    ...settings.providerOptions?.[options.provider],
  }
}

/** The request's JSON. A message that was written before is not written again, and its text never changes. */
export function chatRequestBody(
  request: ModelRequest,
  call: ModelCall,
  { cache, ...options }: ChatRequestOptions & { cache: ChatCache },
): string {
  const { tools, instructions } = request
  const history = written(cache.histories, request.messages, {
    make: () => ({ count: 0, last: undefined, text: '', id: callIds(longestCallId) }),
    add: (state, message) => {
      for (const wire of wireMessages(message, state, options.provider))
        state.text += (state.text && ',') + stringifyJson(wire)
    },
  })
  let definitions = tools.length > 0 ? cache.tools.get(tools) : ''
  if (definitions === undefined) cache.tools.set(tools, (definitions = `,"tools":${toolsText(tools)}`))
  const head = stringifyJson({ model: options.model, stream: true, ...settingsOf(request, call, options) }).slice(0, -1)
  const system = instructions ? stringifyJson({ role: 'system', content: instructions }) + (history.text && ',') : ''
  return `${head}${definitions},"messages":[${system}${history.text}]}`
}
