// Sessions whose tables were damaged, or are as a crash in a moment that no kill hits leaves them: every answer says what
// is wrong, and nothing is done or said twice.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, secrets } from './client.ts'
import type { Client } from './client.ts'
import { workshop } from './workerd.ts'
import type { Workshop } from './workerd.ts'

let shop: Workshop
let api: Client

beforeAll(async () => {
  shop = await workshop('app.ts', { SESSION: 'SessionObject' })
  api = client((await shop.serve(secrets)).url)
})
afterAll(() => shop?.close())

const script = [
  { text: 'first', calls: [{ name: 'work', input: { milliseconds: 10 } }] },
  { calls: [{ name: 'save', input: { path: '/saved', text: 'x' } }] },
  { text: 'the end' },
]

const callOf = async (session: string): Promise<string> => (await api.state(session)).pending[0].callId as string

/** A session that waits for a decision, in a new object over the tables as the SQL leaves them. */
async function tampered(sql: string | ((callId: string) => string)): Promise<{ session: string; callId: string }> {
  const session = await api.session()
  await api.start(session, script)
  expect((await api.events(session)).closed).toBe('suspended')
  const callId = await callOf(session)
  const body = typeof sql === 'string' ? sql : sql(callId)
  await api.send(`/sessions/${session}/file?path=/tamper.sql`, { method: 'PUT', body })
  return { session, callId }
}

const read = async (session: string, path: string) => (await api.send(`/sessions/${session}/file?path=${path}`)).body
const chunk = (owner: string, text: string): string =>
  `INSERT OR REPLACE INTO blob_chunks VALUES ('${owner}', 0, CAST('${text}' AS BLOB))`

/** What asking for the state, deciding and starting is answered with: a code of ours, or "ok". */
async function answers(session: string, callId: string): Promise<readonly string[]> {
  const asked = [
    () => api.send(`/sessions/${session}`),
    () => api.decide(session, { callId, decision: 'approve' }),
    () => api.post(`/sessions/${session}/stop`, {}),
    () => api.start(session, 'how many?'),
  ]
  const told: string[] = []
  for (const ask of asked) {
    const { body } = await ask()
    told.push(String(body.error?.code ?? 'ok'))
    // What goes on comes to its end.
    await api.events(session, 0, ({ length }) => length > 1000).catch(() => undefined)
  }
  return told
}

const damages: readonly (readonly [what: string, sql: string, answers: string])[] = [
  ['messages', chunk('messages', '[{"role"'), 'journal-invalid ok ok ok'],
  ['messages that are none', chunk('messages', '{"length":1}'), 'journal-invalid ok ok ok'],
  ['questions', chunk('pending', '{'), 'journal-invalid ok ok ok'],
  ['a record', "UPDATE store_records SET data = 'nonsense' WHERE seq = 3", 'ok journal-invalid ok ok'],
  ['a record that is missing', 'DELETE FROM store_records WHERE seq = 3', 'ok journal-invalid ok ok'],
  ['a record whose text is gone', 'UPDATE store_records SET data = NULL WHERE seq = 4', 'ok journal-invalid ok ok'],
  [
    'a log of a newer program',
    `UPDATE store_records SET data = replace(data, '"version":1', '"version":2')`,
    'ok journal-version ok ok',
  ],
  ['a log that is gone', 'DELETE FROM store_records', 'ok journal-unknown-run ok ok'],
  ['events', "UPDATE events SET data = '{' WHERE seq > 2", 'ok ok ok ok'],
  ['a lease of nobody', 'UPDATE store_runs SET epoch = 99', 'ok ok ok ok'],
  [
    'a session of a newer program',
    "UPDATE meta SET value = '2' WHERE key = 'schema_version'",
    'journal-version journal-version journal-version journal-version',
  ],
  [
    'a store of a newer program',
    "UPDATE meta SET value = '2' WHERE key = 'store_version'",
    'journal-version journal-version journal-version journal-version',
  ],
  [
    'files of a newer program',
    "UPDATE meta SET value = '2' WHERE key = 'files_version'",
    'vfs-failed vfs-failed vfs-failed vfs-failed',
  ],
]

describe('a session with damaged', () => {
  it.each(damages)('%s says so, and may be stopped', async (_, sql, wanted) => {
    const { session, callId } = await tampered(sql)
    expect((await answers(session, callId)).join(' ')).toBe(wanted)
  })

  it('messages refuses to go on without them, when nothing is left that knows them', async () => {
    const { session } = await tampered(`${chunk('messages', '[')}; UPDATE runs SET status = 'done'`)
    expect((await api.start(session, 'how many?')).body).toMatchObject({ error: { code: 'journal-invalid' } })
    expect(await read(session, '/work.log')).toBe('begun\nended\n')
  })

  it('decisions says so, and does nothing', async () => {
    const { session, callId } = await tampered(
      (id) => `INSERT INTO decisions (run, call_id, data) SELECT id, '${id}', '{' FROM runs`,
    )
    const { body } = await api.decide(session, { callId, decision: 'approve' })
    expect(body).toMatchObject({ error: { code: 'journal-invalid' } })
    expect(await read(session, '/saved')).toMatchObject({ error: { code: 'vfs-not-found' } })
  })

  it('sums of its files counts them anew', async () => {
    const { session } = await tampered('DELETE FROM vfs_totals')
    expect(await read(session, '/work.log')).toBe('begun\nended\n')
  })

  it('files says so in words of files', async () => {
    const { session } = await tampered('DELETE FROM vfs_nodes')
    expect(await read(session, '/work.log')).toMatchObject({ error: { code: 'vfs-failed' } })
  })
})

describe('a session whose process ended', () => {
  const checkOnce = async (session: string, rows: number): Promise<void> => {
    const { rows: seen } = await api.events(session)
    const seqs = seen.map(({ event }) => event.seq)
    expect(seqs).toEqual([...new Set(seqs)].sort((a, b) => a - b))
    expect(seen.length).toBeGreaterThanOrEqual(rows)
  }

  it('before it had written down that its run waits says no event twice', async () => {
    const { session, callId } = await tampered("UPDATE runs SET status = 'running', stop = NULL")
    await checkOnce(session, 1)
    expect(await api.state(session)).toMatchObject({ status: 'suspended', pending: [{ callId }] })
  })

  it('between a decision and its run goes on with it, once, and says no event twice', async () => {
    const { session } = await tampered(
      (id) => `UPDATE runs SET status = 'running', stop = NULL; INSERT INTO decisions (run, call_id, data)
        SELECT id, '${id}', '{"callId":"${id}","decision":"approve"}' FROM runs`,
    )
    expect((await api.events(session)).closed).toBe('idle')
    await checkOnce(session, 30)
    expect(await read(session, '/saved')).toBe('x\n')
    expect((await api.state(session)).messages.at(-1)).toMatchObject({ content: [{ text: 'the end' }] })
  })

  it('and whose log is lost is closed, and begins nothing anew', async () => {
    const { session } = await tampered("DELETE FROM store_records; UPDATE runs SET status = 'running', base = after")
    const { rows, closed } = await api.events(session)
    expect([closed, rows.at(-1)!.event]).toMatchObject(['idle', { type: 'run-end', status: 'failed' }])
    expect(rows.at(-2)!.event).toMatchObject({ type: 'error', code: 'run-interrupted' })
    expect(await read(session, '/work.log')).toBe('begun\nended\n')
    await checkOnce(session, 1)
  })
})
