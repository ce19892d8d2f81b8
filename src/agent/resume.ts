// Going on from a snapshot: checked, re-validated and refused as a whole before anything runs.
import { checkDecision } from '../approval/answer.ts'
import { SameloopError } from '../error/error.ts'
import type { ApprovalRequest, Decision } from '../message/decision.ts'
import { sameJson } from '../message/equal.ts'
import { checkMessage } from '../message/input.ts'
import type { Json, Message, ToolCallPart } from '../message/part.ts'
import { contentText } from '../message/text.ts'
import { openCalls } from '../message/transcript.ts'
import { prepare, prepareEntry } from '../registry/prepare.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { allTools } from '../registry/table.ts'
import type { ToolTable } from '../registry/table.ts'
import type { Snapshot } from '../run/snapshot.ts'
import type { AgentState, Repeat } from './state.ts'

/** The agent's part of a snapshot. */
export interface AgentBody {
  readonly step: number
  readonly messages: readonly Message[]
  readonly toolCalls: Readonly<Record<string, number>>
  readonly repeats: readonly Repeat[]
  readonly stopNext: AgentState['stopNext'] | null
  readonly repaired: boolean
  /** A fingerprint of each tool's input schema, by the name the model sees. */
  readonly tools: Readonly<Record<string, string>>
}

export function agentBody(state: AgentState): Json {
  const body: AgentBody = {
    step: state.run.step,
    messages: state.messages,
    toolCalls: Object.fromEntries(state.toolCalls),
    repeats: state.repeats,
    stopNext: state.stopNext ?? null,
    repaired: state.repaired,
    tools: fingerprints(state.table),
  }
  return JSON.parse(JSON.stringify(body)) as Json
}

const invalid = (why: string): SameloopError => new SameloopError('run-invalid-snapshot', `Cannot resume: ${why}`)

/** Throws `run-invalid-snapshot` unless the body of a snapshot is an agent's. */
export function bodyOf(snapshot: Snapshot): AgentBody {
  const body = snapshot.body as unknown as Partial<AgentBody>
  const { messages, step, toolCalls, repeats, tools } = body
  if (!Array.isArray(messages) || !Number.isSafeInteger(step)) throw invalid('the messages or the step are missing')
  messages.forEach((message: unknown, index) => checkMessage(message, `messages[${index}]`))
  if (typeof toolCalls !== 'object' || toolCalls === null || !Array.isArray(repeats)) throw invalid('the counters are missing')
  if (typeof tools !== 'object' || tools === null) throw invalid('the tool fingerprints are missing')
  return body as AgentBody
}

/**
 * The calls of the last step that still want an answer, prepared anew with today's tools. Throws `run-tool-changed`
 * where the schema of one of them changed, and `run-invalid-snapshot` where pending calls and transcript disagree.
 */
export function reopenedCalls(body: AgentBody, table: ToolTable): readonly PreparedCall[] | undefined {
  const last = body.messages.at(-1)
  const asked = body.messages.at(-2)
  if (last?.role !== 'tool' || asked === undefined) return undefined
  const open = new Set(last.content.flatMap((part) => (part.type === 'tool-result' && part.reason === 'pending' ? [part.callId] : [])))
  if (open.size === 0) return undefined
  const calls = openCalls(asked).filter((call) => open.has(call.callId))
  if (calls.length !== open.size) throw invalid('a pending result answers no call of its step')
  const today = fingerprints(table)
  return calls.map((call) => reopened(call, body, { table, today }))
}

function reopened(
  call: ToolCallPart,
  body: AgentBody,
  now: { readonly table: ToolTable; readonly today: Readonly<Record<string, string>> },
): PreparedCall {
  const before = Object.hasOwn(body.tools, call.name) ? body.tools[call.name] : undefined
  if (before !== now.today[call.name]) {
    throw new SameloopError('run-tool-changed', `Cannot resume: the input schema of tool "${call.name}" changed while a call of it waits`, {
      data: { tool: call.name, callId: call.callId },
    })
  }
  return prepare(allTools(now.table), call.callId, call.name, call.input)
}

/** Names of tools whose schema changed since the snapshot, or that are gone. */
export function changedTools(body: AgentBody, table: ToolTable): readonly string[] {
  const today = fingerprints(table)
  return Object.keys(body.tools).filter((name) => body.tools[name] !== today[name])
}

/**
 * The decisions by call id, each also for the identical calls that were merged with its own. Throws for one that answers
 * nothing, or does not fit.
 */
export function checkedDecisions(
  decisions: readonly Decision[],
  pending: readonly ApprovalRequest[],
  open: readonly PreparedCall[],
): ReadonlyMap<string, Decision> {
  const byCall = new Map<string, Decision>()
  for (const decision of decisions) {
    const request = pending.find(({ callId }) => callId === decision.callId)
    if (request === undefined) {
      const callId = String(decision.callId).slice(0, 100)
      throw new SameloopError('run-unknown-call', `The snapshot has no pending call "${callId}"`, { data: { callId } })
    }
    checkDecision(decision, request)
    const call = open.find(({ callId }) => callId === decision.callId)
    if (call !== undefined) checkEdit(decision, call)
    byCall.set(decision.callId, decision)
    for (const { callId, name, input } of open) {
      const isMerged = call !== undefined && name === call.name && sameJson(input, call.input)
      if (isMerged && request.wants === 'decision') byCall.set(callId, { ...decision, callId })
    }
  }
  return byCall
}

/** An edited input must fit before anything runs. */
function checkEdit(decision: Decision, call: PreparedCall): void {
  if ('result' in decision || decision.input === undefined || call.entry === undefined) return
  const { failed } = prepareEntry(call.entry, call.callId, call.name, decision.input)
  if (failed !== undefined) throw new SameloopError('run-invalid-decision', `The edited input does not fit: ${contentText(failed.parts)}`, { data: { callId: call.callId } })
}

function fingerprints(table: ToolTable): Record<string, string> {
  const found: Record<string, string> = Object.create(null) as Record<string, string>
  for (const [name, { definition }] of allTools(table)) found[name] = fingerprint(JSON.stringify(definition.inputSchema))
  return found
}

/** FNV-1a over 32 bits, twice with other starts: tells schemas apart, protects nothing. */
function fingerprint(text: string): string {
  return [0x811c9dc5, 0x01000193].map((start) => hash(text, start).toString(16).padStart(8, '0')).join('')
}

function hash(text: string, start: number): number {
  let value = start
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193)
  return value >>> 0
}
