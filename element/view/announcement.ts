// What a screen reader is told: finished sentences, calls that ended, questions. Never single tokens.
import type { Labels } from '../labels.ts'
import { wordFor } from '../labels.ts'
import type { Entry } from './entry.ts'
import { finishedUpTo, spoken } from './sentence.ts'
import { visibleText } from './visible.ts'

/** How much of each entry was told. */
export type Told = Map<string, number | string>

/** What is new since the last time. For a conversation that was restored the caller leaves out what the first call gives. */
export function announcements(entries: readonly Entry[], told: Told, labels: Labels): readonly string[] {
  return entries.flatMap((entry) => {
    const words = announcement(entry, told, labels)
    return words === undefined || words === '' ? [] : [words]
  })
}

function announcement(entry: Entry, told: Told, labels: Labels): string | undefined {
  if (entry.kind === 'text') {
    const from = Number(told.get(entry.key) ?? 0)
    if (from >= entry.text.length) return undefined
    const end = entry.done ? entry.text.length : finishedUpTo(entry.text, from)
    told.set(entry.key, end)
    return spoken(entry.text.slice(from, end))
  }
  if (entry.kind === 'tool') {
    if (told.get(entry.key) === entry.state) return undefined
    told.set(entry.key, entry.state)
    const name = visibleText(entry.name)
    if (entry.state === 'waiting')
      return `${name}: ${wordFor(labels.states, 'waiting')}. ${visibleText(entry.request?.preview?.summary ?? '')}`
    if (entry.state === 'done') return `${name}: ${wordFor(labels.states, 'done')}`
    return entry.state === 'failed' ? `${name}: ${wordFor(labels.reasons, entry.reason ?? 'failed')}` : undefined
  }
  if (entry.kind !== 'error' && entry.kind !== 'end') return undefined
  if (told.has(entry.key)) return undefined
  told.set(entry.key, 'told')
  return entry.kind === 'error' ? entry.text : wordFor(labels.stops, entry.stop ?? entry.status)
}
