// A model that says what a script tells it: for tests, examples and demonstrations, the same in every runtime.
import type { ErrorCode } from '../error/codes.ts'
import { SameloopError } from '../error/error.ts'
import type { FinishReason, ModelEvent } from '../message/model-event.ts'
import type { Json } from '../json/value.ts'
import type { ProviderData } from '../message/part.ts'
import type { Usage } from '../message/usage.ts'
import { stringifyJson } from '../json/text.ts'
import { sleep, throwIfAborted } from '../stream/signal.ts'
import type { Model, ModelCall, ModelCapabilities, ModelRequest } from './model.ts'

export interface ScriptedCall {
  readonly name: string
  /** Default `{}`. */
  readonly input?: Json | undefined
  /** The argument text as it is, in the place of `input`: for broken JSON. */
  readonly raw?: string | undefined
  /** Default `call_1`, `call_2`, … over the model's life; `null`: the model gave none. */
  readonly callId?: string | null | undefined
  readonly providerExecuted?: boolean | undefined
  readonly providerData?: ProviderData | undefined
}

/** A string is text. A model event is taken as it is. The rest says what it is by its key. */
export type ScriptedItem =
  | string
  | ModelEvent
  | { readonly text: string; readonly providerData?: ProviderData | undefined }
  | { readonly reasoning: string; readonly providerData?: ProviderData | undefined }
  | { readonly calls: readonly ScriptedCall[] }
  /** Thrown at this point: an error as it is, or what a `SameloopError` is made of. */
  | { readonly error: Error | ScriptedError }
  /** Waits on the host's clock, abortable. */
  | { readonly wait: number }
  /** Ends the turn; without it a turn ends by itself. */
  | { readonly finish: FinishReason; readonly rawReason?: string | undefined; readonly usage?: Usage | undefined }
  /** The usage of a turn that ends by itself. */
  | { readonly usage: Usage }

export interface ScriptedError {
  readonly code: ErrorCode
  readonly message: string
  readonly retryable?: boolean | undefined
  readonly data?: Readonly<Record<string, unknown>> | undefined
}

export type ScriptedTurn =
  | ScriptedItem
  | readonly ScriptedItem[]
  | ((request: ModelRequest, turn: number) => ScriptedTurn | Promise<ScriptedTurn>)

export interface ScriptedOptions {
  /** Default `scripted`. */
  readonly id?: string | undefined
  /** Default `scripted`. */
  readonly provider?: string | undefined
  readonly capabilities?: ModelCapabilities | undefined
  /** The longest piece, in characters, in which text and arguments stream. Default: whole. */
  readonly chunk?: number | undefined
}

export interface ScriptedModel extends Model {
  /** The requests so far, each with its messages as they were then. */
  readonly requests: readonly ModelRequest[]
}

/** What a turn has said so far. */
interface Telling {
  readonly chunk: number
  readonly callId: () => string
  blocks: number
  calls: number
  usage: Usage
  finished: boolean
}

/** Pieces of at most `size` code units that never cut a surrogate pair. */
function pieces(text: string, size: number): readonly string[] {
  const parts: string[] = []
  for (let at = 0; at < text.length;) {
    let end = Math.min(at + size, text.length)
    if (end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))) end++
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

/** One array per network chunk. */
function block(
  telling: Telling,
  kind: 'text' | 'reasoning',
  text: string,
  providerData?: ProviderData,
): ModelEvent[][] {
  const id = String(telling.blocks++)
  const deltas = pieces(text, telling.chunk).map((delta): ModelEvent[] => [{ type: `${kind}-delta`, id, delta }])
  return [[{ type: `${kind}-start`, id }], ...deltas, [{ type: `${kind}-end`, id, providerData }]]
}

function call(telling: Telling, scripted: ScriptedCall): ModelEvent[][] {
  const { name, input = {}, raw, callId = telling.callId(), providerExecuted, providerData } = scripted
  const index = telling.calls++
  const start = {
    type: 'tool-input-start',
    index,
    callId: callId ?? undefined,
    name,
    providerExecuted,
    providerData,
  } as const
  const text = raw ?? stringifyJson(input)
  return [
    [start],
    ...pieces(text, telling.chunk).map((delta): ModelEvent[] => [{ type: 'tool-input-delta', index, delta }]),
  ]
}

function failure(error: Error | ScriptedError): Error {
  if (error instanceof Error) return error
  return new SameloopError(error.code, error.message, { data: error.data, retryable: error.retryable })
}

/** The chunks of one item; waiting and failing are the caller's. */
function chunks(telling: Telling, item: Exclude<ScriptedItem, { wait: number } | { error: unknown }>): ModelEvent[][] {
  if (typeof item === 'string') return block(telling, 'text', item)
  if ('type' in item) {
    if (item.type === 'finish') telling.finished = true
    if (item.type === 'tool-input-start') telling.calls = Math.max(telling.calls, item.index + 1)
    return [[item]]
  }
  if ('text' in item) return block(telling, 'text', item.text, item.providerData)
  if ('reasoning' in item) return block(telling, 'reasoning', item.reasoning, item.providerData)
  if ('calls' in item) return item.calls.flatMap((scripted) => call(telling, scripted))
  if (item.usage) telling.usage = item.usage
  if (!('finish' in item)) return []
  telling.finished = true
  return [[{ type: 'finish', reason: item.finish, rawReason: item.rawReason, usage: telling.usage }]]
}

async function* tell(
  telling: Telling,
  items: readonly ScriptedItem[],
  { host, signal }: ModelCall,
): AsyncGenerator<ModelEvent[]> {
  for (const item of items) {
    throwIfAborted(signal)
    if (typeof item === 'object' && 'wait' in item) await sleep(host, item.wait, signal)
    else if (typeof item === 'object' && 'error' in item) throw failure(item.error)
    else {
      for (const events of chunks(telling, item)) {
        throwIfAborted(signal)
        yield events
      }
    }
    if (telling.finished) return
  }
  yield [{ type: 'finish', reason: telling.calls > 0 ? 'tool-calls' : 'stop', usage: telling.usage }]
}

/**
 * A model that answers request number n with turn n of the script; a request without a turn is `model-script`.
 * A turn ends with `tool-calls` where it made calls, else with `stop`, unless it says otherwise.
 */
export function scriptedModel(turns: readonly ScriptedTurn[], options: ScriptedOptions = {}): ScriptedModel {
  const requests: ModelRequest[] = []
  let ids = 0
  return {
    id: options.id ?? 'scripted',
    provider: options.provider ?? 'scripted',
    capabilities: options.capabilities ?? {},
    requests,
    async *stream(request, modelCall) {
      const number = requests.push({ ...request, messages: [...request.messages] })
      let turn = turns[number - 1]
      if (turn === undefined) {
        const message = `Cannot answer request ${number}: the script has ${turns.length} turns`
        throw new SameloopError('model-script', message, { data: { turns: turns.length } })
      }
      while (typeof turn === 'function') turn = await turn(request, number)
      const chunk = Math.max(1, options.chunk ?? Infinity)
      const telling: Telling = { chunk, callId: () => `call_${++ids}`, blocks: 0, calls: 0, usage: {}, finished: false }
      yield* tell(telling, Array.isArray(turn) ? turn : [turn as ScriptedItem], modelCall)
    },
  }
}
