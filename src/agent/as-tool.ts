// An agent as a tool of another agent: a run within a run.
import { runNested } from '../continuation/nested.ts'
import type { Below, Beginning } from '../continuation/nested.ts'
import { recoveryOf } from '../continuation/recovery.ts'
import { changedTools, openWithin } from '../continuation/reopen.ts'
import { setupWithin } from '../continuation/setup.ts'
import type { Json } from '../json/value.ts'
import { own } from '../json/value.ts'
import type { RunInput } from '../message/input.ts'
import type { Outcome } from '../message/part.ts'
import { repairTranscript } from '../message/transcript.ts'
import { spilled } from '../registry/perform.ts'
import { withSubRun } from '../registry/sub-run.ts'
import { toolList } from '../registry/table.ts'
import type { RunResult } from '../run/run.ts'
import { checkSnapshot } from '../run/snapshot.ts'
import type { StandardSchema } from '../schema/schema.ts'
import { tool } from '../tool/define.ts'
import { ok } from '../tool/tool.ts'
import type { ArgumentOf, Tool, ToolOptions } from '../tool/tool.ts'
import { newRun, reopenedRun, start } from './begin.ts'
import { checkedBody, openCallsOf } from './body.ts'
import type { AgentSetup } from './state.ts'

type Own = 'execute' | 'output' | 'mode' | 'coerce' | 'idempotencyKey'

/** A tool of `tool()`, with an agent in the place of `execute`. */
export type AgentToolOptions<In extends StandardSchema<unknown, unknown> | undefined = undefined> = Omit<
  ToolOptions<In, undefined>,
  Own
> & {
  /** What the agent is asked. Default: the text of the one parameter `task`; with an `input` of yours its JSON. */
  readonly prompt?: ((input: ArgumentOf<In>) => RunInput) | undefined
}

/**
 * The time of the tool is not limited unless it says so, as people may be asked within it; `limits` of the agent are
 * its own. An answer with an `output` schema is its value, else the text; any other end than `done` is a failure.
 */
export function agentTool<In extends StandardSchema<unknown, unknown> | undefined>(
  setup: AgentSetup,
  options: AgentToolOptions<In>,
): Tool {
  const { prompt = defaultPrompt, input = task, ...definition } = options as AgentToolOptions<StandardSchema>
  const made = tool({ timeoutMs: Infinity, ...definition, input, execute: () => undefined })
  const shape = setup.schema?.json['type'] === 'object' ? setup.schema.json : undefined
  return withSubRun(made, {
    output: shape,
    async check(snapshot, depth) {
      checkSnapshot(snapshot, 'agent')
      const body = checkedBody(snapshot.body)
      await setup.table.guard?.connect()
      const { messages } = repairTranscript(body.messages, { keepPending: true })
      const { entries: tools } = toolList(setup.table)
      const changed = changedTools(body, setup.table)
      const recovery = recoveryOf(snapshot)
      const { pending } = snapshot
      const open = openCallsOf(messages, body, { tools, changed, imported: false, recovery, pending }) ?? []
      return [...open, ...(await openWithin(open, depth))]
    },
    run(call, scope, context) {
      const inner = setupWithin(setup, scope)
      const outcomeOf = async ({ output, text }: RunResult, details: Json): Promise<Outcome> => {
        const said = ok((inner.schema ? output : text) as Json, { details })
        const outcome = await spilled(said, call.entry, scope, context)
        // Checked already, by the agent itself.
        return outcome.ok && shape ? { ...outcome, value: output } : outcome
      }
      const begin = ({ given, of, continues }: Below): Beginning<RunResult> => {
        const begun = continues
          ? reopenedRun(inner, continues, given, of)
          : newRun(inner, prompt(call.value as never), given, of)
        return { state: begun.state, start: () => start(begun, given) }
      }
      return runNested(inner, { call, scope, context }, { begin, outcomeOf })
    },
  })
}

/** The default input: what the agent is to do, in words. */
const task: StandardSchema = {
  '~standard': {
    version: 1,
    vendor: 'sameloop',
    validate: (value) =>
      typeof own(value, 'task') === 'string' ? { value } : { issues: [{ message: 'wanted a text', path: ['task'] }] },
    jsonSchema: { input: () => taskJson, output: () => taskJson },
  },
}

const taskJson = {
  type: 'object',
  properties: { task: { type: 'string', description: 'What to do, with everything that must be known for it' } },
  required: ['task'],
}

const defaultPrompt = (input: unknown): string => {
  const text = own(input, 'task')
  return typeof text === 'string' && Object.keys(input as object).length === 1 ? text : JSON.stringify(input)
}
