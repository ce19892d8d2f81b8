// A plan as a tool: a model proposes many calls at once, a person sees them at once, and large values stay within.
import { amounts } from '../error/amount.ts'
import { runNested } from '../continuation/nested.ts'
import type { Below, Beginning } from '../continuation/nested.ts'
import { openWithin } from '../continuation/reopen.ts'
import { setupWithin } from '../continuation/setup.ts'
import type { RunnerSetup } from '../continuation/setup.ts'
import { grants } from '../approval/grants.ts'
import { isSameloopError } from '../error/error.ts'
import { cut, jsonText } from '../json/text.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { Preview } from '../message/decision.ts'
import { failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import { graphOf } from '../plan/graph.ts'
import { plan as planOf } from '../plan/plan.ts'
import type { Plan } from '../plan/plan.ts'
import type { StepOptions, StepResult } from '../plan/step.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { spilled } from '../registry/perform.ts'
import { withSubRun } from '../registry/sub-run.ts'
import { toolList } from '../registry/table.ts'
import type { Entry } from '../registry/table.ts'
import { checkSnapshot } from '../run/snapshot.ts'
import type { StandardSchema } from '../schema/schema.ts'
import { tool } from '../tool/define.ts'
import type { StepFacts } from '../tool/rule.ts'
import { ok } from '../tool/tool.ts'
import type { Tool } from '../tool/tool.ts'
import { newPlanRun, reopenedPlanRun, startPlan } from './driver.ts'
import type { PlanResult } from './driver.ts'
import { orchestratorSetup } from './orchestrator.ts'
import type { OrchestratorOptions } from './orchestrator.ts'

type OwnToolOptions = Pick<Tool, 'examples' | 'maxOutputChars' | 'timeoutMs' | 'effect'>

export interface PlanToolOptions extends OrchestratorOptions, OwnToolOptions {
  /** Default `run_plan`. */
  readonly name?: string | undefined
  /** In the place of what tells a model how to write plans; the tools are listed after it. */
  readonly description?: string | undefined
  /** Default 50. */
  readonly maxSteps?: number | undefined
  /**
   * Whether a person is asked about the plan as a whole, which is shown to them. Default true. Who approves it has
   * answered for tools that always ask (`approval: true`); a tool that decides by its input and a rule of a policy still
   * ask about the single call, as the inputs are only known then. With false every step asks for itself.
   */
  readonly approval?: boolean | undefined
}

/** What is made once for all calls of one plan tool. */
interface Proposing {
  readonly setup: RunnerSetup
  readonly maxSteps: number
}

/**
 * A tool by which a model runs a whole plan over the tools given here: one turn, many calls. It answers with how each
 * step ended and the beginning of its value; the values of steps named in `output` come whole. Throws `config-…`.
 */
export function planTool(options: PlanToolOptions): Tool {
  const { name = 'run_plan', description, approval = true } = options
  const { maxSteps } = amounts(options, { maxSteps: 50 }, { least: 1 })
  const setup = orchestratorSetup('a plan tool', options)
  const proposing: Proposing = { setup, maxSteps }
  const { examples, maxOutputChars, effect, timeoutMs = Infinity } = options
  const made = tool({
    name,
    description: `${description ?? teaching()}\n\n${toolNotes(setup)}`,
    input: planInput(proposing),
    // A function, as a plan that comes up within an approved plan was seen by nobody.
    approval: approval && ((): boolean => true),
    examples,
    maxOutputChars,
    effect,
    timeoutMs,
    describeCall: (input: Json) => planPreview(planIn(input)),
    execute: () => undefined,
  })
  return withSubRun(made as Tool, {
    check: (snapshot, depth) => openCalls(setup, snapshot, depth),
    run: async (call, scope, context) => {
      const inner = setupWithin(setup, scope)
      const begin = ({ given, of, continues }: Below): Beginning<PlanResult> => {
        // As the call has it, which is what a person saw, also where a snapshot comes from elsewhere.
        const plan = planIn(call.value)
        const begun = continues
          ? reopenedPlanRun(inner, continues, { ...given, plan, isApproved: approval }, of)
          : newPlanRun(inner, given, { ...of, plan, isApproved: approval })
        return { state: begun.state, start: () => startPlan(begun, given) }
      }
      const answer = async (ended: PlanResult, told: Json): Promise<Outcome> => {
        const details: Json = { ...(told as object), steps: ended.steps.length }
        const said = ok(report(ended, outputOf(call.value)), { details })
        const outcome = await spilled(said, call.entry, scope, context)
        if (ended.status === 'done' || !outcome.ok) return outcome
        return { ok: false, reason: 'failed', parts: outcome.parts, details }
      }
      try {
        const nested = { what: 'plan', begin, outcomeOf: answer, failureOf: answer }
        return await runNested(inner, { call, scope, context }, nested)
      } catch (thrown) {
        // Tools that were not there when the input was checked.
        if (isSameloopError(thrown, 'plan-invalid')) return failure('invalid-input', thrown.message)
        throw thrown
      }
    },
  })
}

/** Of a plan that waits: its calls that want an answer, at any depth. Rejects where it cannot go on. */
async function openCalls(setup: RunnerSetup, snapshot: unknown, depth: number): Promise<readonly PreparedCall[]> {
  checkSnapshot(snapshot, 'plan')
  await setup.table.guard?.connect()
  const { state } = reopenedPlanRun(setup, snapshot, {}, { session: undefined, grants: grants() })
  const { open = [] } = state
  return [...open, ...(await openWithin(open, depth))]
}

// Functions, so that who imports the entry point and makes no such tool carries none of it.
const sample = (): string => JSON.stringify({ $from: 'id', path: 'a.0.b' })

const teaching = (): string =>
  [
    'Runs a plan of tool calls at once and without further turns. Use it where several calls are needed and you know them',
    'beforehand. Each step calls one tool and starts as soon as what it refers to is there; independent steps run side by',
    `side. In "input", ${sample()} stands for the value of step "id", or for a part of it. The value`,
    'of a step is what its tool gives: an object where the tool declares one, else {"result": …}. "when" is a condition',
    'over values ("id.count > 0 and not other.result"); if it is false the step is skipped. "forEach" makes one call for',
    'each item of a list; {"$item": true} stands for the item, and the value is the list of values. The answer shows how',
    'each step ended and the beginning of its value; name in "output" the steps whose values you need whole.',
  ].join(' ')

/** Refused here, a plan costs no question to a person and no run, and the model can mend it. */
function planInput({ setup, maxSteps }: Proposing): StandardSchema<unknown, Json> {
  const json = (): Record<string, unknown> => planSchema(maxSteps)
  const validate = (value: unknown): { readonly value: Json } | Issues => {
    try {
      const plan = planIn(value)
      const { steps } = plan
      if (steps.length > maxSteps) return issue(`wanted at most ${maxSteps} steps, got ${steps.length}`)
      graphOf(plan, isWhole(setup) ? toolList(setup.table).entries : undefined)
      const unknown = outputOf(value).find((id) => !steps.some((step) => step.id === id))
      return unknown === undefined
        ? { value: value as Json }
        : issue(`"output" names step ${JSON.stringify(unknown)}, which is not there`)
    } catch (thrown) {
      if (isSameloopError(thrown, 'plan-invalid')) return issue(thrown.message)
      throw thrown
    }
  }
  return { '~standard': { version: 1, vendor: 'sameloop', validate, jsonSchema: { input: json, output: json } } }
}

/** Whether all tools are there; what is missing is on its way. */
function isWhole({ table }: RunnerSetup): boolean {
  const connecting = table.guard?.connect()
  // Who runs the plan hears of it.
  connecting?.catch(() => undefined)
  return !connecting
}

interface Issues {
  readonly issues: readonly { readonly message: string }[]
}

const issue = (message: string): Issues => ({ issues: [{ message }] })

/** Throws `plan-invalid`. */
const planIn = (value: unknown): Plan => planOf({ version: 1, steps: own(value, 'steps') as never })

function outputOf(value: unknown): readonly string[] {
  const output = own(value, 'output')
  return Array.isArray(output) ? output.map(String) : []
}

/** By hand, and no more than a model needs for most plans: what is not in it is taken too. */
const planSchema = (maxSteps: number): Record<string, unknown> => ({
  type: 'object',
  properties: {
    steps: {
      type: 'array',
      maxItems: maxSteps,
      items: {
        type: 'object',
        properties: {
          id: { type: 'string', description: 'Letters, digits and _; unique' },
          tool: { type: 'string', description: 'The name of the tool' },
          input: {
            type: 'object',
            description: `Its input. ${sample()} in any place stands for a value of an earlier step`,
          },
          after: {
            type: 'array',
            items: { type: 'string' },
            description: 'Ids of further steps that must be finished before',
          },
          when: { type: 'string', description: 'A condition such as: fetch.status == 200 and not check.result' },
          forEach: {
            type: ['array', 'object'],
            description: 'A list, or what stands for one; {"$item": true} in the input stands for the item',
          },
        },
        required: ['id', 'tool'],
      },
    },
    output: {
      type: 'array',
      items: { type: 'string' },
      description: 'Ids of steps whose values the answer shows whole',
    },
  },
  required: ['steps'],
})

/** The tools that a plan may use and a model may know of, in a line each. */
function toolNotes({ table, options: { policy, deps } }: RunnerSetup): string {
  const facts: StepFacts = { run: 'plan', step: 0, session: undefined, messages: [], deps }
  const isTold = ({ name, uri }: Entry): boolean =>
    policy?.advertises(name, uri) !== false && table.guard?.advertises(name, uri, facts) !== false
  const lines = [...toolList(table).entries.values()]
    .filter((entry) => entry.alias === undefined && isTold(entry))
    .map(({ definition: { name, description, inputSchema } }) => {
      const [first = ''] = description.split('\n')
      return `- ${name}: ${cut(first, 120)} Input: ${cut(jsonText(inputSchema) ?? '', 400)}`
    })
  return `Tools for its steps:\n${lines.join('\n')}`
}

function planPreview(plan: Plan): Preview {
  const { steps } = plan
  const ids = steps.map(({ id }) => id).join(', ')
  const { nodes } = graphOf(plan)
  const drawing = nodes.map(({ step, dependencies }, place) => {
    const needed = dependencies.map((needed) => steps[needed]?.id).join(', ')
    return `${place + 1}. ${stepLine(step)}${needed && `  <- ${needed}`}`
  })
  return {
    summary: cut(`Run a plan of ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}: ${ids}`, 200),
    details: { steps: plan.toJSON().steps as unknown as Json, drawing: drawing.join('\n') },
  }
}

function stepLine({ id, tool, input, when, forEach }: StepOptions): string {
  // On its line, so that no condition looks like further steps.
  const condition = when === undefined ? '' : ` when ${cut(String(when).replace(/\s+/g, ' '), 200)}`
  const each = forEach === undefined ? '' : ` for each of ${cut(jsonText(forEach) ?? '', 80)}`
  return `${id}: ${tool} ${cut(jsonText(input ?? {}) ?? '', 200)}${condition}${each}`
}

/** What the model reads: how each step ended, and of its value no more than it has asked for. */
function report({ status, steps, error }: PlanResult, output: readonly string[]): Json {
  return {
    status,
    ...(error ? { error: error.message } : {}),
    steps: steps.map((step) => stepReport(step, output.includes(step.id))),
  }
}

const mostShown = 400

function stepReport({ id, status, value, reason, message, because }: StepResult, isWhole: boolean): Json {
  if (status !== 'ok') return { id, status, reason, message, because }
  const text = jsonText(value) ?? ''
  if (isWhole || text.length <= mostShown) return { id, status, value: value as Json }
  return { id, status, start: cut(text, mostShown), chars: text.length }
}
