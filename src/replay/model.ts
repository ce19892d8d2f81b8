// A model that says again what a log says it said.
import { SameloopError } from '../error/error.ts'
import type { ErrorCode } from '../error/codes.ts'
import { isDelta } from '../message/delta.ts'
import type { RunEvent } from '../message/event.ts'
import type { ModelEvent } from '../message/model-event.ts'
import type { Part, ProviderData } from '../message/part.ts'
import type { Model, ModelCall } from '../model/model.ts'
import { comingEvent, eventOf, nextOf, pieces } from './script.ts'
import type { Script } from './script.ts'

export interface ReplayModel {
  readonly model: Model
  /** Makes the next event happen, where it is the model's to make: whether it was. */
  speak(): boolean
}

interface Turn {
  readonly call: ModelCall
  readonly step: number
  /** What is left of the message that this becomes. */
  readonly parts: Part[]
  give: ((result: IteratorResult<readonly ModelEvent[]>) => void) | undefined
  refuse: (reason: unknown) => void
  hasSpoken: boolean
  isOver: boolean
}

export function replayModel(script: Script, like: Model): ReplayModel {
  let turn: Turn | undefined
  const model: Model = {
    id: like.id,
    provider: like.provider,
    capabilities: like.capabilities,
    stream(_, call) {
      const event = nextOf(script)
      const step = event ? Number(event.data['step']) : 0
      const now: Turn = {
        call,
        step,
        parts: [...(script.answers[0]?.content ?? [])],
        give: undefined,
        refuse: () => {},
        hasSpoken: false,
        isOver: false,
      }
      turn = now
      return {
        [Symbol.asyncIterator]: () => ({
          next: () =>
            now.isOver
              ? Promise.resolve({ done: true, value: undefined })
              : new Promise((resolve, reject) => {
                  now.give = resolve
                  now.refuse = reject
                }),
        }),
      }
    },
  }
  return { model, speak: () => turn?.give !== undefined && speak(script, turn) }
}

function speak(script: Script, turn: Turn): boolean {
  const record = nextOf(script)
  if (!record) return false
  const event = eventOf(record)
  if (event.path !== undefined) return false
  const said = modelEvent(script, turn, event)
  if (said && 'delta' in said)
    return give(
      turn,
      pieces(script, said.delta).map((delta) => ({ ...said, delta })),
    )
  if (said) return give(turn, [said])
  switch (event.type) {
    case 'usage':
      return finish(script, turn, event)
    case 'retry':
      turn.call.onRetry?.(event.attempt, event.delayMs, event.reason)
      return true
    case 'compaction':
      turn.call.onCompaction?.(event.before, event.after)
      return true
    case 'warning':
      turn.call.onWarning?.(event.code, event.message, event.data)
      return true
    case 'step-reset':
      return refuse(turn, new SameloopError('model-truncated', event.reason, { retryable: true }))
    case 'error':
      return refuse(turn, new SameloopError(event.code as ErrorCode, event.message))
    default:
      return false
  }
}

function give(turn: Turn, events: readonly ModelEvent[]): boolean {
  const to = turn.give
  turn.give = undefined
  turn.hasSpoken = true
  to?.({ done: false, value: events })
  return true
}

function refuse(turn: Turn, error: SameloopError): boolean {
  turn.give = undefined
  turn.isOver = true
  turn.refuse(error)
  return true
}

function finish(script: Script, turn: Turn, { usage }: Extract<RunEvent, { readonly type: 'usage' }>): boolean {
  const end = comingEvent(script, 'step-end', ({ step }) => step === turn.step)
  const run = turn.parts.filter((part) => part.type === 'tool-result')
  const results = run.map(({ callId, name, ok, content, providerData }): ModelEvent => {
    const [first] = content
    return { type: 'tool-result', callId, name, ok, value: first?.type === 'json' ? first.value : null, providerData }
  })
  const reason = end?.finish ?? (turn.parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop')
  if (turn.hasSpoken) script.answers.shift()
  turn.isOver = true
  return give(turn, [...results, { type: 'finish', reason, rawReason: end?.rawFinish, usage }])
}

/** The event of a model that makes this event of a run. */
function modelEvent(script: Script, turn: Turn, event: RunEvent): ModelEvent | undefined {
  switch (event.type) {
    case 'text-start':
    case 'reasoning-start':
      return { type: event.type, id: event.id, providerData: blockData(script, turn, event) }
    case 'text-delta':
    case 'reasoning-delta':
      return { type: event.type, id: event.id, delta: event.delta }
    case 'text-end':
    case 'reasoning-end':
      return { type: event.type, id: event.id }
    case 'tool-input-start': {
      const { callId, name } = event
      const part = takePart(turn, (one) => one.type === 'tool-call' && one.name === name)
      const providerExecuted = part?.type === 'tool-call' ? part.providerExecuted : undefined
      return {
        type: event.type,
        index: indexOf(event.id),
        callId,
        name,
        providerExecuted,
        providerData: part?.providerData,
      }
    }
    case 'tool-input-delta':
      return { type: event.type, index: indexOf(event.id), delta: event.delta }
    case 'source':
      return { type: event.type, source: event.source }
    case 'file':
      return { type: event.type, file: event.file }
    default:
      return undefined
  }
}

const indexOf = (id: string): number => Number(id.replace(/^call-/, ''))

function takePart({ parts }: Turn, fits: (part: Part) => boolean): Part | undefined {
  const index = parts.findIndex(fits)
  return index < 0 ? undefined : parts.splice(index, 1)[0]
}

/** Blocks without text and without data are in no message. */
function blockData(
  { records, next }: Script,
  turn: Turn,
  { type, id, step }: Extract<RunEvent, { readonly type: 'text-start' | 'reasoning-start' }>,
): ProviderData | undefined {
  const kind = type === 'text-start' ? 'text' : 'reasoning'
  let text = ''
  for (let index = next; index < records.length; index++) {
    const event = eventOf(records[index] as (typeof records)[number])
    if (event.type === 'step-reset' || event.type === 'step-end') break
    if (isDelta(event) && event.type === `${kind}-delta` && event.id === id && event.step === step) text += event.delta
  }
  return takePart(turn, (part) => part.type === kind && part.text === text)?.providerData
}
