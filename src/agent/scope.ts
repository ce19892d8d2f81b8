// What the call path needs, answered by a run of an agent.
import { SameloopError, isSameloopError } from '../error/error.ts'
import type { ApprovalRequest, Preview } from '../message/decision.ts'
import type { Outcome } from '../message/part.ts'
import { approvalScope } from '../registry/call.ts'
import { toolContext } from '../registry/context.ts'
import { prepareEntry } from '../registry/prepare.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import type { CallScope, Settlement } from '../registry/scope.ts'
import type { Entry } from '../registry/table.ts'
import { observe } from '../run/hooks.ts'
import type { Hooks, ObservedCall } from '../run/hooks.ts'
import { stopFatally } from '../run/machine.ts'
import { ask } from '../run/requests.ts'
import { emit, onAbort, reportObserver, warn } from '../run/state.ts'
import { publicOutcome } from '../tool/outcome.ts'
import { contentText } from '../message/text.ts'
import { freeSlot, takeSlot } from './slots.ts'
import type { AgentState } from './state.ts'

export function callScope(state: AgentState): CallScope {
  const { run, setup, slots } = state
  const scope: CallScope = {
    host: run.host,
    get tools() {
      return state.tools
    },
    rules: setup.rules,
    get asksForEffects() {
      return setup.options.model.capabilities.asksFor === 'effects'
    },
    grants: run.grants,
    capabilities: setup.capabilities,
    deps: state.deps,
    get run() {
      return { id: run.id, step: run.step, session: run.session }
    },
    wrap: setup.wrap,
    stopped: () => run.aborted || run.fatal !== undefined,
    ask: (call, request) => askWithPreview(state, scope, call, request),
    acquire: (entry) => takeSlot(slots, entry.tool.mode === 'exclusive'),
    release: () => freeSlot(slots),
    onStart: (call) => {
      emit(run, { type: 'tool-start', step: run.step, callId: call.callId, name: call.name, attempt: call.attempt })
      notify(state, 'onToolStart', call)
    },
    onProgress: (call, value) => {
      if (run.ended === undefined) emit(run, { type: 'tool-progress', step: run.step, callId: call.callId, name: call.name, value })
    },
    onEnd: (call, outcome, { durationMs, ran }) => endCall(state, call, outcome, ran ? durationMs : undefined),
    onLate: (call, outcome) => {
      if (run.ended === undefined) {
        const text = `Tool "${call.name}" answered after its call was over: ${contentText(outcome.parts).slice(0, 200)}`
        warn(run, 'late-result', text, { callId: call.callId, ok: outcome.ok })
      }
      notify(state, 'onLateResult', call, outcome)
    },
    onAbort: (listener) => onAbort(run, listener),
  }
  return scope
}

function endCall(state: AgentState, call: PreparedCall, outcome: Outcome, durationMs: number | undefined): void {
  const { run } = state
  emit(run, {
    type: 'tool-end',
    step: run.step,
    callId: call.callId,
    name: call.name,
    outcome: publicOutcome(outcome),
    durationMs: durationMs ?? 0,
  })
  if (durationMs === undefined) return
  notify(state, 'onToolEnd', call, outcome, durationMs)
  if (!outcome.ok && isSameloopError(outcome.cause, 'tool-fatal')) stopFatally(run, outcome.cause)
}

function notify(
  { run }: AgentState,
  name: 'onToolStart' | 'onToolEnd' | 'onLateResult',
  call: PreparedCall,
  ...rest: readonly unknown[]
): void {
  const hook = run.hooks[name] as ((call: ObservedCall, ...rest: readonly unknown[]) => unknown) | undefined
  if (hook === undefined) return
  const { callId, input, entry } = call
  const observed = { callId, name: entry?.name ?? call.name, uri: entry?.uri ?? '', input, step: run.step, run: run.id }
  observe(
    () => hook(observed, ...rest),
    (message) => reportObserver(run, name satisfies keyof Hooks, message),
  )
}

async function askWithPreview(
  state: AgentState,
  scope: CallScope,
  call: PreparedCall,
  request: ApprovalRequest,
): Promise<Settlement> {
  const entry = call.entry as Entry
  return ask(state.run, call, {
    request: { ...request, preview: await previewOf(scope, call, entry) },
    scope: approvalScope(call, entry),
    tool: entry.name,
    again: (input) => prepareEntry(entry, call.callId, call.name, input),
  })
}

const previewMs = 5000

/** A preview that fails or takes too long is left out: it must not stand between a person and the decision. */
async function previewOf(scope: CallScope, call: PreparedCall, entry: Entry): Promise<Preview | undefined> {
  const { describeCall } = entry.tool
  if (describeCall === undefined) return undefined
  let stopTimer = (): void => {}
  const late = new Promise<undefined>((resolve) => {
    stopTimer = scope.host.timer(previewMs, () => resolve(undefined))
  })
  try {
    return await Promise.race([describeCall(call.input, toolContext(call, entry, scope, noCalls)), late])
  } catch {
    return undefined
  } finally {
    stopTimer()
  }
}

const noCalls = (): Promise<never> => Promise.reject(new SameloopError('config-invalid', 'A preview calls no tools'))
