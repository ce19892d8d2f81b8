// How the log of a plan is read: the end of each step is a record, and a call that ended without one has its value.
import type { Json } from '../json/value.ts'
import type { LogRecord } from '../journal/log.ts'
import type { RunEvent } from '../message/event.ts'
import type { Outcome } from '../message/part.ts'
import type { PlanBody, StepRecord } from '../orchestrator/body.ts'
import type { OpenCall } from '../orchestrator/state.ts'
import type { Folded } from './folded.ts'
import type { Kind } from './kind.ts'

interface Mutable extends Omit<PlanBody, 'steps' | 'lists' | 'calls'> {
  readonly steps: StepRecord[]
  lists?: { readonly id: string; readonly items: readonly Json[] }[] | undefined
  calls: readonly OpenCall[]
  toolCalls?: Readonly<Record<string, number>> | undefined
}

const bodyOf = (run: Folded): Mutable => run.body as unknown as Mutable

export const planLog: Kind = {
  begin(run) {
    for (const call of bodyOf(run).calls) run.calls.set(call.callId, call)
  },
  note(run, { type, data }) {
    const event = data as unknown as RunEvent
    if (event.type === 'tool-call') {
      const { callId, name, input } = event
      run.calls.set(callId, { callId, name, input })
    } else if (event.type === 'tool-end' && !event.outcome.ok && event.outcome.reason === 'aborted') {
      // Cancelled with the run, as the end of a step says where it was more than that.
      run.calls.delete(event.callId)
    } else if (type === 'journal-list') (bodyOf(run).lists ??= []).push(data as unknown as StepList)
    else if (type === 'journal-step') ended(run, data)
  },
  end(run) {
    const body = bodyOf(run)
    body.calls = [...run.calls.values()]
    return { isAnswered: false, answered: answersOf(run) }
  },
}

type StepList = NonNullable<Mutable['lists']>[number]

function ended(run: Folded, data: LogRecord['data']): void {
  const body = bodyOf(run)
  const { id, item, status, value, reason, message, because, toolCalls } = data as unknown as StepRecord & Mutable
  body.steps.push({ id, item, status, value, reason, message, because })
  if (toolCalls) body.toolCalls = toolCalls
  run.calls.delete(item === undefined ? id : `${id}.${item}`)
  run.recoveries = 0
  if (item === undefined && body.lists?.length) body.lists = body.lists.filter((list) => list.id !== id)
}

/** The value was written before the end, so it is there. */
function answersOf({ calls, results, values }: Folded): Readonly<Record<string, Outcome>> {
  const answers = [...calls.keys()].flatMap((callId): [string, Outcome][] => {
    const result = results.get(callId)
    if (!result) return []
    const { ok, reason = 'failed', content: parts } = result
    return [[callId, ok ? { ok, value: values.get(callId), parts, final: false } : { ok, reason, parts }]]
  })
  return Object.fromEntries(answers)
}
