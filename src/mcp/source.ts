// An MCP server as a tool source, whoever speaks with it: its tools, and what else it has for the program.
import type { Host } from '../host/host.ts'
import { cut, excerpt, jsonText } from '../json/text.ts'
import { isObject, own } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import type { ContentPart, Message } from '../message/part.ts'
import { allPages } from '../mcp-client/pages.ts'
import { serverError } from '../mcp-client/transport.ts'
import type { ToolContext } from '../tool/context.ts'
import type { ToolSource } from '../tool/source.ts'
import type { Tool } from '../tool/tool.ts'
import { contentParts, resourceParts } from './content.ts'
import { mcpTool } from './mcp-tool.ts'
import type { Caller, McpToolOptions } from './mcp-tool.ts'

export interface McpSourceOptions extends McpToolOptions {
  /** Tools are `mcp://name.tool`. Letters, digits, `_` and `-`. */
  readonly name: string
  /** The most tools, resources or prompts of one list; more fail. Default 1,000. */
  readonly maxTools?: number | undefined
  /** Told what the server did wrong and what was left out for it: an odd tool, an answer to nothing. May not throw. */
  readonly onWarning?: ((text: string) => void) | undefined
}

/** What a client does for its server when it is asked to: `elicitation()` and `sampling()` make some. */
export interface McpOffer {
  readonly method: string
  /** How the client tells of it. */
  readonly capability: JsonObject
  /** `context` is of the tool call that the question is for, where there is one. What it throws, no server reads. */
  answer(
    params: JsonObject,
    asking: { readonly server: string; readonly host: Host; readonly context: ToolContext | undefined },
  ): Promise<JsonObject>
}

/** What the server says of itself. Its words: nothing here is to be trusted. */
export interface McpServerInfo {
  /** What both ends speak, for example `2025-11-25`. */
  readonly protocolVersion: string | undefined
  readonly server: Json | undefined
  readonly capabilities: Json | undefined
  /** How a model should use the server, as the server wishes. Shown to no model unless you do. */
  readonly instructions: string | undefined
}

/** An item of a list of the server, as it was sent: hostile until checked. */
export type McpItem = { readonly [key: string]: Json | undefined }

export interface McpServer extends ToolSource {
  readonly scheme: 'mcp'
  connect(): Promise<void>
  list(): Promise<readonly Tool[]>
  close(): Promise<void>
  /** Of the last connection; `undefined` before the first. */
  readonly info: McpServerInfo | undefined
  /** `uri`, `name`, `mimeType`, … of each. These connect where they have to, and throw `source-failed`. */
  resources(): Promise<readonly McpItem[]>
  /** `uriTemplate`, `name`, … of each. */
  resourceTemplates(): Promise<readonly McpItem[]>
  readResource(uri: string): Promise<readonly ContentPart[]>
  /** `name`, `description`, `arguments`, … of each. */
  prompts(): Promise<readonly McpItem[]>
  /** The messages of a prompt, for `run(messages)`. */
  prompt(name: string, values?: Readonly<Record<string, string>>): Promise<readonly Message[]>
}

/** Who speaks with the server. */
export interface Speaker {
  readonly isHttp: boolean
  readonly address: string | undefined
  connect(): Promise<void>
  request(
    method: string,
    params: JsonObject,
    how?: { readonly context?: ToolContext; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<JsonObject>
  /** Whether the server has it: `tools`, `resources`, `prompts`. */
  has(feature: string): boolean
  info(): McpServerInfo | undefined
  watch(changed: () => void): () => void
  close(): Promise<void>
}

export function mcpSource(options: McpSourceOptions, speaker: Speaker): McpServer {
  const { name, maxTools: most = 1000 } = options
  let known: ReadonlyMap<string, Kept> = new Map()
  const all = async (feature: string, method: string, key: string): Promise<readonly McpItem[]> => {
    await speaker.connect()
    if (!speaker.has(feature)) return []
    const items = await allPages((params) => speaker.request(method, params), { name, key, most })
    return items.filter(isObject) as readonly McpItem[]
  }
  const caller: Caller = {
    server: name,
    address: speaker.address,
    isHttp: speaker.isHttp,
    trustAnnotations: options.trustAnnotations,
    timeoutMs: options.timeoutMs,
    call: (params, context, headers) => speaker.request('tools/call', params, { context, headers }),
    warn: (text) => options.onWarning?.(cut(text, 500)),
  }
  return {
    scheme: 'mcp',
    name,
    connect: () => speaker.connect(),
    list: async () => {
      known = toolsOf(await all('tools', 'tools/list', 'tools'), known, caller)
      return [...known.values()].map(({ tool }) => tool)
    },
    watch: (changed) => speaker.watch(changed),
    close: () => speaker.close(),
    get info() {
      return speaker.info()
    },
    resources: () => all('resources', 'resources/list', 'resources'),
    resourceTemplates: () => all('resources', 'resources/templates/list', 'resourceTemplates'),
    readResource: async (uri) => resourceParts(own(await speaker.request('resources/read', { uri }), 'contents')),
    prompts: () => all('prompts', 'prompts/list', 'prompts'),
    prompt: async (prompt, values = {}) => {
      const { messages } = await speaker.request('prompts/get', { name: prompt, arguments: values })
      if (!Array.isArray(messages)) throw serverError(name, 'sent a prompt without messages')
      return messages.map(promptMessage)
    },
  }
}

const promptMessage = (message: unknown): Message => ({
  role: own(message, 'role') === 'assistant' ? 'assistant' : 'user',
  content: contentParts(own(message, 'content')),
})

interface Kept {
  readonly text: string
  readonly tool: Tool
}

/** A tool that is described as before stays the one it was: approvals that wait for it still hold. */
function toolsOf(
  wires: readonly McpItem[],
  before: ReadonlyMap<string, Kept>,
  caller: Caller,
): ReadonlyMap<string, Kept> {
  const tools = new Map<string, Kept>()
  for (const wire of wires) {
    const text = jsonText(wire) ?? ''
    const name = wire['name']
    const old = before.get(name as string)
    const tool = old?.text === text ? old.tool : mcpTool(wire, caller)
    const problem = tools.has(name as string) ? 'there is another one of that name' : tool
    if (typeof problem === 'string') caller.warn(`The tool ${excerpt(wire['name'])} was left out: ${problem}`)
    else tools.set(problem.name, { text, tool: problem })
  }
  return tools
}
