// What the planner's tests share: a family of tools, and ways to talk to the planner.
import type { Host } from '../../src/host/host.ts'
import type { ModelEvent, ToolDefinition } from '../../src/message/model-event.ts'
import type { Json } from '../../src/json/value.ts'
import type { Message, ToolResultPart } from '../../src/message/part.ts'
import type { ModelSettings } from '../../src/model/model.ts'
import { localPlanner } from '../../src/planner/planner.ts'

const text = (description: string): Json => ({ type: 'string', description })

function define(
  name: string,
  description: string,
  properties: { [name: string]: Json },
  required: string[],
): ToolDefinition {
  return { name, description, inputSchema: { type: 'object', properties, required } }
}

export const fileTools: readonly ToolDefinition[] = [
  define('calculator', 'Evaluates an arithmetic expression.', { expression: text('For example 2 * (3 + 4)') }, [
    'expression',
  ]),
  define(
    'fs_read',
    'Reads a text file.',
    { path: text('Path of the file'), offset: { type: 'integer' }, limit: { type: 'integer' } },
    ['path'],
  ),
  define(
    'fs_write',
    'Writes a text file, replacing what was there.',
    { path: text('Path'), contents: text('The whole text') },
    ['path', 'contents'],
  ),
  define(
    'fs_edit',
    'Replaces text in a file.',
    { path: text('Path'), find: text('Exact text'), replace: text('New text'), all: { type: 'boolean' } },
    ['path', 'find', 'replace'],
  ),
  define('fs_list', 'Lists the entries of a directory.', { path: text('Directory') }, []),
  define('fs_glob', 'Finds files by a glob pattern.', { pattern: text('For example **/*.md') }, ['pattern']),
  define(
    'fs_grep',
    'Searches the contents of files for a pattern.',
    {
      pattern: text('Regular expression'),
      path: text('Where'),
      glob: text('Which files'),
      ignoreCase: { type: 'boolean' },
    },
    ['pattern'],
  ),
  define('fs_exists', 'Whether a file or directory exists.', { path: text('Path') }, ['path']),
  define('fs_patch', 'Applies a unified diff to a file.', { path: text('Path'), patch: text('A unified diff') }, [
    'path',
    'patch',
  ]),
  define('fs_delete', 'Deletes a file.', { path: text('Path') }, ['path']),
]

export const userTools: readonly ToolDefinition[] = [
  define(
    'get_weather',
    'Current weather for one city.',
    { city: text('City name'), unit: { type: 'string', enum: ['celsius', 'fahrenheit'] } },
    ['city'],
  ),
  define('create_issue', 'Creates an issue in the tracker.', { title: text('Title'), body: text('Text') }, ['title']),
  define(
    'convert_currency',
    'Converts an amount of money between currencies.',
    { amount: { type: 'number' }, from: text('Currency code'), to: text('Currency code') },
    ['amount', 'from', 'to'],
  ),
]

export const allTools: readonly ToolDefinition[] = [...fileTools, ...userTools]

export const user = (said: string): Message => ({ role: 'user', content: [{ type: 'text', text: said }] })

export interface Answered {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly input: Json }[]
  readonly events: readonly ModelEvent[]
}

/** A host that counts its ids; the planner uses nothing else of it. */
export function countingHost(): Host {
  let count = 0
  return { id: (prefix: string) => `${prefix}${++count}` } as unknown as Host
}

export async function respond(
  messages: readonly Message[],
  {
    tools = allTools,
    settings = {},
    host = countingHost(),
    signal,
  }: { tools?: readonly ToolDefinition[]; settings?: ModelSettings; host?: Host; signal?: AbortSignal } = {},
): Promise<Answered> {
  const events: ModelEvent[] = []
  for await (const batch of localPlanner().stream({ messages, tools, settings }, { host, signal }))
    events.push(...batch)
  const calls: { name: string; json: string }[] = []
  let said = ''
  for (const event of events) {
    if (event.type === 'text-delta') said += event.delta
    if (event.type === 'tool-input-start') calls[event.index] = { name: event.name, json: '' }
    if (event.type === 'tool-input-delta') (calls[event.index] as { json: string }).json += event.delta
  }
  return { text: said, calls: calls.map(({ name, json }) => ({ name, input: JSON.parse(json) as Json })), events }
}

export type Run = (name: string, input: { [name: string]: Json }) => Json | Error

/** Runs the loop a run would: calls until an answer, at most `most` steps. Returns all messages, the calls, the last text. */
export async function converse(
  start: readonly Message[],
  run: Run,
  tools: readonly ToolDefinition[] = allTools,
): Promise<{
  readonly messages: readonly Message[]
  readonly calls: readonly { name: string; input: Json }[][]
  readonly text: string
}> {
  const messages = [...start]
  const steps: { name: string; input: Json }[][] = []
  const host = countingHost()
  for (let step = 0; step < 20; step++) {
    const { text: said, calls } = await respond(messages, { tools, host })
    const parts = calls.map(({ name, input }, index) => ({
      type: 'tool-call' as const,
      callId: `c${step}_${index}`,
      name,
      input,
    }))
    messages.push({ role: 'assistant', content: [{ type: 'text', text: said }, ...parts] })
    if (calls.length === 0) return { messages, calls: steps, text: said }
    steps.push([...calls])
    const results = parts.map(({ callId, name, input }): ToolResultPart => {
      const value = run(name, input as { [name: string]: Json })
      return value instanceof Error
        ? {
            type: 'tool-result',
            callId,
            name,
            ok: false,
            reason: 'failed',
            content: [{ type: 'text', text: value.message }],
          }
        : {
            type: 'tool-result',
            callId,
            name,
            ok: true,
            content: [typeof value === 'string' ? { type: 'text', text: value } : { type: 'json', value }],
          }
    })
    messages.push({ role: 'tool', content: results })
  }
  throw new Error('The planner did not come to an end')
}
