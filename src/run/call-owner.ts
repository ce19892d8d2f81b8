// What the call path needs, answered by a run.
import { isSameloopError } from '../error/error.ts'
import type { SameloopError } from '../error/error.ts'
import type { ApprovalRequest } from '../message/decision.ts'
import { publicOutcome, thrownFailure } from '../message/outcome.ts'
import type { Failure } from '../message/outcome.ts'
import type { Outcome } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import type { PreparedCall, ReadyCall } from '../registry/prepare.ts'
import { isPending, tooLate } from '../registry/perform.ts'
import { previewOf } from '../registry/preview.ts'
import type { CallEvent, CallOwner, Keeping } from '../registry/scope.ts'
import { subRunOf } from '../registry/sub-run.ts'
import { toolList } from '../registry/table.ts'
import type { Entry } from '../registry/table.ts'
import type { ObservedCall } from '../observer/hooks.ts'
import type { FileChange } from '../overlay/change.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { record, saved } from './log.ts'
import { stopFatally } from './machine.ts'
import { openRequest, reconsider } from './requests.ts'
import { callHook, emit, homeId, homeOf, isWithinTool, pathOf, warn } from './state.ts'
import type { RunState } from './state.ts'
import { cut, plainJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'

/** Makes events of what happens to a call, and tells the hooks. Plain literals: spreading costs more than the rest. */
function report(run: RunState, call: PreparedCall, event: CallEvent): void {
  const { callId, name, attempt } = call
  const { step } = run
  // What a tool still does in the background is no part of a run that has ended.
  if (run.ended && event.type !== 'late-result') return
  if (event.type === 'tool-start') {
    emit(run, { type: event.type, step, callId, name, attempt })
    if (run.options.hooks) callHook(run, 'onToolStart', observed(run, call))
  } else if (event.type === 'tool-progress') {
    emit(run, { type: event.type, step, callId, name, value: event.value })
  } else {
    const { type, outcome, durationMs } = event
    if (type === 'late-result') {
      const text = cut(contentText(outcome.parts), 200)
      warn(run, type, `Tool "${name}" answered too late: ${text}`, { callId, ok: outcome.ok })
      return callHook(run, 'onLateResult', observed(run, call), outcome)
    }
    if (run.children) run.children = without(run.children, callId)
    if (run.edits) run.edits = without(run.edits, callId)
    // Before the event, and in the same breath: who reads the log finds both, or neither.
    if (run.driver.keepsValues && outcome.ok && homeOf(run).journal)
      record(run, 'journal-value', { callId, value: plainJson(outcome.value) })
    emit(run, { type, step, callId, name, outcome: publicOutcome(outcome), durationMs: durationMs ?? 0 })
    if (durationMs === undefined) return
    if (run.options.hooks) callHook(run, 'onToolEnd', observed(run, call), outcome, durationMs)
    if (!outcome.ok && isSameloopError(outcome.cause, 'tool-fatal')) stopFatally(run, outcome.cause)
  }
}

function without(all: Readonly<Record<string, Json>>, key: string): Readonly<Record<string, Json>> {
  const { [key]: _, ...others } = all
  return others
}

const observed = (run: RunState, call: PreparedCall): ObservedCall => ({
  callId: call.callId,
  name: call.entry?.name ?? call.name,
  uri: call.entry?.uri ?? '',
  input: call.input,
  step: run.step,
  run: run.id,
})

async function ask(state: RunState, call: ReadyCall, request: ApprovalRequest): Promise<PreparedCall | Outcome> {
  // What was decided is not shown again, or a tool would take a later state of the world for the one that was approved.
  const preview = homeOf(state).ahead?.has(homeId(state, call.callId)) ? undefined : await previewOf(state, call)
  const { parent } = state
  const { callId, depth, input } = call
  if (parent && isStopped(state)) return tooLate()
  const id = homeId(state, callId)
  const settled = await (parent
    ? openRequest(
        homeOf(state),
        { ...call, callId: id, depth: isWithinTool(state) ? 1 : depth },
        { ...request, callId: id, preview, path: pathOf(state) },
      )
    : openRequest(state, call, { ...request, preview }))
  if ('ok' in settled) {
    if (parent && isPending(settled)) state.pending = [...state.pending, request]
    return settled
  }
  // Should it be cut off, or wait, it goes on with this.
  if (settled.input !== input && !depth) {
    state.edits = { ...state.edits, [callId]: settled.input }
    record(state, 'journal-edit', { callId, input: settled.input })
  }
  return { ...settled, callId, depth }
}

/** Nobody is asked for a run that ends, or that is within one. */
const isStopped = ({ stopped, parent }: RunState): boolean => stopped || (parent !== undefined && isStopped(parent.run))

/** The first of them stands for the tool that waits for it. */
function beside(state: RunState, count: 1 | -1): void {
  const home = homeOf(state)
  home.working += count
  reconsider(home)
}

const isGone = ({ table }: RunState, { definition, tool }: Entry): boolean =>
  toolList(table).entries.get(definition.name)?.tool !== tool

/** A store hears of a call before it begins, unless it could be made again without harm. */
function keep(run: RunState, call: ReadyCall): Keeping | undefined {
  const home = homeOf(run)
  const { journal } = home
  const { callId, effect, entry, fs: outer, depth } = call
  // A run within writes its own log.
  if (!journal || effect === 'read' || subRunOf(entry.tool)) return undefined
  const isLocal = effect === 'local' && !outer
  const work = isLocal ? journal.work(filesOf(run)) : undefined
  let changes: readonly FileChange[] = []
  // What a call within another one changed stays changed when the outer one is made again.
  record(run, 'journal-start', { callId, effect: isLocal && (!work || depth) ? 'unsafe' : effect })
  return {
    known: saved(run)?.catch((thrown: SameloopError) => stopFatally(home, thrown)),
    fs: work && run.policies.reduce((files, policy) => policy.confineFiles(files), work.fs),
    async settle(outcome, isOver) {
      if (!work || !outcome.ok) return outcome
      try {
        changes = await work.changes()
        if (isOver()) work.release()
        return outcome
      } catch (thrown) {
        work.release()
        return thrownFailure(thrown)
      }
    },
    async done({ ok }) {
      // Who waits for it hears if it fails.
      await journal.commit(ok ? changes : [])?.catch(() => {})
      work?.release()
    },
  }
}

/** Whose files a run works on, before they are confined. */
const filesOf = ({ options, parent }: RunState): Vfs | undefined => options.env?.fs ?? (parent && filesOf(parent.run))

const admit = (run: RunState, call: PreparedCall): Failure | undefined => run.driver.admit?.(run, call)

/** What the call path needs, done by a run. */
export const callOwner: CallOwner = { admit, beside, isGone, ask, report, keep }
