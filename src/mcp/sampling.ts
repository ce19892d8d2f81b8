// A server that wants to ask the model: only one that was given for it, and only what a person approves.
import { amounts } from '../error/amount.ts'
import { SameloopError } from '../error/error.ts'
import { own } from '../json/value.ts'
import type { Json, JsonObject } from '../json/value.ts'
import type { Answer, ApprovalRequest } from '../message/decision.ts'
import type { FinishReason } from '../message/model-event.ts'
import type { ContentPart, Message } from '../message/part.ts'
import type { Model } from '../model/model.ts'
import { contentParts } from './content.ts'
import type { McpOffer } from './source.ts'

export interface SamplingOptions {
  readonly model: Model
  /**
   * Asked before each request, with the name `sampling`, the URI `mcp://server.sampling` and what the model would read as
   * `input`: a function that an agent takes as `approve` will do. All but `approve` and `approve-session` refuses.
   */
  readonly approve: (request: ApprovalRequest) => Answer | Promise<Answer>
  /** The longest answer, in tokens, whatever the server asks for. From 1; default 4096. */
  readonly maxOutputTokens?: number | undefined
}

const maxMessages = 200

const stopReasons: Partial<Readonly<Record<FinishReason, string>>> = {
  length: 'maxTokens',
  'stop-sequence': 'stopSequence',
}

/** Lets a server ask a model: what it asks fails where it is not approved, or where the model fails. Throws `config-invalid`. */
export function sampling(options: SamplingOptions): McpOffer {
  const { maxOutputTokens } = amounts(options, { maxOutputTokens: 4096 }, { least: 1 })
  return {
    method: 'sampling/createMessage',
    capability: { sampling: {} },
    answer: (params, asking) => sample(params, { ...options, maxOutputTokens }, asking),
  }
}

async function sample(
  params: JsonObject,
  { model, approve, maxOutputTokens: most }: SamplingOptions & { readonly maxOutputTokens: number },
  { server, host, context }: Parameters<McpOffer['answer']>[1],
): Promise<JsonObject> {
  const messages = messagesOf(own(params, 'messages'))
  const system = own(params, 'systemPrompt')
  const wished = own(params, 'maxTokens')
  const instructions = typeof system === 'string' ? system : undefined
  const maxOutputTokens = typeof wished === 'number' && wished >= 1 ? Math.min(Math.floor(wished), most) : most
  const input: Json = { messages: messages as unknown as Json, maxOutputTokens, ...(instructions && { instructions }) }
  const answer = await approve({
    callId: `${context?.callId ?? 'mcp'}/sampling`,
    name: 'sampling',
    uri: `mcp://${server}.sampling`,
    input,
    wants: 'decision',
    why: 'tool',
    effect: 'unsafe',
    reason: `The MCP server "${server}" wants to ask the model`,
  })
  const word = typeof answer === 'string' ? answer : own(answer, 'decision')
  if (word !== 'approve' && word !== 'approve-session')
    throw new SameloopError('tool-denied', `The MCP server "${server}" may not ask the model`)
  const settings = { maxOutputTokens, ...temperatureOf(params) }
  let text = ''
  let reason: FinishReason = 'unknown'
  const stream = model.stream({ messages, instructions, tools: [], settings }, { host, signal: context?.signal })
  for await (const events of stream)
    for (const event of events) {
      if (event.type === 'text-delta') text += event.delta
      if (event.type === 'finish') reason = event.reason
    }
  return {
    role: 'assistant',
    content: { type: 'text', text },
    model: model.id,
    stopReason: stopReasons[reason] ?? 'endTurn',
  }
}

function messagesOf(given: unknown): readonly Message[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : []
  if (list.length === 0 || list.length > maxMessages)
    throw new SameloopError('source-failed', `Wanted 1 to ${maxMessages} messages for the model, got ${list.length}`)
  return list.map((message): Message => {
    const role = own(message, 'role') === 'assistant' ? 'assistant' : 'user'
    const content: readonly ContentPart[] = contentParts(own(message, 'content'))
    return { role, content }
  })
}

function temperatureOf(params: JsonObject): { readonly temperature?: number } {
  const temperature = own(params, 'temperature')
  return typeof temperature === 'number' && temperature >= 0 && temperature <= 2 ? { temperature } : {}
}
