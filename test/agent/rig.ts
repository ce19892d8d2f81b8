// What the attacks share: a scripted agent on real timers, and a guard against hanging.
import * as v from 'valibot'
import { agent } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/agent/agent.ts'
import type { AgentOptions } from '../../src/agent/options.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { RunEvent } from '../../src/message/event.ts'
import type { Message } from '../../src/message/part.ts'
import { contentText } from '../../src/message/text.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedModel, ScriptedTurn } from '../../src/model/scripted-model.ts'
import type { Run } from '../../src/run/run.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import type { StandardSchema } from '../../src/schema/schema.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'
import type { Tool } from '../../src/tool/tool.ts'

export interface Rig {
  readonly model: ScriptedModel
  readonly assistant: Agent
}

export function rig(turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}): Rig {
  const model = scriptedModel(turns)
  return { model, assistant: agent({ model, env: { host: webHost }, ...options }) }
}

/** One call of a tool without arguments. */
export const calls = (...names: readonly string[]): ScriptedTurn => ({ calls: names.map((name) => ({ name })) })

export const call = (name: string, input: object = {}): ScriptedTurn => ({
  calls: [{ name, input: input as never }],
})

/** A tool by hand. */
export const made = (name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool =>
  ({ name, description: name, execute, ...more }) as Tool

export const anyObject: StandardSchema<never> = jsonSchema({ type: 'object' }) as never

/** What a promise gave, or `'hung'`: ten times and more of what any of these need. */
export async function within<Value>(promise: Promise<Value>, ms = 1500): Promise<Value | 'hung'> {
  let handle: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<'hung'>((resolve) => {
    handle = setTimeout(() => resolve('hung'), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(handle))
}

export async function eventsOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

export const pause = (ms = 0): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The results of all tool messages, as the model reads them. */
export function results(messages: readonly Message[]): { ok: boolean; reason: string | undefined; text: string }[] {
  return messages.flatMap(({ role, content }) =>
    role !== 'tool'
      ? []
      : content.flatMap((part) =>
          part.type === 'tool-result' ? [{ ok: part.ok, reason: part.reason, text: contentText(part.content) }] : [],
        ),
  )
}

/** Calls without exactly one result right after them. */
export function unanswered(messages: readonly Message[]): string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant') return []
    const ids = message.content.flatMap((part) =>
      part.type === 'tool-call' && !part.providerExecuted ? [part.callId] : [],
    )
    const next = messages[index + 1]
    const given =
      next?.role === 'tool' ? next.content.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : [])) : []
    return ids.filter((id) => given.filter((one) => one === id).length !== 1)
  })
}

/** As after a round trip through a database. */
export const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

/** An agent as a tool. */
export const sub = (name: string, turns: readonly ScriptedTurn[], options: Partial<AgentOptions> = {}): Tool =>
  agent({ model: scriptedModel(turns), ...options }).asTool({ name, description: name })

/** A call of `sub`. */
export const task = (
  name: string,
  callId?: string,
): { readonly name: string; readonly input: { readonly task: string }; readonly callId?: string } => ({
  name,
  input: { task: 'x' },
  ...(callId ? { callId } : {}),
})

/** Asks before it pays, and notes what it paid. */
export const pay = (paid: unknown[], name = 'pay'): Tool =>
  made(name, (input) => void paid.push(input), {
    approval: true,
    input: withJsonSchema(v.object({ amount: v.number() })),
  })
