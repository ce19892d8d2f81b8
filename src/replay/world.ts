// The surroundings of a run that happens again: no clock, no network, no tools, only what the log says.
import type { RunnerSetup } from '../continuation/setup.ts'
import type { Host } from '../host/host.ts'
import type { Outcome } from '../message/part.ts'
import type { Model } from '../model/model.ts'
import { toolList, toolTable } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import { subRunOf, withSubRun } from '../registry/sub-run.ts'
import type { RunJournal } from '../tool/run-store.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolContext } from '../tool/context.ts'
import type { LogRecord } from '../journal/log.ts'
import type { RunEvent } from '../message/event.ts'
import { comingEvent, eventOf, hear, nextOf } from './script.ts'
import type { Script } from './script.ts'

/** A timer somebody waits for. */
export interface Waiting {
  readonly ms: number
  readonly fire: () => void
}

/** A function of a tool that answers when its turn comes: who decides when is the log. */
export interface Gate {
  readonly name: string
  readonly callId?: string | undefined
  readonly open: () => void
}

export interface ReplayWorld {
  readonly gates: Set<Gate>
  readonly setup: RunnerSetup
  readonly timers: Set<Waiting>
  /** Where the run waits for its log, as it did: what came from outside meanwhile comes before what follows. */
  readonly journal: RunJournal
  readonly commits: Set<() => void>
  /** Calls that run, by id: how they get their outcome, and how they say how far they are. */
  readonly running: Map<string, { readonly settle: (outcome: Outcome) => void; readonly context: ToolContext }>
}

/** Marks the wait for people, which ends when the log says so. */
export const approvalWaitMs = 1e12

export function replayWorld(script: Script, setup: RunnerSetup, model: Model | undefined): ReplayWorld {
  const timers = new Set<Waiting>()
  const gates = new Set<Gate>()
  const running: ReplayWorld['running'] = new Map()
  const host = replayHost(script, timers, setup.host)
  const perform = (callId: string, context: ToolContext): Promise<Outcome> =>
    new Promise((settle) => {
      running.set(callId, { settle, context })
    })
  const { options } = setup
  const { entries } = toolList(setup.table)
  const own: Entry[] = []
  // Such a tool makes its outcome itself.
  const isRun = (uri: string): boolean =>
    [...entries.values(), ...own].some((entry) => entry.uri === uri && subRunOf(entry.tool))
  const replaced = {
    ...options,
    ...(model ? { model } : {}),
    env: { host },
    approve: undefined,
    hooks: { onEvent: (event: RunEvent) => hear(script, event) },
    snapshots: undefined,
    approvalWaitMs,
    // What wraps a model is in what the log says it said.
    middleware: options.middleware?.map((one) => ({ ...one, model: undefined })),
  }
  const commits = new Set<() => void>()
  const journal: RunJournal = {
    work: () => undefined,
    opened: Promise.resolve(),
    note: () => {},
    commit: () =>
      new Promise((resolve) => {
        commits.add(resolve)
      }),
  }
  return {
    timers,
    journal,
    commits,
    gates,
    running,
    setup: {
      ...setup,
      host,
      options: replaced,
      table: stubbed({ script, perform, gates }, setup.table),
      adapt: (entry) => {
        own.push(entry)
        return stub({ script, perform, gates }, entry)
      },
      wrap: (next) => (call) => (isRun(call.uri) ? next(call) : perform(call.context.callId, call.context)),
      capabilities: { fs: undefined, shell: undefined, code: undefined, fetch: undefined },
    },
  }
}

