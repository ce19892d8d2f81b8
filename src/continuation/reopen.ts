// What goes on from a snapshot is checked, prepared anew and refused as a whole before anything runs.
import { checkDecision } from '../approval/answer.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalRequest, Decision } from '../message/decision.ts'
import { sameJson } from '../message/equal.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { Outcome, ToolCallPart } from '../message/part.ts'
import { prepare } from '../registry/prepare.ts'
import type { PreparedCall, ReadyCall } from '../registry/prepare.ts'
import type { Recovery, StartedCall } from './recovery.ts'
import { subRunOf } from '../registry/sub-run.ts'
import { toolList } from '../registry/table.ts'
import type { Entry, ToolTable } from '../registry/table.ts'
import { editedCall } from '../registry/decided.ts'
import { expired, isLate, unknownCall } from '../run/requests.ts'
import { refuse } from '../run/snapshot.ts'
import type { Snapshot } from '../run/snapshot.ts'

/** What a snapshot's body says about calls, whatever drives the run. */
export interface CallsBody {
  /** Snapshots of runs within that wait, by the call that began them. */
  readonly children?: Readonly<Record<string, Json>> | undefined
  /** What people made of the input of calls that began. */
  readonly edits?: Readonly<Record<string, Json>> | undefined
  /** A fingerprint of each tool's input schema, by the name the model sees. */
  readonly tools: Readonly<Record<string, string>>
}

/** Names of tools whose schema changed since the snapshot, or that are gone. */
export function changedTools({ tools }: CallsBody, table: ToolTable): readonly string[] {
  const today = fingerprints(table)
  return Object.keys(tools).filter((name) => tools[name] !== today[name])
}

export interface Reopening {
  readonly tools: ReadonlyMap<string, Entry>
  readonly changed: readonly string[]
  readonly imported: boolean
  /** It was imported before: the run within that goes on was asked about then. */
  readonly wasImported?: boolean | undefined
  readonly recovery?: Recovery | undefined
  /** What was asked. */
  readonly pending: Snapshot['pending']
}

/** Calls that still want an answer, prepared anew. Throws `run-tool-changed` where a tool is among `changed`. */
export function reopened(
  calls: readonly Pick<ToolCallPart, 'callId' | 'name' | 'input'>[],
  { children = {}, edits }: CallsBody,
  { tools, changed, imported, wasImported, recovery, pending }: Reopening,
): readonly PreparedCall[] {
  for (const { callId, name: tool } of calls) {
    const text = `Cannot resume: tool "${tool}" changed since the snapshot, and a call of it waits`
    if (changed.includes(tool)) throw new SameloopError('run-tool-changed', text, { data: { tool, callId } })
  }
  return calls.map((call) => {
    const { callId, input } = call
    const continues = own(children, callId) as Json | undefined
    const why = pending.find((one) => one.callId === callId)?.why
    const isUnknown = why === 'unknown-outcome'
    const begun =
      (own(recovery?.started, callId) as StartedCall | undefined) ??
      (isUnknown ? { attempt: 1, effect: 'unsafe' } : undefined)
    const edited = continues || begun ? (own(edits, callId) as Json | undefined) : undefined
    // What was asked about as an import stays one until somebody has answered.
    const isAsked = imported || why === 'import'
    const prepared = { ...prepare(call, edited ?? input, tools), imported: isAsked || wasImported === true }
    const subRun = prepared.entry && subRunOf(prepared.entry.tool)
    if (continues && !subRun) refuse(`call "${callId}" is of a tool that is no run`)
    const answered = own(recovery?.answered, callId) as Outcome | undefined
    if (answered) return { ...prepared, answered }
    if (continues) return { ...prepared, imported: isAsked, continues }
    // A run within that left nothing behind had done nothing.
    return begun && !subRun ? { ...prepared, attempt: begun.attempt + 1, interrupted: begun.effect } : prepared
  })
}

/** Runs within runs may go no deeper than this: what calls itself would do so for ever. */
export const maxDepth = 50

/** The open calls of the runs within these calls, at any depth. Rejects where one of these runs cannot go on. */
export async function openWithin(calls: readonly PreparedCall[], depth = 0): Promise<readonly PreparedCall[]> {
  if (depth > maxDepth) refuse('its runs are nested too deep')
  const found: PreparedCall[] = []
  for (const { callId, entry, continues } of calls) {
    const inner = entry && continues && (await subRunOf(entry.tool)?.check(continues, depth + 1))
    for (const call of inner || []) found.push({ ...call, callId: `${callId}/${call.callId}` })
  }
  return found
}

/**
 * The decisions by call id, each also for the identical calls that were merged with its own. Throws for one that
 * answers nothing, or does not fit.
 */
export function checkedDecisions(
  decisions: readonly Decision[],
  pending: readonly ApprovalRequest[],
  { open, within, now }: { readonly [key in 'open' | 'within']: readonly PreparedCall[] } & { readonly now: number },
): ReadonlyMap<string, Decision> {
  const byCall = new Map<string, Decision>()
  if (!Array.isArray(decisions)) throw new SameloopError('run-invalid-decision', 'Wanted a list of decisions')
  // Copies: what is checked is what is used.
  const late = pending.filter((one) => isLate(one, now)).map(expired)
  for (const given of [...decisions.map((one: Decision) => ({ ...one })), ...late]) {
    const request = callOf(pending, given)
    if (!request) throw unknownCall(given.callId)
    checkDecision(given, request)
    const decision = isLate(request, now) ? expired(request) : given
    byCall.set(decision.callId, decision)
    const outer = callOf(open, decision)
    const call = outer ?? callOf(within, decision)
    if (!call?.entry) continue
    // What does not fit a call of a sub-agent is asked again.
    if (outer) editedCall(outer as ReadyCall, decision)
    for (const { callId, entry, input } of [...open, ...within]) {
      const isMerged = request.wants === 'decision' && entry?.tool === call.entry.tool && sameJson(input, call.input)
      if (isMerged) byCall.set(callId, { ...decision, callId })
    }
  }
  return byCall
}

const callOf = <Found extends Called>(list: readonly Found[], { callId }: Called): Found | undefined =>
  list.find((one) => one.callId === callId)

interface Called {
  readonly callId: string
}

export const fingerprints = (table: ToolTable): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...toolList(table).entries].map(([name, { definition }]) => [
      name,
      fingerprint(JSON.stringify(definition.inputSchema)),
    ]),
  )

/** FNV-1a over 32 bits: tells schemas apart, protects nothing. */
function fingerprint(text: string): string {
  let value = 0x811c9dc5
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return (value >>> 0).toString(16)
}
