import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { waterfall } from '../../src/drawing/waterfall.ts'
import { waterfallSvg } from '../../src/drawing/waterfall-svg.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { classes, hostile, readXml, tags, wordsOf } from './pictures.ts'

type Said = { readonly type: RunEvent['type']; readonly at?: number; readonly path?: readonly string[] } & Record<
  string,
  unknown
>

const log = (...events: readonly Said[]): readonly RunEvent[] =>
  events.map((event, index) => ({ seq: index + 1, at: 0, run: 'r', ...event }) as unknown as RunEvent)

const call = (
  callId: string,
  name: string,
  at: number,
): { callId: string; name: string; at: number; step: number } => ({
  callId,
  name,
  at,
  step: 1,
})
const done = { ok: true, parts: [], final: false }
const failed = { ok: false, reason: 'timeout', parts: [] }

const rows = (events: readonly RunEvent[]): readonly unknown[] =>
  waterfall(events).spans.map(({ row, depth, kind, name, startMs, endMs, status }) => [
    ...[row, depth, kind, name],
    ...[startMs, endMs, status],
  ])

const run = log(
  { type: 'run-start', at: 1000 },
  { type: 'step-start', step: 1, at: 1000 },
  { type: 'tool-call', ...call('a', 'search', 1100), input: {} },
  { type: 'tool-start', ...call('a', 'search', 1101), attempt: 1 },
  { type: 'tool-start', ...call('b', 'ask_expert', 1101), attempt: 1 },
  { type: 'step-start', step: 1, at: 1110, path: ['b'] },
  { type: 'tool-start', ...call('a', 'search', 1150), attempt: 2 },
  { type: 'tool-end', ...call('a', 'search', 1180), outcome: done, durationMs: 79 },
  { type: 'tool-call', ...call('x', 'send', 1200), input: {}, path: ['b'] },
  { type: 'approval-request', ...call('b/x', 'send', 1201), reason: 'Sends a mail', path: ['b'] },
  { type: 'run-end', status: 'suspended', stop: 'approval', at: 1202 },
  { type: 'run-start', resumed: true, at: 61_202 },
  { type: 'approval-request', ...call('b/x', 'send', 61_202), reason: 'Sends a mail', path: ['b'] },
  { type: 'approval-response', ...call('b/x', 'send', 61_203), decision: 'approve', path: ['b'] },
  { type: 'tool-start', ...call('x', 'send', 61_203), attempt: 1, path: ['b'] },
  { type: 'tool-end', ...call('x', 'send', 61_303), outcome: failed, durationMs: 100, path: ['b'] },
  { type: 'step-end', step: 1, at: 61_304, path: ['b'] },
  { type: 'tool-end', ...call('b', 'ask_expert', 61_310), outcome: done, durationMs: 60_209 },
  { type: 'step-end', step: 1, at: 61_311 },
  { type: 'run-end', status: 'done', stop: 'end', at: 61_311 },
)

describe('waterfall()', () => {
  it('reads model calls, tries, sub-agents and waits over a suspend, nested as they ran', () => {
    expect(waterfall(run).totalMs).toBe(60_311)
    expect(rows(run)).toEqual([
      [0, 0, 'model', 'step 1', 0, 100, 'ok'],
      [1, 1, 'tool', 'search', 101, 150, 'failed'],
      [1, 1, 'tool', 'search', 150, 180, 'ok'],
      [2, 1, 'tool', 'ask_expert', 101, 60_310, 'ok'],
      [3, 2, 'model', 'step 1', 110, 200, 'ok'],
      [4, 3, 'approval', 'send', 201, 60_203, 'ok'],
      [4, 3, 'tool', 'send', 60_203, 60_303, 'failed'],
    ])
  })

  it('gives a node the row of its one call, and rows to several', () => {
    const events = log(
      { type: 'node-start', node: 'one', kind: 'step' },
      { type: 'node-start', node: 'all', kind: 'step' },
      { type: 'tool-start', ...call('all[0]', 'work', 1), attempt: 1 },
      { type: 'tool-start', ...call('one', 'work', 1), attempt: 1 },
      { type: 'tool-end', ...call('one', 'work', 5), outcome: done },
      { type: 'node-end', node: 'one', status: 'ok', durationMs: 6, at: 6 },
      { type: 'tool-start', ...call('all[1]', 'work', 6), attempt: 1 },
      { type: 'tool-end', ...call('all[1]', 'work', 7), outcome: failed },
      { type: 'node-end', node: 'all', status: 'failed', durationMs: 9, at: 9 },
      { type: 'node-end', node: 'last', status: 'skipped', because: 'all', durationMs: 0, at: 9 },
      { type: 'run-end', status: 'failed', stop: 'failed', at: 10 },
    )
    expect(rows(events)).toEqual([
      [0, 0, 'node', 'one', 0, 6, 'ok'],
      [0, 0, 'tool', 'work', 1, 5, 'ok'],
      [1, 0, 'node', 'all', 0, 9, 'failed'],
      [2, 1, 'tool', 'work', 1, 10, 'failed'],
      [3, 1, 'tool', 'work', 6, 7, 'failed'],
      [4, 0, 'node', 'last', 9, 9, 'skipped'],
    ])
  })

  it('ends a wait with its answer, and shows a denied call as a moment', () => {
    const events = log(
      { type: 'approval-request', ...call('a', 'delete', 0) },
      { type: 'approval-response', ...call('a', 'delete', 40), decision: 'deny', reason: 'no' },
      { type: 'tool-end', ...call('a', 'delete', 40), outcome: { ok: false, reason: 'denied', parts: [] } },
    )
    expect(rows(events)).toEqual([
      [0, 0, 'approval', 'delete', 0, 40, 'cancelled'],
      [0, 0, 'tool', 'delete', 40, 40, 'failed'],
    ])
    expect(waterfall(events).spans[0]?.facts).toContain('answer: deny, no')
  })

  it('lets what has no end last until the log breaks off', () => {
    expect(rows(run.slice(0, 6))).toEqual([
      [0, 0, 'model', 'step 1', 0, 100, 'ok'],
      [1, 1, 'tool', 'search', 101, 110, 'pending'],
      [2, 1, 'tool', 'ask_expert', 101, 110, 'pending'],
      [3, 2, 'model', 'step 1', 110, 110, 'pending'],
    ])
    const aborted = log({ type: 'step-start', step: 1 }, { type: 'run-end', status: 'aborted', stop: 'aborted', at: 5 })
    expect(rows(aborted)).toEqual([[0, 0, 'model', 'step 1', 0, 5, 'cancelled']])
  })

  it('goes on from where it was when the clock is set back', () => {
    const events = log(
      { type: 'step-start', step: 1, at: 5000 },
      { type: 'step-end', step: 1, at: 5100 },
      { type: 'step-start', step: 2, at: 90 },
      { type: 'step-end', step: 2, at: NaN },
      { type: 'step-end', step: 2, at: 140 },
    )
    expect(rows(events)).toEqual([
      [0, 0, 'model', 'step 1', 0, 100, 'ok'],
      [1, 0, 'model', 'step 2', 100, 100, 'ok'],
    ])
    expect(waterfall(events).totalMs).toBe(150)
  })

  it('survives any part of a log in any order, and never has a negative length', () => {
    const shuffled = fc.shuffledSubarray([...run]).map((events) => events)
    const at = fc.oneof(fc.double(), fc.integer())
    fc.assert(
      fc.property(shuffled, fc.array(at), (events, times) => {
        const odd = events.map((event, index) => ({ ...event, at: times[index] ?? event.at }))
        const { spans, totalMs } = waterfall(odd)
        for (const { startMs, endMs } of spans) {
          expect(startMs).toBeLessThanOrEqual(endMs)
          expect(endMs).toBeLessThanOrEqual(totalMs)
        }
        readXml(waterfallSvg(odd))
      }),
    )
  })
})