function replayHost(script: Script, timers: Set<Waiting>, real: Host): Host {
  const given = new Set<string>()
  return {
    ...real,
    fetch: () => Promise.reject(new Error('A run that happens again fetches nothing')),
    now: () => {
      const record = nextOf(script) ?? script.records.at(-1)
      return record ? Number(record.data['at'] ?? 0) : 0
    },
    id: (prefix) => {
      if (prefix !== 'call_') return real.id(prefix)
      const replaced = comingEvent(script, 'warning', ({ code }) => code === 'call-id-replaced')
      const { callId } = (replaced?.data ?? {}) as { readonly callId?: string }
      // Who asks again has no use for it.
      if (callId === undefined || given.has(callId)) return real.id(prefix)
      given.add(callId)
      return callId
    },
    timer: (ms, fire) => {
      const waiting = { ms, fire }
      timers.add(waiting)
      return () => void timers.delete(waiting)
    },
  }
}

interface Stubs {
  readonly script: Script
  readonly perform: (callId: string, context: ToolContext) => Promise<Outcome>
  readonly gates: Set<Gate>
}

/** The tools as they are, but for what they do: that is in the log. Sources are not connected. */
function stubbed(stubs: Stubs, table: ToolTable): ToolTable {
  const made = toolTable()
  made.own = new Map([...toolList(table).entries].map(([name, entry]) => [name, stub(stubs, entry)]))
  return made
}

function stub({ script, perform, gates }: Stubs, entry: Entry): Entry {
  const { tool, definition } = entry
  const { name } = definition
  const subRun = subRunOf(tool)
  const later = <Value>(make: () => Value, callId?: string): Promise<Value> =>
    new Promise((resolve) => {
      gates.add({ name, callId, open: () => resolve(make()) })
    })
  const asked = (input: unknown): boolean | string => wasAsked(script, entry, input)
  const made: Tool = {
    ...tool,
    approval:
      typeof tool.approval === 'function'
        ? (input) => (isInOrder(script, entry, input) ? asked(input) : later(() => asked(input)))
        : tool.approval,
    // As it was shown then.
    describeCall:
      tool.describeCall &&
      (async (input, { callId }) => {
        const shown = isInOrder(script, entry, input)
          ? previewOf(script, callId)
          : await later(() => previewOf(script, callId), callId)
        if (shown) return shown
        throw new Error('Nothing was shown')
      }),
  }
  if (subRun) {
    const run: typeof subRun.run = (call, _, context) => perform(call.callId, context)
    withSubRun(made, { output: subRun.output, check: async () => [], run })
  }
  return { ...entry, tool: made, count: { calls: 0 } }
}

/**
 * Whether the answer may have been there at once: what followed from it came before anything that followed from a call
 * made later. Otherwise it came later, and comes when the log says.
 */
function isInOrder(script: Script, { definition }: Entry, input: unknown): boolean {
  const wanted = JSON.stringify(input)
  let latest = -1
  for (let index = script.next; index < script.records.length; index++) {
    const event = eventOf(script.records[index] as LogRecord)
    if (!isAnswered(event) || event.path !== undefined) continue
    const place = script.order.get(event.callId) ?? -1
    const isOurs = event.type !== 'approval-request' || JSON.stringify(event.input) === wanted
    if (event.name === definition.name && isOurs) return latest < place
    latest = Math.max(latest, place)
  }
  return false
}

/** What follows when a tool has said whether it wants to be asked about. */
const isAnswered = (
  event: RunEvent,
): event is Extract<RunEvent, { readonly type: 'approval-request' | 'approval-response' | 'tool-start' }> =>
  event.type === 'approval-request' || event.type === 'approval-response' || event.type === 'tool-start'

function wasAsked(script: Script, { definition }: Entry, input: unknown): boolean | string {
  const text = JSON.stringify(input)
  const asked = comingEvent(
    script,
    'approval-request',
    (event) => event.why === 'tool' && event.name === definition.name && JSON.stringify(event.input) === text,
  )
  return asked !== undefined && (asked.reason ?? true)
}

const previewOf = (script: Script, callId: string): ReturnType<NonNullable<Tool['describeCall']>> | undefined =>
  comingEvent(script, 'approval-request', (event) => event.callId === callId)?.preview
