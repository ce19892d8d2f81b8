// A run that happens again, offline: the same driver, and everything from outside as the log has it.
import { partsOf } from '../continuation/runner.ts'
import type { ReadyOptions, RunnerParts } from '../continuation/runner.ts'
import { SameloopError } from '../error/error.ts'
import { grants } from '../approval/grants.ts'
import type { Host } from '../host/host.ts'
import { unreadable } from '../journal/log.ts'
import type { LogRecord } from '../journal/log.ts'
import type { Decision } from '../message/decision.ts'
import type { RunEvent } from '../message/event.ts'
import type { Model } from '../model/model.ts'
import type { RunState } from '../run/state.ts'
import type { RunHandle } from '../run/run.ts'
import { rebuild } from '../recovery/rebuild.ts'
import type { RecoverOptions, Runner } from '../recovery/recover.ts'
import { decisionOf } from './decision-of.ts'
import { cause, fromOutside, tellAside } from './cause.ts'
import type { Again } from './cause.ts'
import { replayModel } from './model.ts'
import { replayWorld } from './world.ts'
import { eventOf, isOver, nextOf, scriptOf } from './script.ts'
import type { Script } from './script.ts'

export interface Replayed<Result> {
  /** What happened again, over all parts of the run. */
  readonly events: readonly RunEvent[]
  /** Of the last part; absent where the log has no end, or where it came differently. */
  readonly result?: Result | undefined
  /** The first event that is not as it was: the agent, its tools' schemas or the library are others now. */
  readonly differs?: { readonly seq: number; readonly wanted: string; readonly got: string } | undefined
}

/**
 * Makes the run of a log happen again: models, tools, people and the clock say what the log says, nothing is asked or
 * run, and the events are the same. What the agent's own functions (`prepareStep`, `stopWhen`, `instructions`) do, they
 * do again. What is within a tool, sub-agents included, is told as the log tells it. `given` is what resuming needs beside
 * the snapshot: `{ plan }` for a plan with functions.
 */
export async function replay<Result>(
  runner: Runner<RunHandle<Result>>,
  log: readonly LogRecord[],
  given: Pick<RecoverOptions, 'plan' | 'deps'> = {},
): Promise<Replayed<Result>> {
  const parts = partsOf(runner) as RunnerParts<Result> | undefined
  if (!parts) throw new SameloopError('config-invalid', 'Cannot replay: wanted an agent, an orchestrator or an engine')
  const events: RunEvent[] = []
  let last: Replayed<Result> = { events }
  for (const [from, to] of segments(log)) {
    const { differs, result, heard } = await replaySegment(parts, log, { from, to, given }).catch((thrown: unknown) => {
      throw unreadable(thrown)
    })
    events.push(...heard)
    last = { events, result, differs }
    if (differs) break
  }
  return last
}

/** From each start of the run to the one after. */
function segments(log: readonly LogRecord[]): readonly (readonly [number, number])[] {
  const starts = log.flatMap(({ type, data }, index) =>
    type === 'journal-open' && data['path'] === undefined ? [index] : [],
  )
  return starts.map((from, index) => [from, starts[index + 1] ?? log.length] as const)
}

interface Segment {
  readonly from: number
  readonly to: number
  readonly given: Pick<RecoverOptions, 'plan' | 'deps'>
}

async function replaySegment<Result>(
  { setup, ready }: RunnerParts<Result>,
  log: readonly LogRecord[],
  { from, to, given }: Segment,
): Promise<{ readonly heard: readonly RunEvent[]; readonly result?: Result; readonly differs: Script['differs'] }> {
  const script = scriptOf(log.slice(from + 1, to))
  const { snapshot } = rebuild(log.slice(0, from + 1))
  const trust = log[from]?.data['isImport'] === true ? 'import' : undefined
  const { model: real } = setup.options as { readonly model?: Model }
  const voice = real && replayModel(script, real)
  const world = replayWorld(script, setup, voice?.model)
  const { state, start } = ready(world.setup, snapshot, { ...given, trust, ...openingWords(script) })
  state.ahead = decidedAhead(script)
  state.journal = world.journal
  const again: Again = { script, state, world, voice }
  script.onAside = (event) => tellAside(again, event)
  script.onAbort = () => void fromOutside(again)
  const run = start()
  const reading = listen(run)
  await drive({ script, state, host: setup.host }, () => cause(again))
  const heard = script.records
    .slice(0, script.next)
    .flatMap((one) => (one.type.startsWith('journal-') ? [] : eventOf(one)))
  if (script.differs || !state.ended) return { heard, differs: script.differs }
  await reading
  return { heard, result: await run.result, differs: script.differs }
}

/** Somebody reads, as somebody did. */
async function listen(run: AsyncIterable<RunEvent>): Promise<void> {
  for await (const _ of run);
}

interface Driven {
  readonly script: Script
  readonly state: RunState
  /** With a clock that runs. */
  readonly host: Host
}

/** Lets the run do what it does by itself; when it stands still, makes what comes next happen. */
async function drive({ script, state, host }: Driven, act: () => boolean): Promise<void> {
  const turns = 40
  // What does much and comes no further never will: such a log was not written by a run.
  let acts = 0
  for (let still = 0; !isOver(script) && still < 2 && acts < 1000; acts++) {
    const before = script.next
    for (let turn = 0; turn < turns; turn++) await Promise.resolve()
    if (script.next > before) acts = 0
    else if (act()) still = 0
    else {
      // Some runtimes need more than a moment to hand a stream on.
      still++
      await new Promise<void>((resolve) => void host.timer(1, resolve))
    }
  }
  const record = nextOf(script)
  if (record && !script.differs && !state.ended) {
    const { type, seq } = eventOf(record)
    script.differs = { seq, wanted: type, got: 'nothing' }
  }
}

/** What was said before anything was done. */
function openingWords(script: Script): ReadyOptions {
  const repairs: string[] = []
  const changed: string[] = []
  const [first, ...rest] = script.records
  for (const record of rest) {
    const event = eventOf(record)
    if (event.type !== 'warning') break
    if (event.code === 'history-repaired') repairs.push(event.message)
    if (event.code === 'tool-changed') changed.push((event.data as { readonly tool: string }).tool)
  }
  const start = first && eventOf(first)
  const isResumed = start?.type === 'run-start' && start.resumed === true
  return { of: { session: undefined, grants: grants() }, repairs, changed: isResumed ? changed : undefined }
}

/** Decisions that were there before anybody was asked. */
function decidedAhead(script: Script): ReadonlyMap<string, Decision> {
  const asked = new Set<string>()
  const ahead = new Map<string, Decision>()
  for (const record of script.records) {
    const event = eventOf(record)
    if (event.type === 'approval-request') asked.add(event.callId)
    if (event.type !== 'approval-response' || asked.has(event.callId) || event.path) continue
    ahead.set(event.callId, decisionOf(script, event))
  }
  return ahead
}
