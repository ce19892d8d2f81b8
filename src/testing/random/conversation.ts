// A random conversation from a seed: run, interrupted, suspended, resumed, and looked at after every end.
import type { Decision } from '../../message/decision.ts'
import type { RunEvent } from '../../message/event.ts'
import type { Run, RunResult } from '../../run/run.ts'
import type { Snapshot } from '../../run/snapshot.ts'
import type { RunStore } from '../../tool/run-store.ts'
import { isSameloopError } from '../../error/error.ts'
import { canonicalJson } from '../trace.ts'
import type { Kit } from '../kit.ts'
import { edited, randomCast } from './cast.ts'
import type { RandomCast } from './cast.ts'
import { seeded } from './prng.ts'
import type { Random } from './prng.ts'
import { endFaults, eventFaults, requestFaults, transcriptFaults } from './sound.ts'
import { engineWords } from './tools.ts'

export interface ConversationOptions {
  /**
   * Who interrupts waits for the clock, and the trace is the same in every runtime: engines differ in how far a stream is
   * when its reader acts. Default false: at any event.
   */
  readonly isClocked?: boolean | undefined
  /** Keeps the log of the run. */
  readonly store?: RunStore | undefined
  /** Looks at each end; a rejection fails the conversation. */
  readonly onEnd?: ((result: RunResult, cast: RandomCast) => Promise<void>) | undefined
}

/**
 * Plays the conversation of a seed and adds all of it to the kit's trace. Throws where something does not hold that must
 * hold whatever happens. With a fresh kit a seed gives the same trace every time.
 */
export async function randomConversation(kit: Kit, seed: number, options: ConversationOptions = {}): Promise<void> {
  const random = seeded(seed)
  const cast = randomCast(kit, random, options.store)
  const faults: string[] = []
  const waited = new Set<string>()
  let from = 0
  let run: Run | undefined = cast.assistant.run('go', { session: random.chance(0.5) ? 'session' : undefined })
  for (let round = 0; run && round < 5; round++) {
    const read = await play(cast, run, { random, from, ...options })
    const result: RunResult = await run.result
    const events = cast.events.slice(from)
    from = cast.events.length
    await kit.trace(events)
    note(kit, result)
    await options.onEnd?.(result, cast)
    faults.push(
      ...transcriptFaults(result.messages),
      ...endFaults(events, result),
      ...eventFaults(cast.events, result, waited),
      ...(read === events.length ? [] : [`${read} of ${events.length} events were read`]),
    )
    run = await goOn(cast, result, { random, faults })
  }
  // What was left behind still answers, and nobody may stumble over it.
  await kit.sleep(200)
  faults.push(...requestFaults(cast.models.flatMap(({ requests }) => requests)), ...cast.record.faults)
  faults.push(...callFaults(cast), ...wordFaults(kit))
  for (const [id, times] of cast.record.ran) if (times > 1) faults.push(`${id} ran ${times} times`)
  if (faults.length > 0) throw new Error(`Seed ${seed}:\n${[...new Set(faults)].join('\n')}`)
}

function note(kit: Kit, { status, stop, text, messages, usage, pending, snapshot, error }: RunResult): void {
  kit.note('result', { status, stop, text, messages, usage, pending, error: error && [error.code, error.message] })
  kit.note('snapshot', snapshot)
}

/** Reads a run to its end, or leaves it; on the way somebody may abort, steer or decide. Gives how much was read. */
async function play(
  { kit, events, record }: RandomCast,
  run: Run,
  { random, from, isClocked }: Playing,
): Promise<number> {
  const when = (act: () => void): void => (isClocked ? void kit.host.timer(0, act) : act())
  const act = random.weighted({ nothing: 6, later: 2, soon: 1, steer: 1, leave: isClocked ? 0 : 1 })
  const at = random.int(1, 30)
  if (act === 'later') kit.host.timer(random.int(0, 90), () => run.abort('Enough'))
  let read = 0
  for await (const event of run) {
    kit.clock.touch()
    // Reports about observers are for the reader alone.
    if (event.type !== 'observer-error') read++
    if (event.type === 'approval-request' && random.chance(0.2)) {
      const decision = decisionOn(event, { random, record })
      when(() => unlessOver(() => run.decide(decision)))
    }
    if (read !== at || event.type === 'run-end') continue
    if (act === 'soon') when(() => run.abort())
    if (act === 'steer') when(() => unlessOver(() => run.steer('Hurry')))
    if (act === 'leave') break
  }
  await run.result
  return act === 'leave' && read === at ? events.length - from : read
}

