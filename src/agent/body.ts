// The agent's part of a snapshot: made, and checked before anything of it is used.
import { fingerprints, reopened } from '../continuation/reopen.ts'
import type { CallsBody, Reopening } from '../continuation/reopen.ts'
import { checkMessage, newInput } from '../message/input.ts'
import type { Json } from '../json/value.ts'
import type { Message } from '../message/part.ts'
import { misfit } from '../message/shape.ts'
import type { Shape } from '../message/shape.ts'
import { openCalls } from '../message/transcript.ts'
import type { PreparedCall } from '../registry/prepare.ts'
import { countMisfit, refuse } from '../run/snapshot.ts'
import type { AgentState, Repeat } from './state.ts'

/** The agent's part of a snapshot. */
export interface AgentBody extends CallsBody {
  readonly step: number
  readonly messages: readonly Message[]
  readonly toolCalls: Readonly<Record<string, number>>
  readonly repeats: readonly Repeat[]
  readonly stopNext: AgentState['stopNext']
  /** Said while the run worked, and not yet heard. */
  readonly steering?: readonly Message[] | undefined
  readonly repaired: boolean
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
    edits: state.edits,
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
  edits: 'object or undefined',
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

/**
 * The calls of the last step that still want an answer, prepared anew with today's tools. Throws `run-tool-changed`
 * where one of them is among `changed`, and `run-invalid-snapshot` where pending calls and transcript disagree.
 */
export function openCallsOf(
  messages: readonly Message[],
  body: CallsBody,
  reopening: Reopening,
): readonly PreparedCall[] | undefined {
  const [asked, last] = messages.slice(-2)
  if (last?.role !== 'tool' || !asked) return undefined
  const pending = last.content.flatMap((part) =>
    part.type === 'tool-result' && part.reason === 'pending' ? part.callId : [],
  )
  if (!pending.length) return undefined
  const calls = openCalls(asked).filter(({ callId }) => pending.includes(callId))
  if (calls.length !== pending.length) refuse('a pending result has no call')
  return reopened(calls, body, reopening)
}
