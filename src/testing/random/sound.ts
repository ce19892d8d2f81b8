// What must hold at every exit of a run, whatever models, tools and people did. Each finding is a sentence.
import { own } from '../../json/value.ts'
import type { RunEvent } from '../../message/event.ts'
import type { Message } from '../../message/part.ts'
import type { ModelRequest } from '../../model/model.ts'
import type { RunResult } from '../../run/run.ts'
import { canonicalJson } from '../trace.ts'

const callIds = ({ content }: Message): string[] =>
  content.flatMap((part) => (part.type === 'tool-call' && !part.providerExecuted ? [part.callId] : []))

const resultIds = ({ content }: Message): string[] =>
  content.map((part) => (part.type === 'tool-result' ? part.callId : part.type))

/** Each call has exactly one result, in the one tool message right after it and in call order, and ids are unique. */
export function transcriptFaults(messages: readonly Message[]): string[] {
  const faults: string[] = []
  messages.forEach((message, index) => {
    const calls = message.role === 'assistant' ? callIds(message) : []
    const next = messages[index + 1]
    const results = next?.role === 'tool' ? resultIds(next) : []
    if (canonicalJson(calls) !== canonicalJson(results)) faults.push(`Calls ${calls} are answered by ${results}`)
    if (message.role === 'tool' && messages[index - 1]?.role !== 'assistant') faults.push('Results follow no calls')
  })
  const all = messages.flatMap((message) => callIds(message))
  if (new Set(all).size < all.length) faults.push(`Ids come twice: ${all}`)
  return faults
}

const pendingOf = (messages: readonly Message[]): string[] =>
  (messages.at(-1)?.content ?? []).flatMap((part) =>
    part.type === 'tool-result' && part.reason === 'pending' ? [part.callId] : [],
  )

/** Every call that waits, those of sub-agents under `outer/inner`. */
function pendingIds(body: unknown, prefix = ''): string[] {
  const children = Object.entries((own(body, 'children') ?? {}) as object)
  return [
    ...pendingOf(own(body, 'messages') as readonly Message[]).map((id) => prefix + id),
    ...children.flatMap(([id, child]) => pendingIds(own(child, 'body'), `${prefix}${id}/`)),
  ]
}

const idOf = ({ path = [], callId }: RunEvent & { readonly callId: string }): string => [...path, callId].join('/')

/**
 * Over all events of a conversation so far; `result` is that of its last run. `waited` gathers the calls that ever waited:
 * those of a sub-agent have no end of their own where the call of the sub-agent ends before it goes on.
 */
export function eventFaults(events: readonly RunEvent[], result: RunResult, waited: Set<string>): string[] {
  const faults: string[] = []
  events.forEach(({ seq }, index) => {
    if (seq <= (events[index - 1]?.seq ?? 0)) faults.push(`Event ${seq} follows event ${events[index - 1]?.seq}`)
  })
  const waiting = new Set(pendingIds(result.snapshot.body))
  for (const id of waiting) waited.add(id)
  const count = new Map<string, number>()
  for (const event of events) {
    if (event.type === 'tool-end') count.set(idOf(event), (count.get(idOf(event)) ?? 0) + 1)
  }
  for (const event of events) {
    if (event.type !== 'tool-call') continue
    const id = idOf(event)
    const wanted = waiting.has(id) ? 0 : 1
    const isLeft = wanted === 1 && event.path !== undefined && waited.has(id) && count.has(event.path.join('/'))
    if (isLeft) continue
    if ((count.get(id) ?? 0) !== wanted) faults.push(`Call ${id} has ${count.get(id) ?? 0} ends, wanted ${wanted}`)
  }
  for (const [id, ends] of count) if (ends > 1) faults.push(`Call ${id} ended ${ends} times`)
  return faults
}

/** Over the events of one run. */
export function endFaults(events: readonly RunEvent[], result: RunResult): string[] {
  const faults: string[] = []
  const last = events.at(-1)
  const ends = events.filter(({ type }) => type === 'run-end').length
  if (last?.type !== 'run-end' || ends !== 1) faults.push(`${ends} run-end, and ${last?.type} is the last event`)
  else if (last.status !== result.status || last.stop !== result.stop) faults.push('The last event says another end')
  const { status, pending, snapshot } = result
  if (status === 'suspended' ? pending.length === 0 : pending.length > 0)
    faults.push(`${pending.length} questions are open, and the run is ${status}`)
  if (snapshot.seq !== last?.seq) faults.push(`The snapshot is of event ${snapshot.seq}, the last is ${last?.seq}`)
  if (canonicalJson(JSON.parse(JSON.stringify(result.messages))) !== canonicalJson(result.messages))
    faults.push('The messages are no plain JSON')
  if (result.error?.code === 'run-internal') faults.push(`The run failed of itself: ${result.error.message}`)
  return faults
}

/** What a provider would refuse. */
export function requestFaults(requests: readonly ModelRequest[]): string[] {
  return requests.flatMap(({ messages }) => {
    const isWaiting = messages.some(({ content }) =>
      content.some((part) => part.type === 'tool-result' && part.reason === 'pending'),
    )
    return [...transcriptFaults(messages), ...(isWaiting ? ['The model was asked with a call that waits'] : [])]
  })
}
