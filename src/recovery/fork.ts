// Another course from an earlier point of a run: another model, another prompt, another result.
import { partsOf } from '../continuation/runner.ts'
import { SameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import type { LogRecord } from '../journal/log.ts'
import type { Json } from '../json/value.ts'
import type { Message, ToolResultPart } from '../message/part.ts'
import { openCalls } from '../message/transcript.ts'
import type { Snapshot } from '../run/snapshot.ts'
import { rebuild } from './rebuild.ts'
import type { RecoverOptions, Runner } from './recover.ts'

/** What is to be otherwise. Another model or other instructions are those of the agent that is passed in. */
export interface ForkChanges extends Omit<RecoverOptions, 'store' | 'run' | 'maxAttempts' | 'decisions'> {
  /** Where the new run's log is kept. Default: the environment's store. */
  readonly store?: RecoverOptions['store'] | undefined
  /** Of the new run. Default: a new one. */
  readonly id?: string | undefined
  /** Other results for calls that were answered, by call id. */
  readonly results?: Readonly<Record<string, Pick<ToolResultPart, 'content'> & Partial<ToolResultPart>>> | undefined
  /** The messages that it goes on from, changed at will. */
  readonly messages?: ((messages: readonly Message[]) => readonly Message[]) | undefined
}

/**
 * Goes on from the last step that had ended by `seq`, an event's, as a new run. Like an import it has none of the rights
 * that were given in the first one: open calls are asked about again, whoever wrote the log. Rejects with `run-unknown-call` for a
 * result of a call that was not made by then, and with `journal-invalid` where the run had not begun.
 */
export async function fork<Started>(
  runner: Runner<Started>,
  log: readonly LogRecord[],
  seq: number,
  {
    id = (partsOf(runner)?.setup.host ?? webHost).id('run_'),
    results = {},
    messages = (same) => same,
    ...options
  }: ForkChanges = {},
): Promise<Started> {
  const { snapshot } = rebuild(untilStep(log, seq))
  const body = snapshot.body as { readonly messages?: readonly Message[] }
  const changed = body.messages && messages(withResults(body.messages, results))
  // An answer is given anew, unless somebody says something to it.
  const last = changed?.at(-1)
  const isAnswer = last?.role === 'assistant' && !openCalls(last).length && options.input === undefined
  const from: Snapshot = {
    ...snapshot,
    run: id,
    seq: 0,
    ...(isAnswer ? { status: 'stopped', stop: 'custom' } : {}),
    body: (changed ? { ...body, messages: isAnswer ? changed.slice(0, -1) : changed } : body) as unknown as Json,
  }
  // As JSON: what only a log can say of a run that was cut off is not said of this one.
  return runner.resume(JSON.parse(JSON.stringify(from)) as Snapshot, [], { ...options, trust: 'import' })
}

/** The log up to the end of a step. */
function untilStep(log: readonly LogRecord[], seq: number): readonly LogRecord[] {
  const isBoundary = ({ type, data }: LogRecord): boolean =>
    data['path'] === undefined && Number(data['seq']) <= seq && ['journal-open', 'step-end', 'run-end'].includes(type)
  const last = log.reduce((found, record, index) => (isBoundary(record) ? index : found), -1)
  if (last < 0) throw new SameloopError('journal-invalid', `Cannot fork: the run had not begun at ${seq}`)
  return log.slice(0, last + 1)
}

function withResults(messages: readonly Message[], results: NonNullable<ForkChanges['results']>): readonly Message[] {
  const open = new Set(Object.keys(results))
  const changed = messages.map((message) => {
    if (message.role !== 'tool' || !open.size) return message
    const content = message.content.map((part) => {
      const result =
        part.type === 'tool-result' && Object.hasOwn(results, part.callId) ? results[part.callId] : undefined
      if (!result || part.type !== 'tool-result') return part
      open.delete(part.callId)
      return { ...part, ok: true, reason: undefined, ...result }
    })
    return { ...message, content }
  })
  const [callId] = open
  if (callId === undefined) return changed
  throw new SameloopError('run-unknown-call', `Cannot fork: call "${callId}" has no result there`, { data: { callId } })
}