describe('waterfallSvg()', () => {
  it('draws a row with a sign and a title for each, waits hatched, and says that they are short', () => {
    const picture = readXml(waterfallSvg(run))
    expect(picture.attributes).toMatchObject({
      role: 'img',
      'aria-label': 'Run of 1 min: 2 model calls, 4 tool calls, 1 wait, 2 failed',
    })
    const titles = tags(picture, 'title').map(wordsOf)
    expect(titles).toHaveLength(5)
    expect(titles[4]).toContain('asked: Sends a mail')
    expect(classes(picture, 'g').filter((name) => name.startsWith('sign-'))).toHaveLength(5)
    expect(classes(picture, 'path').filter((name) => name === 'hatch')).toHaveLength(2)
    expect(tags(picture, 'text').map(wordsOf)).toContain('Waiting is drawn short')
  })

  it('keeps bars within the picture, whatever its width', () => {
    for (const width of [0, 700, 1e12, NaN]) {
      const picture = readXml(waterfallSvg(run, { width }))
      const total = Number(picture.attributes['width'])
      expect(total).toBeGreaterThanOrEqual(480)
      for (const { attributes } of tags(picture, 'rect'))
        expect(Number(attributes['x'] ?? 0) + Number(attributes['width'])).toBeLessThanOrEqual(total)
    }
  })

  it('keeps hostile names text', () => {
    const events = log(
      ...hostile.flatMap((name, at) => [
        { type: 'tool-start' as const, ...call(name, name, at), attempt: 1, path: [name] },
        { type: 'node-start' as const, node: name, kind: name, path: [name] },
      ]),
    )
    const picture = readXml(waterfallSvg(events))
    expect(tags(picture, 'script')).toEqual([])
    expect(tags(picture, 'title')).toHaveLength(2 * hostile.length)
    expect(readXml(waterfallSvg([])).attributes['aria-label']).toBe('Run of 0 ms: nothing')
  })

  it('takes ends that are no ends for failures, or for none', () => {
    for (const odd of ['constructor', '__proto__', 'x" onload="a', '\u0000', null, 5, {}]) {
      const events = log(
        { type: 'node-start', node: 'a', kind: 'tool' },
        { type: 'node-end', node: 'a', status: odd },
        { type: 'tool-end', ...call('c', 'work', 1), outcome: { ok: false, reason: odd } },
      )
      expect(waterfall(events).spans.map(({ status }) => status)).toEqual(['pending', 'failed'])
      expect(tags(readXml(waterfallSvg(events)), 'title')).toHaveLength(2)
    }
  })

  it('draws ten thousand calls', () => {
    const many = Array.from({ length: 10_000 }, (_, at) => [
      { type: 'tool-start' as const, ...call(`c${at}`, 'work', at), attempt: 1 },
      { type: 'tool-end' as const, ...call(`c${at}`, 'work', at + 20), outcome: done },
    ])
    expect(waterfallSvg(log(...many.flat())).match(/<title>/g)).toHaveLength(10_000)
  }, 30_000)
})
