// Kills the edge worker after each event of a run with effects, an approval and a resume, and asks what is left.
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Message } from '../../src/message/part.ts'
import { client, ids, secrets } from './client.ts'
import type { Client, Row } from './client.ts'
import { workshop } from './workerd.ts'
import type { Served, Workshop } from './workerd.ts'

let shop: Workshop
let served: Served
let api: Client

async function serve(): Promise<void> {
  served = await shop.serve(secrets)
  api = client(served.url)
}

beforeAll(async () => {
  shop = await workshop('app.ts', { SESSION: 'SessionObject' })
  await serve()
})
afterAll(() => shop?.close())

const work = { name: 'work', input: { milliseconds: 40 } }
const save = (path: string) => ({ name: 'save', input: { path, text: 'x' } })
const script = [
  { text: 'a b', pieces: 2, wait: 30, calls: [work, save('/1'), save('/2')] },
  { text: 'c d', pieces: 2, wait: 30, calls: [{ ...work, input: { milliseconds: 41 } }] },
  { text: 'the end', pieces: 2, wait: 30 },
]

/** Follows the session, approving what it asks, until `enough` events were seen; true when it came to its end before. */
async function drive(
  session: string,
  enough: number,
): Promise<{ readonly rows: readonly Row[]; readonly done: boolean }> {
  const rows: Row[] = []
  for (;;) {
    const left = enough - rows.length
    const part = await api.events(session, rows.length, (seen) => seen.length >= left)
    rows.push(...part.rows)
    if (rows.length >= enough) return { rows, done: false }
    if (part.closed === 'idle') return { rows, done: true }
    if (part.closed !== 'suspended') continue
    const [open] = (await api.state(session)).pending
    if (open === undefined) continue
    const answer = open.why === 'unknown-outcome' ? { result: 'taken as done' } : ({ decision: 'approve' } as const)
    await api.decide(session, { callId: open.callId, ...answer })
  }
}

function checkTranscript(messages: readonly Message[]): void {
  const calls = messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])),
  )
  const results = messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : [])),
  )
  expect(results).toEqual(calls)
  for (const [index, { role, content }] of messages.entries()) {
    const asks = content.some(({ type }) => type === 'tool-call')
    if (role === 'assistant' && asks) expect(messages[index + 1]?.role).toBe('tool')
  }
}

/** How often a word stands in a file, which may be missing. */
async function count(session: string, path: string, word: string): Promise<number> {
  const { body } = await api.send(`/sessions/${session}/file?path=${path}`)
  return typeof body === 'string' ? body.split(word).length - 1 : 0
}

async function checkLeft(session: string, seen: readonly Row[]): Promise<void> {
  const { rows, closed } = await api.events(session)
  expect(rows.slice(0, seen.length)).toEqual(seen)
  expect(ids(rows)).toEqual(rows.map((_, index) => index + 1))
  const seqs = rows.map(({ event }) => event.seq)
  for (const [index, seq] of seqs.entries()) if (index > 0) expect(seq).toBeGreaterThan(seqs[index - 1]!)
  const state = await api.state(session)
  checkTranscript(state.messages)
  if (closed === 'suspended') return
  expect(rows.at(-1)?.event.type).toBe('run-end')
  const results = (state.messages as Message[])
    .flatMap(({ content }) => content)
    .filter(({ type }) => type === 'tool-result')
  expect(results.some((part) => part.type === 'tool-result' && part.reason === 'pending')).toBe(false)
  const ends = rows
    .filter(({ event }) => event.type === 'tool-end')
    .map(({ event }) => (event as { callId: string }).callId)
  expect(ends).toHaveLength(new Set(ends).size)
  const told = new Map(
    rows.flatMap(({ event }) => (event.type === 'tool-end' ? [[event.callId, event.outcome.ok] as const] : [])),
  )
  for (const part of results)
    if (part.type === 'tool-result') expect([part.callId, told.get(part.callId)]).toEqual([part.callId, part.ok])
}

async function sweep(at: number): Promise<boolean> {
  const session = await api.session()
  await api.start(session, script)
  const { rows, done } = await drive(session, at)
  await served.kill()
  await serve()
  await checkLeft(session, rows)
  await drive(session, Infinity)
  await checkLeft(session, rows)
  const { messages } = await api.state(session)
  expect([at, messages.at(-1).content]).toMatchObject([at, [{ text: 'the end' }]])
  expect(await count(session, '/work.log', 'begun')).toBeLessThanOrEqual(2)
  for (const path of ['/1', '/2'])
    expect([at, path, (await count(session, path, 'x\n')) <= 1]).toEqual([at, path, true])
  const { length } = (await api.events(session)).rows
  expect((await api.start(session, 'how many?')).status).toBe(200)
  expect((await api.events(session, length)).rows.at(-1)!.event).toMatchObject({ type: 'run-end', status: 'done' })
  checkTranscript((await api.state(session)).messages)
  return done
}

describe('a kill after the n-th event', () => {
  const every = process.env['SAMELOOP_LONG'] === '1' ? 1 : 9
  it('loses no event, doubles none, runs no call twice, and leaves a conversation that goes on', async () => {
    let at = 1
    for (; at < 100; at += every) if (await sweep(at)) break
    expect(at).toBeGreaterThan(30)
  }, 600_000)
})

describe('a kill while a decision is on its way', () => {
  const every = process.env['SAMELOOP_LONG'] === '1' ? [0, 1, 2, 3, 4, 6, 8, 12, 20, 40, 80] : [0, 4, 12]
  it.each(every)('of %i ms keeps it or forgets it whole, and runs its call at most once', async (delay) => {
    const session = await api.session()
    await api.start(session, [{ calls: [save('/1'), save('/2'), work] }, { text: 'the end' }])
    const { rows } = await api.events(session)
    const { pending } = await api.state(session)
    const answers = Promise.allSettled(
      pending.map(({ callId }: { readonly callId: string }) => api.decide(session, { callId, decision: 'approve' })),
    )
    await sleep(delay)
    await served.kill()
    const told = await answers
    await serve()
    await checkLeft(session, rows)
    for (const [index, answer] of told.entries()) {
      if (answer.status !== 'fulfilled' || answer.value.status !== 200) continue
      const { callId } = pending[index] as { readonly callId: string }
      expect((await api.decide(session, { callId, decision: 'deny' })).body).toMatchObject({ decision: 'approve' })
    }
    if ((await api.state(session)).status === 'suspended') await drive(session, Infinity)
    await checkLeft(session, rows)
    for (const path of ['/1', '/2']) {
      expect(await count(session, path, 'x\n')).toBeLessThanOrEqual(1)
    }
    const { length } = (await api.events(session)).rows
    expect((await api.start(session, 'how many?')).status).toBe(200)
    expect((await api.events(session, length)).rows.at(-1)!.event).toMatchObject({ type: 'run-end', status: 'done' })
  })
})
