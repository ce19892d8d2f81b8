// A run that moves: suspended in one environment, gone on with in the others, its snapshot a text in between.
import { agent } from '../../src/agent/agent.ts'
import type { Agent } from '../../src/agent/agent.ts'
import type { AgentOptions } from '../../src/agent/options.ts'
import { webHost } from '../../src/host/web-host.ts'
import { signed } from '../../src/journal/signed.ts'
import type { ApprovalRequest, Decision } from '../../src/message/decision.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import type { RunResult } from '../../src/run/run.ts'
import type { Snapshot } from '../../src/run/snapshot.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import { check, equal, includes, throws } from '../../src/testing/assertion.ts'
import { canonicalTrace, traceHash } from '../../src/testing/trace.ts'
import { tool } from '../../src/tool/define.ts'
import { flowStory, suspendFlows } from './move-flows.ts'
import type { Flows } from './move-flows.ts'
import type { Tool } from '../../src/tool/tool.ts'

/** Who asks: a tool of the agent, or one of an agent among its tools. */
type Asker = 'tool' | 'sub-agent'
type Seal = 'signed' | 'unsigned'

/** What travels: a snapshot for each asker, signed and not. */
type Luggage = Readonly<Record<`${Asker}, ${Seal}`, Snapshot>> & { readonly flows: Flows }

const secret = 'a secret of many characters'

interface World {
  readonly seal?: Seal
  readonly key?: string
  /** The tool that asks takes other input than when the snapshot was made. */
  readonly isChanged?: boolean
  readonly approve?: AgentOptions['approve']
}

interface Actors {
  readonly assistant: Agent
  /** What the tools did. */
  readonly done: unknown[]
}

function pay(done: unknown[], isChanged: boolean): Tool {
  return tool({
    name: 'pay',
    description: 'Pays an amount.',
    input: jsonSchema<{ amount: number }>({
      type: 'object',
      properties: { amount: isChanged ? { type: 'integer' } : { type: 'number' } },
      required: ['amount'],
    }),
    approval: true,
    execute: ({ amount }) => {
      done.push(`paid ${amount}`)
      return `paid ${amount}`
    },
  })
}

/** The same agent in every environment; `from` is the turn at which its models are. */
function actors(asker: Asker, from: 'start' | 'middle', world: World): Actors {
  const { seal = 'signed', key = secret, isChanged = false, approve } = world
  const done: unknown[] = []
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effect: 'read',
    execute: () => void done.push('looked'),
  })
  const asking: ScriptedTurn = { calls: [{ name: 'look' }, { name: 'pay', input: { amount: 5 } }] }
  const tools = [look, pay(done, isChanged)]
  const turns = from === 'start' ? [asking] : ['Paid.']
  const snapshots = seal === 'signed' ? { snapshots: signed(key) } : {}
  const shared = { env: { host: webHost }, approve, ...snapshots }
  if (asker === 'tool') return { done, assistant: agent({ model: scriptedModel(turns), tools, ...shared }) }
  const inner = agent({ model: scriptedModel(turns), tools })
  const outer: ScriptedTurn = { calls: [{ name: 'book', input: { task: 'Pay 5' } }] }
  const model = scriptedModel(from === 'start' ? [outer] : ['Booked.'])
  return {
    done,
    assistant: agent({ model, tools: [inner.asTool({ name: 'book', description: 'Books.' })], ...shared }),
  }
}

const askers: readonly Asker[] = ['tool', 'sub-agent']
const seals: readonly Seal[] = ['signed', 'unsigned']

/** Runs until a person is asked, and gives the snapshots as one text. */
export async function suspend(): Promise<string> {
  const luggage: Record<string, Snapshot | Flows> = { flows: await suspendFlows() }
  for (const asker of askers) {
    for (const seal of seals) {
      const { assistant, done } = actors(asker, 'start', { seal })
      const { status, snapshot } = await assistant.run('Pay 5 for the room').result
      equal([status, done], ['suspended', ['looked']], 'Suspended')
      luggage[`${asker}, ${seal}`] = snapshot
    }
  }
  return JSON.stringify(luggage)
}

export interface MoveReport {
  readonly checks: readonly { readonly name: string; readonly error?: string }[]
  /** Over the events of every run that went on: the same wherever it did. */
  readonly hash: string
}

interface Arrival {
  readonly asker: Asker
  readonly luggage: Luggage
  readonly lines: string[]
}

const callIdOf = (asker: Asker): string => (asker === 'tool' ? 'call_2' : 'call_1/call_2')
const answerOf = (asker: Asker): string => (asker === 'tool' ? 'Paid.' : 'Booked.')

interface GoneOn {
  readonly result: RunResult
  readonly done: readonly unknown[]
}

async function goOn(
  { asker, lines }: Arrival,
  snapshot: Snapshot,
  world: World,
  decisions: readonly Decision[],
): Promise<GoneOn> {
  const { assistant, done } = actors(asker, 'middle', world)
  const trust = world.seal === 'unsigned' ? ({ trust: 'import' } as const) : {}
  const run = await assistant.resume(snapshot, decisions, trust)
  const events = []
  for await (const event of run) events.push(event)
  lines.push(...canonicalTrace(events.map((event) => ({ ...event, run: 'run' }))))
  return { result: await run.result, done }
}

