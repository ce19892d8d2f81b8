// An agent as a tool of another agent: a run within a run.
import type { Json } from '../json/value.ts'
import { own } from '../json/value.ts'
import { failure } from '../message/outcome.ts'
import type { RunInput } from '../message/input.ts'
import type { Outcome } from '../message/part.ts'
import type { ReadyCall } from '../registry/prepare.ts'
import { capabilities } from '../registry/scope.ts'
import type { CallScope } from '../registry/scope.ts'
import { withSubRun } from '../registry/sub-run.ts'
import { checkSnapshot } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { StandardSchema } from '../schema/schema.ts'
import { tool } from '../tool/define.ts'
import { toolOutcome } from '../tool/outcome.ts'
import { ok } from '../tool/tool.ts'
import type { ArgumentOf, Tool, ToolOptions } from '../tool/tool.ts'
import { newRun, reopenedRun, start } from './begin.ts'
import type { Begun } from './begin.ts'
import type { ResumeOptions } from './options.ts'
import { checkedBody, refuseChanged } from './resume.ts'
import type { AgentSetup, AgentState } from './state.ts'

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
  const output = setup.schema?.json['type'] === 'object' ? setup.schema.json : undefined
  return withSubRun(made, {
    output,
    check(snapshot) {
      checkSnapshot(snapshot, 'agent')
      refuseChanged(checkedBody(snapshot.body), setup.table)
    },
    async run(call, scope, context) {
      await setup.table.guard?.connect()
      const inner = within(setup, scope)
      const { deps, session, grants } = scope
      // Nobody is above a call by code: the run asks nobody, and waits for nobody.
      const parent = scope.owner && { run: scope as AgentState, callId: call.callId }
      const given = { deps: setup.options.deps ?? deps, session, signal: context.signal }
      const { continues } = call
      const begun = continues
        ? reopenedRun(
            inner,
            continues as unknown as Snapshot,
            { ...given, ...imported(call) },
            { session, grants, parent },
          )
        : newRun(inner, prompt(call.value as never), given, { session, grants, parent })
      return outcomeOf(call, begun, await start(begun, given).result)
    },
  })
}

const imported = ({ imported: isImport }: ReadyCall): Pick<ResumeOptions, 'trust'> =>
  isImport ? { trust: 'import' } : {}

async function outcomeOf(
  call: ReadyCall,
  { state }: Begun,
  result: Awaited<ReturnType<typeof start>['result']>,
): Promise<Outcome> {
  const { status, stop, text, output, error, usage, steps } = result
  const { parent, id } = state
  const above = parent?.run as AgentState | undefined
  if (above) {
    if (status === 'suspended')
      above.children = { ...above.children, [call.callId]: result.snapshot as unknown as Json }
    // The outermost run knows what it waits for; the ones between would go on.
    if (above.parent) above.pending = [...above.pending, ...result.pending]
  }
  const details: Json = { run: id, status, stop, steps, usage: { ...usage } }
  if (status === 'done') {
    const outcome = toolOutcome(ok((output ?? text) as Json, { details }), call.entry)
    // Checked already, by the agent itself.
    return outcome.ok && state.schema?.json['type'] === 'object' ? { ...outcome, value: output } : outcome
  }
  if (status === 'suspended') return failure('pending', 'Waiting for a person')
  const why = error ? `: ${error.message}` : text && `. It said last: ${text}`
  return {
    ...failure(status === 'aborted' ? 'aborted' : 'failed', `The agent ended ${status} (${stop})${why}`),
    details,
  }
}

/** The agent as it is within a call: what the outer run is not allowed, it is not allowed either. */
function within(setup: AgentSetup, scope: CallScope): AgentSetup {
  const { env = {} } = setup.options
  const { fs, shell, code, fetch } = scope.capabilities
  const host = env.host ?? scope.host
  const policies = [...setup.policies, ...scope.policies]
  const files = env.fs ? undefined : fs
  const made = capabilities(env, policies, host)
  const mine = setup.policies
  return {
    ...setup,
    host,
    policies,
    rules: [...scope.rules, ...setup.rules],
    capabilities: {
      // What is inherited is confined by the outer policies already, and its quota counts on.
      fs: made.fs ?? (files && capabilities({ fs: files }, mine, host).fs),
      shell: made.shell ?? shell,
      code: made.code ?? code,
      fetch: env.fetch || mine.length ? made.fetch : fetch,
    },
  }
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
