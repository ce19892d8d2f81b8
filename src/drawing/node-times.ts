// How long nodes took and how they ended, from the events of a run.
import type { RunEvent } from '../message/event.ts'
import type { StepStatus } from '../plan/step.ts'
import { statusOf } from './graph.ts'

export interface NodeTime {
  /** Of all its visits. */
  readonly durationMs?: number | undefined
  readonly status: StepStatus
}

/** Of the outermost nodes in the log: what ran within them has nodes of its own, whose ids may be the same. */
export function nodeTimes(events: readonly RunEvent[] = []): ReadonlyMap<string, NodeTime> {
  const depthOf = ({ path }: RunEvent): number => (Array.isArray(path) ? path.length : 0)
  const ofNodes = events.filter(({ type }) => type === 'node-start' || type === 'node-end')
  const depth = ofNodes.reduce((least, event) => Math.min(least, depthOf(event)), Infinity)
  const times = new Map<string, NodeTime>()
  for (const event of ofNodes) {
    if (depthOf(event) !== depth) continue
    if (event.type === 'node-start')
      times.set(event.node, { durationMs: times.get(event.node)?.durationMs, status: 'pending' })
    if (event.type !== 'node-end') continue
    const { durationMs } = event
    const status = statusOf(event.status) ?? 'pending'
    const before = times.get(event.node)?.durationMs
    const isKnown = status !== 'skipped' && Number.isFinite(durationMs) && durationMs >= 0
    times.set(event.node, { durationMs: isKnown ? (before ?? 0) + durationMs : before, status })
  }
  return times
}
