// Folds the records of a conversation into what a chat shows. Each entry is replaced when it changes, never changed,
// so a drawing can tell by identity what is new.
import type { RunEvent } from '../../src/message/event.ts'
import { isRecord } from '../session/record-shape.ts'
import type { ChatRecord } from '../session/session.ts'
import { append, replace } from './entries.ts'
import type { Transcript } from './entries.ts'
import type { TextEntry } from './entry.ts'
import { endOpenTools, foldTool } from './tool-fold.ts'

/** Takes one record in; one that lacks what is drawn of it is left out. */
export function foldRecord(into: Transcript, record: ChatRecord): void {
  if (!isRecord(record)) return
  switch (record.type) {
    case 'event':
      foldEvent(into, record.event)
      break
    case 'user':
      append(into, { kind: 'user', key: record.id, text: record.text })
      if (into.status === 'idle') into.status = 'starting'
      break
    case 'failure':
      append(into, { kind: 'error', key: record.id, code: record.code, text: record.message })
      if (into.status !== 'waiting') into.status = 'idle'
      break
    case 'interrupted':
    case 'dropped':
      endOpenTools(into, record.type)
      if (record.type === 'interrupted') append(into, { kind: 'end', key: record.id, status: 'interrupted' })
      into.status = 'idle'
      break
    case 'cut':
      append(into, { kind: 'end', key: record.id, status: 'cut' })
      break
    case 'connection':
      into.connection = record.state === 'lost' ? 'lost' : 'ok'
  }
  if (record.type === 'event' && 'delta' in record.event) return
  into.waiting = into.entries.reduce(
    (count, entry) => count + (entry.kind === 'tool' && entry.state === 'waiting' ? 1 : 0),
    0,
  )
  if (into.status === 'running' && into.waiting > 0 && !isWorking(into)) into.status = 'waiting'
  if (into.status === 'waiting' && into.waiting === 0) into.status = 'running'
}

const isWorking = ({ entries }: Transcript): boolean =>
  entries.some((entry) => entry.kind === 'tool' && (entry.state === 'running' || entry.state === 'writing'))

function foldEvent(into: Transcript, event: RunEvent): void {
  // What a sub-agent says is not part of this conversation; what it asks is.
  if (
    event.path !== undefined &&
    event.path.length > 0 &&
    !event.type.startsWith('approval-') &&
    !event.type.startsWith('tool-')
  )
    return
  switch (event.type) {
    case 'run-start':
      into.status = 'running'
      into.model = event.model
      if (event.resumed !== true) append(into, { kind: 'by', key: `by ${event.run}`, model: event.model ?? '' })
      return
    case 'step-start':
      // It begins again where the run was cut off in the middle of it.
      dropStep(into, event)
      return
    case 'text-start':
    case 'reasoning-start': {
      const kind = event.type === 'text-start' ? 'text' : 'reasoning'
      const { run, step, at } = event
      append(into, { kind, key: blockKey(kind, event), run, step, text: '', done: false, startedAt: at })
      return
    }
    case 'text-delta':
    case 'reasoning-delta':
    case 'text-end':
    case 'reasoning-end':
      foldText(into, event)
      return
    case 'source':
      append(into, { kind: 'source', key: `source ${event.run} ${event.seq}`, source: event.source })
      return
    case 'file':
      append(into, { kind: 'file', key: `file ${event.run} ${event.seq}`, file: event.file })
      return
    case 'retry':
      notice(into, event, 'retry', event.reason)
      return
    case 'step-reset':
      dropStep(into, event)
      notice(into, event, 'step-reset', event.reason)
      return
    case 'warning':
      notice(into, event, event.code, event.message)
      return
    case 'error':
      append(into, { kind: 'error', key: `error ${event.run} ${event.seq}`, code: event.code, text: event.message })
      return
    case 'run-end':
      endRun(into, event)
      return
    default:
      foldTool(into, event)
  }
}

type Block = Extract<RunEvent, { readonly step: number; readonly id: string }>

const blockKey = (kind: string, { run, step, id }: Block): string => `${kind} ${run} ${step} ${id}`

function foldText(into: Transcript, event: Block & RunEvent): void {
  const kind = event.type.startsWith('text') ? 'text' : 'reasoning'
  replace(into, blockKey(kind, event), (entry) => {
    const block = entry as TextEntry
    if ('delta' in event) return { ...block, text: block.text + event.delta }
    return { ...block, done: true, endedAt: event.at }
  })
}

function notice(into: Transcript, { run, seq }: RunEvent, code: string, text: string): void {
  append(into, { kind: 'notice', key: `notice ${run} ${seq}`, code, text })
}

/** The half answer of a step that begins again is dropped. */
function dropStep(
  into: Transcript,
  { run, step }: Extract<RunEvent, { readonly type: 'step-reset' | 'step-start' }>,
): void {
  const kept = into.entries.filter((entry) => !('step' in entry && entry.step === step && entry.run === run))
  if (kept.length === into.entries.length) return
  into.entries.splice(0, into.entries.length, ...kept)
  into.places.clear()
  kept.forEach((entry, index) => into.places.set(entry.key, index))
}

function endRun(into: Transcript, { run, seq, status, stop }: Extract<RunEvent, { readonly type: 'run-end' }>): void {
  into.status = status === 'suspended' ? 'waiting' : 'idle'
  closeText(into, run)
  if (status === 'suspended') return
  endOpenTools(into, 'ended')
  const isPlain = status === 'done' || status === 'failed'
  if (!isPlain) append(into, { kind: 'end', key: `end ${run} ${seq}`, status, stop })
}

/** An abort leaves blocks without their end. */
function closeText({ entries }: Transcript, run: string): void {
  entries.forEach((entry, index) => {
    if ((entry.kind === 'text' || entry.kind === 'reasoning') && entry.run === run && !entry.done)
      entries[index] = { ...entry, done: true }
  })
}
