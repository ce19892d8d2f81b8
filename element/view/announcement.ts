// What a screen reader is told: finished sentences, calls that ended, questions. Never single tokens.
import type { Labels } from '../labels.ts'
import { wordFor } from '../labels.ts'
import type { Entry } from './entry.ts'
import { finishedUpTo, spoken } from './sentence.ts'

/** How much of each entry was told. */
export type Told = Map<string, number | string>

/** What is new since the last time. The first call for a restored conversation passes `silent` and tells nothing. */
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
    if (entry.state === 'waiting')
      return `${entry.name}: ${wordFor(labels.states, 'waiting')}. ${entry.request?.preview?.summary ?? ''}`
    if (entry.state === 'done') return `${entry.name}: ${wordFor(labels.states, 'done')}`
    return entry.state === 'failed' ? `${entry.name}: ${wordFor(labels.reasons, entry.reason ?? 'failed')}` : undefined
  }
  if (entry.kind !== 'error' && entry.kind !== 'end') return undefined
  if (told.has(entry.key)) return undefined
  told.set(entry.key, 'told')
  return entry.kind === 'error' ? entry.text : wordFor(labels.stops, entry.stop ?? entry.status)
}
