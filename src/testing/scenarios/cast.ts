// The actors of the scenarios: a few tools and the agent around a scripted model.
import { agent } from '../../agent/agent.ts'
import type { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/options.ts'
import type { RunEvent } from '../../message/event.ts'
import type { Message, ToolResultPart } from '../../message/part.ts'
import { contentText } from '../../message/text.ts'
import { scriptedModel } from '../../model/scripted-model.ts'
import type { ScriptedCall, ScriptedModel, ScriptedTurn } from '../../model/scripted-model.ts'
import type { RunResult } from '../../run/run.ts'
import type { Snapshot } from '../../run/snapshot.ts'
import { jsonSchema } from '../../schema/check.ts'
import { tool } from '../../tool/define.ts'
import type { Tool } from '../../tool/tool.ts'
import type { Kit } from '../kit.ts'

const text = jsonSchema<{ text: string }>({
  type: 'object',
  properties: { text: { type: 'string' } },
  required: ['text'],
  additionalProperties: false,
})

const pair = jsonSchema<{ a: number; b: number }>({
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
})

/** Says what it hears. */
export const echo: Tool = tool({
  name: 'echo',
  description: 'Says the text again.',
  input: text,
  effect: 'read',
  execute: (input) => input.text,
})

/** Adds, and declares what it gives. */
export const add: Tool = tool({
  name: 'add',
  description: 'Adds two numbers.',
  input: pair,
  output: jsonSchema<{ sum: number }>({ type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] }),
  effect: 'read',
  execute: ({ a, b }) => ({ sum: a + b }),
})

/** Takes virtual time: `ms` from its input. Notes when it starts and ends. */
export function wait(kit: Kit, more: Partial<Tool> = {}): Tool {
  return tool({
    name: 'wait',
    description: 'Waits.',
    input: jsonSchema<{ ms: number; id?: string }>({
      type: 'object',
      properties: { ms: { type: 'number' }, id: { type: 'string' } },
      required: ['ms'],
    }),
    effect: 'read',
    ...more,
    execute: async ({ ms, id }: { ms: number; id?: string }) => {
      kit.note('wait starts', id ?? ms)
      await kit.sleep(ms)
      kit.note('wait ends', id ?? ms)
      return `waited ${ms}`
    },
  } as Parameters<typeof tool>[0])
}

/** Asks before it runs, and counts how often it ran. */
export function pay(kit: Kit, more: Partial<Tool> = {}): Tool {
  return tool({
    name: 'pay',
    description: 'Pays an amount.',
    input: jsonSchema<{ amount: number }>({
      type: 'object',
      properties: { amount: { type: 'number' } },
      required: ['amount'],
    }),
    approval: true,
    ...more,
    execute: ({ amount }: { amount: number }) => {
      kit.note('paid', amount)
      return `paid ${amount}`
    },
  } as Parameters<typeof tool>[0])
}

export interface Cast {
  readonly model: ScriptedModel
  readonly assistant: Agent
}

export function cast(kit: Kit, turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}): Cast {
  const model = scriptedModel(turns, { chunk: 7 })
  const { env, ...rest } = options
  return { model, assistant: agent({ model, env: { ...env, host: kit.host }, ...rest }) }
}

/** Runs to the end, tracing all events and the result. */
export async function play(
  kit: Kit,
  { assistant }: Cast,
  input: string | readonly Message[] = 'go',
): Promise<{ readonly events: readonly RunEvent[]; readonly result: RunResult }> {
  const run = assistant.run(input)
  const events = await kit.trace(run)
  const result = await run.result
  noteResult(kit, result)
  return { events, result }
}

/** Adds a result to the trace; its snapshot and its error as far as they are the same everywhere. */
export function noteResult(kit: Kit, { snapshot, error, ...result }: RunResult): void {
  kit.note('result', { ...result, error: error && { code: error.code, message: error.message } })
  kit.note('snapshot', { ...snapshot, elapsedMs: 0 })
}

export interface GivenResult {
  readonly ok: boolean
  readonly reason: string | undefined
  readonly text: string
}

/** The results of the last tool message, as the model reads them. */
export function lastResults(messages: readonly Message[]): readonly GivenResult[] {
  const last = messages.filter((message) => message.role === 'tool').at(-1)
  const parts = last?.content.filter((part): part is ToolResultPart => part.type === 'tool-result') ?? []
  return parts.map(({ ok, reason, content }) => ({ ok, reason, text: contentText(content) }))
}

/** Every call has exactly one result, and results follow their step. */
export function checkTranscript(kit: Kit, messages: readonly Message[]): void {
  messages.forEach((message, index) => {
    const calls = message.content.flatMap((part) =>
      part.type === 'tool-call' && part.providerExecuted !== true ? [part.callId] : [],
    )
    if (message.role !== 'assistant' || calls.length === 0) return
    const results = messages[index + 1]?.content.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []))
    kit.equal(results, calls, 'Results of a step')
  })
}

/** Whether a text has half of a surrogate pair in it. */
export function hasLoneSurrogate(text: string): boolean {
  // A lone half does not survive the round trip through UTF-8.
  return new TextDecoder().decode(new TextEncoder().encode(text)) !== text
}

/** A call of `pay`. */
export const amount = (value: number, callId?: string): ScriptedCall => ({
  name: 'pay',
  input: { amount: value },
  ...(callId === undefined ? {} : { callId }),
})

/** A JSON round trip, as through a database or a request. */
export const stored = (snapshot: Snapshot): Snapshot => JSON.parse(JSON.stringify(snapshot)) as Snapshot

/** Resumes to the end, tracing all events and the result. */
export async function resumed(kit: Kit, { assistant }: Cast, ...args: Parameters<Agent['resume']>): Promise<RunResult> {
  const run = await assistant.resume(...args)
  await kit.trace(run)
  const result = await run.result
  noteResult(kit, result)
  return result
}
