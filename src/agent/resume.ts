// Going on from a snapshot: checked, re-validated and refused as a whole before anything runs.
import { checkDecision } from '../approval/answer.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalRequest, Decision } from '../message/decision.ts'
import { sameJson } from '../message/equal.ts'
import { checkMessage, newInput } from '../message/input.ts'
import { own } from '../json/value.ts'
import type { Json } from '../json/value.ts'
import type { Message, ToolCallPart } from '../message/part.ts'
import { misfit } from '../message/shape.ts'
import type { Shape } from '../message/shape.ts'
import { openCalls } from '../message/transcript.ts'
import { prepare } from '../registry/prepare.ts'
import type { PreparedCall, ReadyCall } from '../registry/prepare.ts'
import { subRunOf } from '../registry/sub-run.ts'
import { toolList } from '../registry/table.ts'
import type { ToolTable } from '../registry/table.ts'
import { editedCall, expired, isLate, unknownCall } from '../run/requests.ts'
import { countMisfit, refuse } from '../run/snapshot.ts'
import type { AgentState, Repeat } from './state.ts'

/** The agent's part of a snapshot. */
export interface AgentBody {
  readonly step: number
  readonly messages: readonly Message[]
  readonly toolCalls: Readonly<Record<string, number>>
  readonly repeats: readonly Repeat[]
  readonly stopNext: AgentState['stopNext']
  /** Said while the run worked, and not yet heard. */
  readonly steering?: readonly Message[] | undefined
  readonly repaired: boolean
  /** Snapshots of sub-agents that wait, by the call that began them. */
  readonly children?: Readonly<Record<string, Json>> | undefined
  /** A fingerprint of each tool's input schema, by the name the model sees. */
  readonly tools: Readonly<Record<string, string>>
}

export function agentBody(state: AgentState): Json {
  const body: AgentBody = {
    step: state.step,
    messages: state.messages,
    toolCalls: Object.fromEntries(state.toolCalls),
    repeats: state.repeats,
    stopNext: state.stopNext,
    steering: state.steering,
    repaired: state.repaired,
    children: state.children,
    tools: fingerprints(state.table),
  }
  return JSON.parse(JSON.stringify(body)) as Json
}

const shape: Shape = {
  step: 'number',
  messages: 'array',
  toolCalls: 'object',
  repeats: 'array',
  tools: 'object',
  steering: 'array or undefined',
  children: 'object or undefined',
  stopNext: [null, 'tool-calls', 'repeated-calls'],
}

/** Throws `run-invalid-snapshot` unless the body of a snapshot is an agent's. */
export function checkedBody(given: unknown): AgentBody & { readonly steering: readonly Message[] } {
  refuse(misfit(given, shape))
  const body = given as AgentBody
  const { step, steering = [], toolCalls, repeats } = body
  refuse(countMisfit({ step, ...toolCalls }))
  for (const one of repeats) refuse(misfit(one, { name: 'string', input: 'value', content: 'array', count: 'number' }))
  Array.from(body.messages).forEach((message, index) => checkMessage(message, `messages[${index}]`))
  newInput(steering)
  return { ...body, steering }
}

/** Names of tools whose schema changed since the snapshot, or that are gone. */
export function changedTools({ tools }: AgentBody, table: ToolTable): readonly string[] {
  const today = fingerprints(table)
  return Object.keys(tools).filter((name) => tools[name] !== today[name])
}

/**
 * The calls of the last step that still want an answer, prepared anew with today's tools. Throws `run-tool-changed`
 * where one of them is among `changed`, and `run-invalid-snapshot` where pending calls and transcript disagree.
 */
export function reopenedCalls(
  { messages, tools }: Pick<AgentState, 'messages' | 'tools'>,
  { children = {} }: AgentBody,
  { changed, imported }: { readonly changed: readonly string[]; readonly imported: boolean },
): readonly PreparedCall[] | undefined {
  const [asked, last] = messages.slice(-2)
  if (last?.role !== 'tool' || !asked) return undefined
  const pending = last.content.flatMap((part) =>
    part.type === 'tool-result' && part.reason === 'pending' ? part.callId : [],
  )
  if (!pending.length) return undefined
  const calls = openCalls(asked).filter(({ callId }) => pending.includes(callId))
  if (calls.length !== pending.length) refuse('a pending result has no call')
  refuseCalls(calls, changed)
  return calls.map((call) => {
    const prepared = { ...prepare(call, call.input, tools), imported }
    const continues = own(children, call.callId) as Json | undefined
    const subRun = prepared.entry && subRunOf(prepared.entry.tool)
    if (continues && !subRun) refuse(`call "${call.callId}" is of no agent`)
    return continues ? { ...prepared, continues } : prepared
  })
}

/** Sub-agents may go no deeper than this: what calls itself would do so for ever. */
export const maxDepth = 50

/** The open calls of the sub-agents of these calls, at any depth. Rejects where one of these agents cannot go on. */
export async function openWithin(calls: readonly PreparedCall[], depth = 0): Promise<readonly PreparedCall[]> {
  if (depth > maxDepth) refuse('its agents are nested too deep')
  const found: PreparedCall[] = []
  for (const { callId, entry, continues } of calls) {
    const inner = entry && continues && (await subRunOf(entry.tool)?.check(continues, depth + 1))
    for (const call of inner || []) found.push({ ...call, callId: `${callId}/${call.callId}` })
  }
  return found
}

function refuseCalls(calls: readonly Pick<ToolCallPart, 'callId' | 'name'>[], changed: readonly string[]): void {
  for (const { callId, name: tool } of calls) {
    const text = `Cannot resume: tool "${tool}" changed since the snapshot, and a call of it waits`
    if (changed.includes(tool)) throw new SameloopError('run-tool-changed', text, { data: { tool, callId } })
  }
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

const fingerprints = (table: ToolTable): Readonly<Record<string, string>> =>
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
