// What the attacks on the registry share.
import { expect } from 'vitest'
import type { RunEvent } from '../../src/message/event.ts'
import { calls, eventsOf, made, results, rig, unanswered, within } from '../agent/rig.ts'

export const coded = (code: string): unknown => expect.objectContaining({ code })

/** An object with a method that makes it look like a promise. */
export const thenable = (act: (resolve: (value: unknown) => void, reject: (why: unknown) => void) => void): object =>
  Object.fromEntries([[['th', 'en'].join(''), act]])

/** Plays one call of the tool `a` and returns what must hold for whatever it does. */
export async function played(execute: unknown, more: object = {}, options: object = {}) {
  const { assistant } = rig([calls('a'), 'done'], { tools: [made('a', execute as never, more)], ...options })
  const run = assistant.run('go')
  const events = await within(eventsOf(run), 10_000)
  if (events === 'hung') throw new Error('The run hung')
  const result = await run.result
  expect(unanswered(result.messages)).toEqual([])
  expect(JSON.parse(JSON.stringify(result.messages))).toEqual(result.messages)
  return { events, result, told: results(result.messages)[0] }
}

export const endsOf = (events: readonly RunEvent[]): number => events.filter(({ type }) => type === 'tool-end').length