/** Refused with this code, before anything ran. */
async function refused(
  { asker }: Arrival,
  snapshot: Snapshot,
  world: World,
  code: Parameters<typeof throws>[1],
): Promise<void> {
  const { assistant, done } = actors(asker, 'middle', world)
  const trust = world.seal === 'unsigned' ? ({ trust: 'import' } as const) : {}
  await throws(() => assistant.resume(snapshot, [], trust), code)
  equal(done, [], 'What ran')
}

const story: Readonly<Record<string, (arrival: Arrival) => Promise<void>>> = {
  'signed, goes on where it was: the approved call runs once, and what ran before does not run again': async (
    arrival,
  ) => {
    const { asker, luggage } = arrival
    const decision: Decision = { callId: callIdOf(asker), decision: 'approve' }
    const { result, done } = await goOn(arrival, luggage[`${asker}, signed`], {}, [decision])
    equal([result.status, result.text, done], ['done', answerOf(asker), ['paid 5']])
  },
  'signed, takes an edited decision': async (arrival) => {
    const { asker, luggage } = arrival
    const decision: Decision = { callId: callIdOf(asker), decision: 'edit', input: { amount: '7' } }
    const { result, done } = await goOn(arrival, luggage[`${asker}, signed`], {}, [decision])
    equal([result.status, done], ['done', ['paid 7']])
  },
  'signed, is refused where a word was changed, or with another secret, and no other signature helps': async (
    arrival,
  ) => {
    const { asker, luggage } = arrival
    const snapshot = luggage[`${asker}, signed`]
    const forged = JSON.parse(JSON.stringify(snapshot).replaceAll('"amount":5', '"amount":500')) as Snapshot
    check(JSON.stringify(forged).includes('500'), 'the snapshot holds the amount')
    await refused(arrival, forged, {}, 'run-unsigned-snapshot')
    await refused(arrival, snapshot, { key: 'another secret of many characters' }, 'run-unsigned-snapshot')
    await refused(arrival, luggage[`${asker}, unsigned`], {}, 'run-unsigned-snapshot')
  },
  'signed, may wait again and go on after that': async (arrival) => {
    const { asker, luggage } = arrival
    const { result, done } = await goOn(arrival, luggage[`${asker}, signed`], {}, [])
    equal([result.status, done], ['suspended', []])
    const again = JSON.parse(JSON.stringify(result.snapshot)) as Snapshot
    const decision: Decision = { callId: callIdOf(asker), decision: 'deny', reason: 'Too dear' }
    const later = await goOn(arrival, again, {}, [decision])
    equal([later.result.status, later.done], ['done', []])
    const places = asker === 'tool' ? later.result.messages : again.body
    if (asker === 'tool') includes(JSON.stringify(places), 'Too dear')
  },
  'unsigned, is an import: every open call is asked about anew, and no decision is taken on trust': async (arrival) => {
    const { asker, luggage } = arrival
    const asked: ApprovalRequest[] = []
    const approve = (request: ApprovalRequest): 'approve' => (asked.push(request), 'approve')
    const decision: Decision = { callId: callIdOf(asker), decision: 'edit', input: { amount: 500 } }
    const world: World = { seal: 'unsigned', approve }
    const { result, done } = await goOn(arrival, luggage[`${asker}, unsigned`], world, [decision])
    equal(
      asked.map(({ callId }) => callId),
      asker === 'tool' ? ['call_2'] : ['call_1', 'call_1/call_2'],
      'Asked',
    )
    equal([result.status, done], ['done', ['paid 5']])
  },
  'unsigned, waits where nobody answers': async (arrival) => {
    const { asker, luggage } = arrival
    const { result, done } = await goOn(arrival, luggage[`${asker}, unsigned`], { seal: 'unsigned' }, [])
    equal([result.status, done], ['suspended', []])
  },
  'signed or not, is refused where the tool that asks takes other input than it did': async (arrival) => {
    const { asker, luggage } = arrival
    for (const seal of seals)
      await refused(arrival, luggage[`${asker}, ${seal}`], { seal, isChanged: true }, 'run-tool-changed')
  },
  'is used up by the agent that went on with it': async ({ asker, luggage }) => {
    const { assistant } = actors(asker, 'middle', {})
    const decision: Decision = { callId: callIdOf(asker), decision: 'approve' }
    await (
      await assistant.resume(luggage[`${asker}, signed`], [decision])
    ).result
    await throws(() => assistant.resume(luggage[`${asker}, signed`], [decision]), 'run-snapshot-used')
  },
}

/** Goes on with what `suspend` gave elsewhere, and reports as JSON. */
export async function arrive(text: string): Promise<string> {
  const luggage = JSON.parse(text) as Luggage
  const lines: string[] = []
  const checks = []
  for (const asker of askers) {
    for (const [name, tell] of Object.entries(story)) {
      const full = `a run with a question of a ${asker}, ${name}`
      try {
        await tell({ asker, luggage, lines })
        checks.push({ name: full })
      } catch (error) {
        checks.push({ name: full, error: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) })
      }
    }
  }
  for (const [name, tell] of Object.entries(flowStory)) {
    const told = await tell(luggage.flows).then(
      () => ({ name }),
      (error: Error) => ({ name, error: `${error.message}\n${error.stack}` }),
    )
    checks.push(told)
  }
  return JSON.stringify({ checks, hash: traceHash(lines) } satisfies MoveReport)
}
