// An agent as a tool of another agent: a run within a run.
import type { Json } from '../json/value.ts'
import { cut } from '../json/text.ts'
import { own } from '../json/value.ts'
import { failure } from '../message/outcome.ts'
import type { RunInput } from '../message/input.ts'
import type { Outcome } from '../message/part.ts'
import { repairTranscript } from '../message/transcript.ts'
import type { ReadyCall } from '../registry/prepare.ts'
import { spilled } from '../registry/perform.ts'
import { capabilities, whenStopped } from '../registry/scope.ts'
import type { CallScope } from '../registry/scope.ts'
import { withSubRun } from '../registry/sub-run.ts'
import { toolList } from '../registry/table.ts'
import { stopFatally } from '../run/machine.ts'
import type { RunResult } from '../run/run.ts'
import { checkSnapshot } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { pathOf } from '../run/state.ts'
import type { StandardSchema } from '../schema/schema.ts'
import { tool } from '../tool/define.ts'
import { ok } from '../tool/tool.ts'
import type { ArgumentOf, Tool, ToolOptions } from '../tool/tool.ts'
import { newRun, reopenedRun, start } from './begin.ts'
import type { ResumeOptions } from './options.ts'
import { changedTools, checkedBody, maxDepth, openWithin, reopenedCalls } from './resume.ts'
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
      const open = reopenedCalls({ messages, tools }, body, { changed, imported: false }) ?? []
      return [...open, ...(await openWithin(open, depth))]
    },
    async run(call, scope, context) {
      const parent = scope.owner && { run: scope as AgentState, callId: call.callId, depth: call.depth }
      if (parent && pathOf(parent.run).length >= maxDepth)
        return failure('limit', `Not run: agents call agents more than ${maxDepth} deep`)
      await setup.table.guard?.connect()
      const inner = within(setup, scope)
      const { deps, session, grants } = scope
      const given = { deps: setup.options.deps ?? deps, session, signal: context.signal }
      const agent = scope.agent === undefined ? call.entry.uri : `${scope.agent} ${call.entry.uri}`
      const of = { session, grants, parent, agent }
      const { continues } = call
      const begun = continues
        ? reopenedRun(inner, continues as unknown as Snapshot, { ...given, ...imported(call) }, of)
        : newRun(inner, prompt(call.value as never), given, of)
      const stop = (): void => {
        if (parent?.run.fatal) stopFatally(begun.state, parent.run.fatal)
      }
      const { result } = start(begun, given)
      whenStopped(scope, stop)
      const ended = await result.finally(() => scope.listeners?.delete(stop))
      keepChild(call.callId, begun.state, ended)
      const { status, stop: why, steps, usage, text, output } = ended
      const details: Json = { run: begun.state.id, status, stop: why, steps, usage: { ...usage } }
      if (status !== 'done') return { ...failed(ended), details }
      const outcome = await spilled(ok((inner.schema ? output : text) as Json, { details }), call.entry, scope, context)
      // Checked already, by the agent itself.
      return outcome.ok && shape ? { ...outcome, value: output } : outcome
    },
  })
}

const imported = ({ imported: isImport }: ReadyCall): Pick<ResumeOptions, 'trust'> =>
  isImport ? { trust: 'import' } : {}

/** A run that waits is kept in the one above, and what it waits for. */
function keepChild(callId: string, { parent }: AgentState, ended: RunResult): void {
  if (!parent) return
  const above = parent.run as AgentState
  const { [callId]: _, ...others } = above.children ?? {}
  const isOpen = ended.status === 'suspended'
  above.children = isOpen ? { ...others, [callId]: ended.snapshot as unknown as Json } : others
  // The outermost run knows what it waits for; the ones between would go on.
  if (above.parent) above.pending = [...above.pending, ...ended.pending]
}

function failed({ status, stop, text, error }: RunResult): Outcome {
  if (status === 'suspended') return failure('pending', 'Waiting for a person')
  const why = error ? `: ${error.message}` : text && `. It said last: ${text}`
  return failure(status === 'aborted' ? 'aborted' : 'failed', cut(`The agent ended ${status} (${stop})${why}`, 2000))
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
    // Nobody is above a call by code who could decide.
    options: scope.owner ? setup.options : { ...setup.options, approvalWaitMs: 0 },
    host,
    policies,
    rules: [...scope.rules, ...setup.rules],
    capabilities: {
      // What is inherited is confined by the outer policies already, and its quota counts on.
      fs: made.fs ?? (files && capabilities({ fs: files }, mine, host).fs),
      shell: made.shell ?? shell,
      code: made.code ?? code,
      fetch: env.fetch || !fetch ? made.fetch : capabilities({ fetch }, mine, host).fetch,
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