interface Playing extends ConversationOptions {
  readonly random: Random
  /** How many events there were before this run. */
  readonly from: number
}

/** From the outside nobody knows whether the run has ended, or the question is closed. */
function unlessOver(act: () => void): void {
  try {
    act()
  } catch (error) {
    const codes = ['run-unknown-call', 'run-suspended', 'run-invalid-input']
    if (!isSameloopError(error) || !codes.includes(error.code)) throw error
  }
}

type Asking = Extract<RunEvent, { readonly type: 'approval-request' }>

function decisionOn(
  { callId, name, wants }: Asking,
  { random, record }: { readonly random: Random } & Pick<RandomCast, 'record'>,
): Decision {
  const isGood = random.chance(0.6)
  if (isGood) record.approved.add(name)
  if (wants === 'result') return { callId, result: 'from outside' }
  return { callId, decision: isGood ? 'approve' : 'deny' }
}

interface GoingOn {
  readonly random: Random
  readonly faults: string[]
}

/** Resumes what can go on, through JSON as to another process. */
async function goOn(cast: RandomCast, result: RunResult, { random, faults }: GoingOn): Promise<Run | undefined> {
  const snapshot = JSON.parse(JSON.stringify(result.snapshot)) as Snapshot
  const { assistant } = cast
  if (snapshot.status !== 'suspended') {
    if (random.chance(0.6)) return undefined
    const isFinal = snapshot.status === 'failed' && !snapshot.retryable
    if (!isFinal) return assistant.resume(snapshot, [], { input: 'Go on' })
    faults.push(...(await refusal(cast, snapshot, 'run-invalid-snapshot')))
    return undefined
  }
  const isImport = random.chance(0.2)
  const decisions = snapshot.pending.flatMap((request): Decision[] => {
    const { callId, wants, name } = request
    const word = random.weighted({ yes: 5, edit: 1, no: 2, nothing: 2 })
    if (word === 'nothing') return []
    if (wants === 'result' && word !== 'no') return [{ callId, result: { parts: [{ type: 'text', text: 'Seen' }] } }]
    if (word === 'no') return [{ callId, decision: 'deny' }]
    if (!isImport) cast.record.approved.add(name)
    if (word === 'yes') return [{ callId, decision: 'approve' }]
    return [{ callId, ...edited(request, { tools: cast.tools, people: random }) }]
  })
  const run = await assistant.resume(snapshot, decisions, isImport ? { trust: 'import' } : {})
  if (!isImport) faults.push(...(await refusal(cast, snapshot, 'run-snapshot-used')))
  return run
}

async function refusal({ assistant }: RandomCast, snapshot: Snapshot, code: string): Promise<string[]> {
  try {
    await assistant.resume(snapshot)
    return [`A snapshot was taken that should have been refused with ${code}`]
  } catch (error) {
    return isSameloopError(error) && error.code === code ? [] : [`Wanted ${code}, got ${String(error)}`]
  }
}

/** Calls whose arguments fit, or fit after coercion, and that were refused for their arguments. */
function callFaults({ events, sent, tools }: RandomCast): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'tool-end' || event.outcome.ok || event.outcome.reason !== 'invalid-input') return []
    const { callId, name, path } = event
    const isSame = (other: RunEvent): boolean =>
      other.type === 'tool-call' && other.callId === callId && canonicalJson(other.path) === canonicalJson(path)
    const call = events.find(isSame)
    if (call?.type !== 'tool-call') return []
    const kind = sent.get(`${name} ${JSON.stringify(call.input)}`)
    const isStrict = tools.get(name)?.tool.coerce === 'strict'
    const isWrong = kind === 'fitting' || (kind === 'coercible' && !isStrict)
    return isWrong ? [`${name} was refused ${kind} arguments: ${JSON.stringify(event.outcome.parts)}`] : []
  })
}

const wordFaults = (kit: Kit): string[] =>
  kit.lines().some((line) => line.includes(engineWords)) ? ['The words of an engine are in the trace'] : []
