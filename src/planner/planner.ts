// The local planner: a model without a model. Fixed rules, no AI, the same answer to the same text and tools.
import type { ModelEvent } from '../message/model-event.ts'
import type { Model, ModelCall, ModelRequest } from '../model/model.ts'
import { throwIfAborted } from '../stream/signal.ts'
import { planTurn } from './plan.ts'
import { readTurn } from './turn.ts'

/** What an interface shows in place of a model's name. */
export const plannerLabel = 'No AI model: rule-based planner'

/**
 * A rule-based planner in a model's place, no AI: it cuts what was typed into clauses, matches each to a tool by the
 * words of its name, description and examples, fills the parameters by their JSON Schema, and asks where something is
 * missing or two tools fit. `/tool key=value` and `/tool {json}` always work. It reads nothing but the messages and the
 * tools of a request, so it goes on after a resume; usage is 0. Its `asksFor: 'effects'` makes every call that is not
 * `read` ask a person first.
 */
// @__NO_SIDE_EFFECTS__
export function localPlanner(): Model {
  return {
    id: 'local-planner',
    provider: 'local',
    capabilities: { asksFor: 'effects' },
    stream: planStream,
  }
}

async function* planStream(request: ModelRequest, { host, signal }: ModelCall): AsyncGenerator<readonly ModelEvent[]> {
  const tools = request.settings.toolChoice === 'none' ? [] : request.tools
  const plan = planTurn(readTurn(request.messages), tools)
  yield [{ type: 'text-start', id: 'text' }]
  for (const delta of pieces(plan.text)) {
    throwIfAborted(signal)
    yield [{ type: 'text-delta', id: 'text', delta }]
  }
  yield [{ type: 'text-end', id: 'text' }]
  for (const [index, { name, input }] of plan.calls.entries()) {
    throwIfAborted(signal)
    yield [{ type: 'tool-input-start', index, callId: host.id('call_'), name }]
    yield [{ type: 'tool-input-delta', index, delta: JSON.stringify(input) }]
  }
  yield [{ type: 'finish', reason: plan.calls.length > 0 ? 'tool-calls' : 'stop', usage: { input: 0, output: 0 } }]
}

/** A text in pieces of a few words. */
const pieces = (text: string): readonly string[] => text.match(/^\s+|(?:\S+\s*){1,3}/g) ?? []
