// What the tests of workflows share: a world of virtual time, tools that note when they run, and short definitions.
import { onTestFinished } from 'vitest'
import type { EngineOptions } from '../../src/activity/setup.ts'
import { workflowEngine } from '../../src/engine/engine.ts'
import type { WorkflowEngine } from '../../src/engine/engine.ts'
import type { WorkflowResult, WorkflowRun } from '../../src/engine/driver.ts'
import type { Json } from '../../src/json/value.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { kit } from '../../src/testing/kit.ts'
import type { Kit } from '../../src/testing/kit.ts'
import { tool } from '../../src/tool/define.ts'
import type { Tool } from '../../src/tool/tool.ts'
import type { WorkflowJson } from '../../src/workflow/definition.ts'
import { workflow } from '../../src/workflow/workflow.ts'
import type { Loose } from '../workflow/kit.ts'
import { flow } from '../workflow/kit.ts'

/** Real turns without the wait of a timer. */
const world = {
  timer: (_: number, fire: () => void) => {
    const handle = setImmediate(fire)
    return () => clearImmediate(handle)
  },
}

export interface Rig {
  readonly kit: Kit
  /** What happened, each with the virtual time in milliseconds. */
  readonly log: string[]
  readonly engine: (options?: EngineOptions) => WorkflowEngine
  /** Waits `ms`, and gives `{ value }` of its input; `fails` fails. */
  readonly work: Tool
  readonly now: () => number
}

export function rig(): Rig {
  const made = kit(world)
  onTestFinished(() => made.clock.stop())
  const started = made.clock.now()
  const now = (): number => made.clock.now() - started
  const log: string[] = []
  const work = tool({
    name: 'work',
    description: 'Works.',
    input: workInput,
    output: jsonSchema<{ value: unknown }>({ type: 'object' }),
    effect: 'read',
    execute: async ({ ms = 0, value = null, fails }, { callId, signal }) => {
      log.push(`${callId} starts @${now()}`)
      await made.sleep(ms, signal)
      log.push(`${callId} ends @${now()}`)
      if (fails) throw new Error(`${callId} broke`)
      return { value }
    },
  }) as Tool
  const engine = (options: EngineOptions = {}): WorkflowEngine =>
    workflowEngine({ tools: [work], ...options, env: { host: made.host, ...options.env } })
  return { kit: made, log, engine, work, now }
}

const workInput = jsonSchema<{ ms?: number; value?: unknown; fails?: boolean }>({
  type: 'object',
  properties: { ms: { type: 'number' }, value: {}, fails: { type: 'boolean' } },
})

/** A tool whose schema takes anything. */
export const made = (name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool =>
  ({ name, description: name, input: jsonSchema({ type: 'object' }), execute, ...more }) as Tool

/** start, the nodes in between, end. */
export const line = (nodes: readonly Loose[], rest: Loose = {}): WorkflowJson => {
  const definition = flow(nodes, rest) as unknown as WorkflowJson
  return workflow(definition).definition
}

/** As `line`, and the end gives this. */
export const giving = (output: Json, nodes: readonly Loose[], rest: Loose = {}): WorkflowJson => {
  const whole = flow(nodes, rest) as { readonly nodes: readonly Loose[] }
  const all = whole.nodes.map((node) => (node['id'] === 'end' ? { ...node, output } : node))
  return workflow({ ...whole, nodes: all } as unknown as WorkflowJson).definition
}

export const work = (id: string, input: Json = {}, rest: Loose = {}): Loose => ({
  id,
  type: 'tool',
  tool: 'work',
  input,
  ...rest,
})

/** How each visit ended: `id status`. */
export const visits = ({ visits: all }: WorkflowResult): readonly string[] =>
  all.map(({ node, status, reason }) => `${node} ${status}${reason === undefined ? '' : ` (${reason})`}`)

export async function eventsOf(run: WorkflowRun): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

/** As after a round trip through a database. */
export const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value
