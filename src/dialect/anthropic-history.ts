// Writes a conversation for the Anthropic messages dialect: roles alternate, results come first, empty text never goes.
import type { ContentPart, Message, Part } from '../message/part.ts'
import type { Json } from '../json/value.ts'
import { contentText } from '../message/text.ts'
import { isObject } from '../json/value.ts'
import { stringifyJson } from '../json/text.ts'
import { callIds, toolName, type Written } from './history.ts'

interface Block {
  /** Results come before everything else, in call order. */
  readonly order: number
  readonly json: string
  /** The caller set a cache mark on it. */
  readonly marked: boolean
  /** The text of a text block. */
  readonly text: string | undefined
}

/** One array of messages, written; the last message stays open, for what follows may be of the same role. */
export interface AnthropicHistory extends Written {
  /** Closed messages, each with a comma after it, up to a place where a cache mark may be put in. */
  before: string
  /** The rest of them. */
  after: string
  role: 'user' | 'assistant'
  blocks: Block[]
  /** The calls of the last assistant message. */
  calls: string[]
  /** System messages that came first. */
  system: string[]
  /** How many cache marks the caller set. */
  marks: number
  readonly id: (id: string) => string
}

/** The most cache marks the provider takes in one request. */
export const mostMarks = 4
/** Goes before the closing brace of a block. */
export const cacheMark = ',"cache_control":{"type":"ephemeral"}'

const longestCallId = 64
const lastOrder = 2 ** 31

export function anthropicHistory(): AnthropicHistory {
  const id = callIds(longestCallId)
  return {
    count: 0,
    last: undefined,
    before: '',
    after: '',
    role: 'user',
    blocks: [],
    calls: [],
    system: [],
    marks: 0,
    id,
  }
}

type WireBlock = { readonly [key: string]: Json | undefined }

function contentBlock(part: ContentPart): WireBlock | undefined {
  if (part.type === 'file') {
    const { mediaType, data, url, name } = part
    const source = url === undefined ? { type: 'base64', media_type: mediaType, data } : { type: 'url', url }
    if (mediaType.startsWith('image/')) return { type: 'image', source }
    if (mediaType === 'application/pdf') return { type: 'document', source, title: name || undefined }
  }
  const text = contentText([part])
  return text.trim() ? { type: 'text', text } : undefined
}

/** The block of a part as this provider takes it; `undefined` where it is another's or says nothing. */
function partBlock(part: Part, provider: string, id: (id: string) => string): WireBlock | undefined {
  const own = part.providerData?.[provider] ?? {}
  const { type, signature, data } = own
  if (part.type === 'reasoning') {
    if (data) return { type: 'redacted_thinking', data }
    return signature ? { type: 'thinking', thinking: part.text, signature } : undefined
  }
  if (part.type === 'tool-call') {
    const { providerExecuted: isHosted, name, input } = part
    if (isHosted && !type) return undefined
    return {
      type: type ?? 'tool_use',
      id: id(part.callId),
      // The provider's own tools go back as they came.
      name: isHosted ? name : toolName(name),
      input: isObject(input) ? (input as Json) : {},
      server_name: own['server_name'],
    }
  }
  if (part.type !== 'tool-result') {
    const block = contentBlock(part)
    return block && { ...block, citations: own['citations'] }
  }
  const answered = { tool_use_id: id(part.callId) }
  if (part.providerExecuted) {
    const [said] = part.content
    const content = said?.type === 'json' ? said.value : []
    return type ? { type, ...answered, content, is_error: own['is_error'] } : undefined
  }
  const content = part.content.map(contentBlock).filter((block) => block !== undefined)
  return {
    type: 'tool_result',
    ...answered,
    content: content[0] && content,
    is_error: part.ok ? undefined : true,
  }
}

const wireMessage = (role: string, blocks: readonly string[]): string =>
  `{"role":"${role}","content":[${blocks.join(',')}]}`

/** The open message; `mark` goes on its last block. */
export function openText({ role, blocks }: AnthropicHistory, mark: string): string {
  const texts = blocks.map((block) => block.json)
  const last = blocks.at(-1)
  let json = texts.pop()
  if (!last || !json) return ''
  // An answer that is to go on must not end in white space.
  if (role === 'assistant' && last.text !== undefined) json = stringifyJson({ type: 'text', text: last.text.trimEnd() })
  return wireMessage(role, [...texts, json.slice(0, -1) + mark + '}'])
}

function close(history: AnthropicHistory): void {
  const { role, blocks } = history
  if (!blocks[0]) return
  const texts = blocks.map((block) => block.json)
  const text = wireMessage(role, texts) + ','
  const isMarked = blocks.at(-1)?.marked
  history.blocks = []
  if (role === 'assistant' || isMarked) {
    history.after += text
    return
  }
  history.before += history.after + text.slice(0, -4)
  history.after = text.slice(-4)
}

/** Takes one message in. */
export function addMessage(history: AnthropicHistory, { role: from, content }: Message, provider: string): void {
  const role = from === 'assistant' ? from : 'user'
  // Later system messages are said by the user: the provider takes only what comes first.
  if (from === 'system' && !history.after && !history.blocks[0]) return void history.system.push(contentText(content))
  const calls: string[] = []
  const blocks: Block[] = []
  for (const part of content) {
    if (role === 'assistant' && (part.type === 'source' || part.type === 'file')) continue
    const value = partBlock(part, provider, history.id)
    if (!value) continue
    const control = part.type === 'reasoning' ? undefined : part.providerData?.[provider]?.['cache_control']
    const marked = control !== undefined && history.marks < mostMarks
    if (marked) history.marks++
    const json = stringifyJson(marked ? { ...value, cache_control: control } : value)
    const isResult = part.type === 'tool-result' && !part.providerExecuted
    if (part.type === 'tool-call') calls.push(part.callId)
    const order = isResult ? history.calls.indexOf(part.callId) : lastOrder
    blocks.push({ order, json, marked, text: part.type === 'text' ? part.text : undefined })
  }
  // A message that says nothing does not part those around it.
  if (!blocks[0]) return
  if (history.role !== role) close(history)
  if (role === 'assistant') history.calls = calls
  history.role = role
  history.blocks = [...history.blocks, ...blocks].sort((left, right) => left.order - right.order)
}
