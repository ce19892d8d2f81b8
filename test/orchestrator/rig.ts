// What the tests of plans share: a world of virtual time, and tools that note when they run.
import { onTestFinished } from 'vitest'
import type { RunEvent } from '../../src/message/event.ts'
import { orchestrator } from '../../src/orchestrator/orchestrator.ts'
import type { Orchestrator, OrchestratorOptions } from '../../src/orchestrator/orchestrator.ts'
import type { PlanResult, PlanRun } from '../../src/orchestrator/driver.ts'
import { plan } from '../../src/plan/plan.ts'
import type { Plan } from '../../src/plan/plan.ts'
import type { StepOptions } from '../../src/plan/step.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { kit } from '../../src/testing/kit.ts'
import type { Kit } from '../../src/testing/kit.ts'
import { tool } from '../../src/tool/define.ts'
import type { Tool } from '../../src/tool/tool.ts'

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
  readonly note: (what: string) => void
  readonly flow: (tools: readonly Tool[], options?: OrchestratorOptions) => Orchestrator
  /** Waits `ms` from its input, and gives `{ value }` of it; `fails` fails. */
  readonly work: Tool
}

export function rig(): Rig {
  const made = kit(world)
  onTestFinished(() => made.clock.stop())
  const started = made.clock.now()
  const log: string[] = []
  const note = (what: string): void => void log.push(`${what} @${made.clock.now() - started}`)
  const flow = (tools: readonly Tool[], options: OrchestratorOptions = {}): Orchestrator =>
    orchestrator({ tools, ...options, env: { host: made.host, ...options.env } })
  const work = tool({
    effect: 'idempotent',
    name: 'work',
    description: 'Works.',
    input: workInput,
    output: jsonSchema<{ value: unknown }>({ type: 'object' }),
    execute: async ({ ms = 0, value = null, fails }, { callId }) => {
      note(`${callId} starts`)
      await made.sleep(ms)
      note(`${callId} ends`)
      if (fails) throw new Error(`${callId} broke`)
      return { value }
    },
  }) as Tool
  return { kit: made, log, note, flow, work }
}

const workInput = jsonSchema<{ ms?: number; value?: unknown; fails?: boolean; after?: unknown }>({
  type: 'object',
  properties: { ms: { type: 'number' }, value: {}, fails: { type: 'boolean' }, after: {} },
})

export const planOf = (...steps: readonly StepOptions[]): Plan => steps.reduce((made, step) => made.step(step), plan())

/** A tool whose schema takes anything. */
export const made = (name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool =>
  ({ name, description: name, input: anything, execute, ...more }) as Tool

const anything = jsonSchema<object>({ type: 'object' })

/** How each step ended: `id status`, with what it is because of. */
export const ends = ({ steps }: PlanResult): readonly string[] =>
  steps.map(({ id, status, because }) => `${id} ${status}${because === undefined ? '' : ` because ${because}`}`)

export async function eventsOf(run: PlanRun): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

/** As after a round trip through a database. */
export const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value
