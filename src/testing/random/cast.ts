// A random agent with random tools, sometimes with another agent among them, and the people around it.
import { agent } from '../../agent/agent.ts'
import type { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/options.ts'
import { signed } from '../../journal/signed.ts'
import type { Answer, ApprovalDecision, ApprovalRequest } from '../../message/decision.ts'
import type { RunEvent } from '../../message/event.ts'
import { scriptedModel } from '../../model/scripted-model.ts'
import type { ScriptedModel, ScriptedTurn } from '../../model/scripted-model.ts'
import type { RunStore } from '../../tool/run-store.ts'
import type { Kit } from '../kit.ts'
import type { Random } from './prng.ts'
import { randomScript } from './script.ts'
import type { Sent } from './script.ts'
import { fitting } from './shape.ts'
import { randomTool } from './tools.ts'
import type { RandomTool, CallLog } from './tools.ts'

export interface RandomCast {
  readonly kit: Kit
  readonly assistant: Agent
  /** By name, those of the sub-agent too. */
  readonly tools: ReadonlyMap<string, RandomTool>
  readonly models: readonly ScriptedModel[]
  readonly sent: Sent
  readonly record: CallLog
  /** Every event that observers heard, over all runs. */
  readonly events: RunEvent[]
}

const toolsNamed = (names: readonly string[], kit: Kit, random: Random, record: CallLog): RandomTool[] =>
  names.map((name) => randomTool(name, { kit, random, record }))

export function randomCast(kit: Kit, random: Random, store?: RunStore): RandomCast {
  const record: CallLog = { ran: new Map(), approved: new Set(), faults: [] }
  const sent: Sent = new Map()
  const events: RunEvent[] = []
  const own = toolsNamed(['tool_0', 'tool_1', 'tool_2'], kit, random, record)
  const models: ScriptedModel[] = []
  const deep = random.chance(0.25) ? toolsNamed(['deep_0', 'deep_1'], kit, random, record) : []
  if (deep.length > 0) own.push(subAgent(deep, { kit, sent, models }, random))
  const model = scriptedModel(randomScript(random, own, sent), { chunk: random.int(2, 20) })
  models.push(model)
  const tools = new Map([...own, ...deep].map((one) => [one.tool.name, one]))
  const people = random.fork()
  const options: AgentOptions = {
    model,
    env: { host: kit.host, store },
    tools: own.map(({ tool }) => tool),
    ...randomOptions(random, kit),
    hooks: { onEvent: (event) => void events.push(event), ...randomHooks(random) },
    approve: (request) => answer(request, { kit, people, record, tools }),
  }
  return { kit, assistant: agent(options), tools, models, sent, record, events }
}

function randomOptions(random: Random, kit: Kit): Partial<AgentOptions> {
  return {
    concurrency: random.pick([undefined, 1, 2]),
    approvalWaitMs: random.pick([undefined, 0, 15]),
    approvalExpiryMs: random.chance(0.2) ? 30 : undefined,
    limits: {
      steps: random.chance(0.2) ? random.int(1, 3) : undefined,
      toolCalls: random.pick([undefined, undefined, undefined, 3, { tool_0: 1 }]),
    },
    onUnknownTool: random.chance(0.1) ? 'throw' : undefined,
    finalAnswer: random.chance(0.2),
    snapshots: random.chance(0.3) ? signed('a secret of many characters', kit.host) : undefined,
    middleware: random.chance(0.3) ? [{ name: 'passes on', tool: async (call, next) => next(call) }] : undefined,
  }
}

function randomHooks(random: Random): AgentOptions['hooks'] {
  if (random.chance(0.8)) return {}
  return {
    onToolStart: () => {
      throw new Error('Observer broke')
    },
    onStep: async () => Promise.reject(new Error('Observer broke')),
  }
}

/** An agent among the tools; what its people are asked comes up to those of the outer one. */
function subAgent(
  tools: readonly RandomTool[],
  { kit, sent, models }: Pick<RandomCast, 'kit' | 'sent'> & { readonly models: ScriptedModel[] },
  random: Random,
): RandomTool {
  // Engines differ in the turns that a stream takes; what runs beside others must wait for the clock before it speaks.
  const turns = randomScript(random, tools, sent).map((turn) => [{ wait: random.int(1, 20) }, turn].flat())
  const model = scriptedModel(turns as ScriptedTurn[], { chunk: 9 })
  models.push(model)
  const inner = agent({ model, env: { host: kit.host }, tools: tools.map(({ tool }) => tool) })
  const task = { name: 'task', shape: { kind: 'choice', of: ['look', 'listen'] }, isOptional: false } as const
  return {
    tool: inner.asTool({ name: 'agent', description: 'Is an agent.' }),
    shape: { kind: 'fields', fields: [task], isOpen: true },
  }
}

interface Asked extends Pick<RandomCast, 'kit' | 'record' | 'tools'> {
  readonly people: Random
}

/** A person's answer: quick, late, never, wrong, or none. */
async function answer(request: ApprovalRequest, asked: Asked): Promise<Answer | undefined> {
  const { people, kit } = asked
  const { wants, expiresAt } = request
  const manner = people.weighted({ quick: 6, late: 2, breaks: 1, never: expiresAt === undefined ? 0 : 2 })
  if (manner === 'late') await kit.sleep(people.int(1, 50))
  if (manner === 'never') await new Promise(() => {})
  if (manner === 'breaks') throw new Error('Nobody is here')
  if (wants === 'result') return people.chance(0.5) ? { result: people.pick(['a result', 5, { a: 1 }]) } : 'defer'
  const word = people.weighted({ approve: 5, session: 1, edit: 1, deny: 2, always: 1, defer: 4, nonsense: 1 })
  if (word === 'defer') return people.pick<Answer | undefined>(['defer', undefined])
  if (word === 'nonsense') return 'perhaps' as Answer
  if (word === 'deny') return { decision: 'deny', reason: 'I would rather not' }
  if (word === 'always') return 'deny-always'
  asked.record.approved.add(request.name)
  if (word === 'approve') return 'approve'
  return word === 'session' ? 'approve-session' : edited(request, asked)
}

/** An edit to another input that fits. The task of an agent stays: with another one it would begin anew. */
export function edited(
  { name, input }: ApprovalRequest,
  { tools, people }: Pick<Asked, 'tools' | 'people'>,
): Omit<ApprovalDecision, 'callId'> {
  const shape = tools.get(name)?.shape
  if (name === 'agent' || !shape) return { decision: name === 'agent' ? 'approve' : 'edit', input }
  const made = fitting(people, shape)
  return { decision: 'edit', input: shape.kind === 'fields' ? made : { input: made } }
}
