// Writes a request of the OpenAI chat completions dialect.
import type { ToolDefinition } from '../message/model-event.ts'
import type { FilePart, Message, Part, ToolResultPart } from '../message/part.ts'
import type { Json } from '../json/value.ts'
import { contentText } from '../message/text.ts'
import type { ModelCall, ModelRequest } from '../model/model.ts'
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

type JsonObject = { [key: string]: Json | undefined }

/** Every function is wrapped: what is on offer, what is chosen, what was called. */
const wrapped = (fn: JsonObject): JsonObject => ({ type: 'function', function: fn })

function assistantMessages(content: readonly Part[], id: ChatHistory['id'], provider: string): Json[] {
  let text = ''
  const thoughts: JsonObject = {}
  const details: Json[] = []
  const calls: Json[] = []
  for (const part of content) {
    const own = part.providerData?.[provider] ?? {}
    if (part.type === 'text' || part.type === 'json') text += contentText([part])
    else if (part.type === 'reasoning') {
      // It goes back under the key it came by, to the provider it came from.
      const { field, reasoning_details: more } = own
      if (Array.isArray(more)) details.push(...more)
      if (field === 'reasoning' || field === 'reasoning_content') {
        thoughts[field] = ((thoughts[field] as string | undefined) ?? '') + part.text
      }
    } else if (part.type === 'tool-call' && !part.providerExecuted) {
      // What was no JSON object in the answer must not be sent as arguments: servers refuse the whole history.
      const input = stringifyJson(isObject(part.input) ? part.input : {})
      const call = wrapped({ name: toolName(part.name), arguments: input })
      calls.push({ id: id(part.callId), ...call, extra_content: own['extra_content'] })
    }
  }
  if (text === '' && calls.length === 0) return []
  const lists = { reasoning_details: details[0] && details, tool_calls: calls[0] && calls }
  return [{ role: 'assistant', content: text || null, ...thoughts, ...lists }]
}

function wireMessages({ role, content }: Message, { id }: ChatHistory, provider: string): Json[] {
  if (role === 'assistant') return assistantMessages(content, id, provider)
  if (role !== 'tool') return [{ role, content: userContent(content) }]
  const results = content.filter(
    (part): part is ToolResultPart => part.type === 'tool-result' && !part.providerExecuted,
  )
  const files = results.flatMap((result) => result.content.filter((part): part is FilePart => part.type === 'file'))
  const messages: Json[] = results.map((result) => ({
    role,
    tool_call_id: id(result.callId),
    content: contentText(result.content),
  }))
  // A tool message holds text only; what a tool shows comes right after all of them.
  return files[0] ? [...messages, { role: 'user', content: files.map(filePart) }] : messages
}

const toolsText = (tools: readonly ToolDefinition[]): string =>
  stringifyJson(
    tools.map(({ name, description, inputSchema }) => wrapped({ name, description, parameters: inputSchema })),
  )

function settingsOf(
  { settings, output, tools }: ModelRequest,
  call: ModelCall,
  options: ChatRequestOptions,
): JsonObject {
  const { temperature, topP, maxOutputTokens, stopSequences, reasoning, toolChoice } = settings
  const hasBudget = typeof reasoning === 'object'
  if (hasBudget) call.onWarning?.('setting-ignored', 'Setting "reasoning" is ignored: wanted a level, got tokens')
  return {
    temperature,
    top_p: topP,
    [options.maxTokensKey]: maxOutputTokens,
    stop: stopSequences?.length ? stopSequences : undefined,
    reasoning_effort: hasBudget ? undefined : reasoning?.replace('off', 'none'),
    tool_choice: tools[0] && (typeof toolChoice === 'object' ? wrapped({ name: toolChoice.tool }) : toolChoice),
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
