// The surroundings of a run that happens again: no clock, no network, no tools, only what the log says.
import type { RunnerSetup } from '../continuation/setup.ts'
import type { Host } from '../host/host.ts'
import type { Outcome } from '../message/part.ts'
import type { Model } from '../model/model.ts'
import { toolList, toolTable } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import { subRunOf, withSubRun } from '../registry/sub-run.ts'
import type { Tool } from '../tool/tool.ts'
import type { ToolContext } from '../tool/context.ts'
import { comingEvent, nextOf } from './script.ts'
import type { Script } from './script.ts'

/** A timer somebody waits for. */
export interface Waiting {
  readonly ms: number
  readonly fire: () => void
}

export interface ReplayWorld {
  readonly setup: RunnerSetup
  readonly timers: Set<Waiting>
  /** Calls that run, by id: how they get their outcome, and how they say how far they are. */
  readonly running: Map<string, { readonly settle: (outcome: Outcome) => void; readonly context: ToolContext }>
}

/** Marks the wait for people, which ends when the log says so. */
export const approvalWaitMs = 1e12

export function replayWorld(script: Script, setup: RunnerSetup, model: Model | undefined): ReplayWorld {
  const timers = new Set<Waiting>()
  const running: ReplayWorld['running'] = new Map()
  const host = replayHost(script, timers, setup.host)
  const perform = (callId: string, context: ToolContext): Promise<Outcome> =>
    new Promise((settle) => {
      running.set(callId, { settle, context })
    })
  const { options } = setup
  const { entries } = toolList(setup.table)
  // Such a tool makes its outcome itself.
  const isRun = (uri: string): boolean =>
    [...entries.values()].some((entry) => entry.uri === uri && subRunOf(entry.tool))
  const replaced = {
    ...options,
    ...(model ? { model } : {}),
    env: { host },
    approve: undefined,
    hooks: undefined,
    snapshots: undefined,
    approvalWaitMs,
    // What wraps a model is in what the log says it said.
    middleware: options.middleware?.map(({ model: _, ...rest }) => rest),
  }
  return {
    timers,
    running,
    setup: {
      ...setup,
      host,
      options: replaced,
      table: stubbed(script, setup.table, perform),
      wrap: (next) => (call) => (isRun(call.uri) ? next(call) : perform(call.context.callId, call.context)),
      capabilities: { fs: undefined, shell: undefined, code: undefined, fetch: undefined },
    },
  }
}

function replayHost(script: Script, timers: Set<Waiting>, real: Host): Host {
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
      return callId ?? real.id(prefix)
    },
    timer: (ms, fire) => {
      const waiting = { ms, fire }
      timers.add(waiting)
      return () => void timers.delete(waiting)
    },
  }
}

type Perform = (callId: string, context: ToolContext) => Promise<Outcome>

/** The tools as they are, but for what they do: that is in the log. Sources are not connected. */
function stubbed(script: Script, table: ToolTable, perform: Perform): ToolTable {
  const stubs = toolTable()
  stubs.own = new Map([...toolList(table).entries].map(([name, entry]) => [name, stub(script, entry, perform)]))
  return stubs
}

function stub(script: Script, entry: Entry, perform: Perform): Entry {
  const { tool } = entry
  const subRun = subRunOf(tool)
  const made: Tool = {
    ...tool,
    approval: tool.approval === undefined ? undefined : (input) => wasAsked(script, entry, input),
    // As it was shown then.
    describeCall:
      tool.describeCall &&
      ((_, { callId }) => previewOf(script, callId) ?? Promise.reject(new Error('None was shown'))),
  }
  if (subRun) {
    withSubRun(made, {
      output: subRun.output,
      check: async () => [],
      run: (call, _, context) => perform(call.callId, context),
    })
  }
  return { ...entry, tool: made, count: { calls: 0 } }
}

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
