// Sessions in a real Durable Object: runs, streams, approvals, stops.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { client, ids, secrets, types } from './client.ts'
import type { Client, Row } from './client.ts'
import { workshop } from './workerd.ts'
import type { Workshop } from './workerd.ts'

let shop: Workshop
let api: Client
let shopUrl = ''

beforeAll(async () => {
  shop = await workshop('app.ts', { SESSION: 'SessionObject' })
  shopUrl = (await shop.serve(secrets)).url
  api = client(shopUrl)
})
afterAll(() => shop?.close())

interface Echo {
  readonly url: string
  readonly authorizations: readonly string[]
  /** Lets the requests below `/held` go, those that wait and those that come. */
  open(): void
  close(): void
}

/** A server that answers with the path it is asked for: at once, after a while, or, below `/held`, when it is opened. */
function echo(delayMs = 0): Promise<Echo> {
  const authorizations: string[] = []
  const held: (() => void)[] = []
  let isOpen = false
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization ?? '')
    const reply = (): void => void response.end(request.url)
    if (request.url?.startsWith('/held') === true && !isOpen) held.push(reply)
    else setTimeout(reply, delayMs)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({
        url: `http://127.0.0.1:${port}`,
        authorizations,
        open: () => {
          isOpen = true
          for (const reply of held) reply()
        },
        close: () => {
          server.closeAllConnections()
          server.close()
        },
      })
    })
  })
}

/** Runs a test beside a model server that holds its answer back. */
async function whileHeld(work: (turns: readonly object[], open: () => void) => Promise<void>): Promise<void> {
  const upstream = await echo()
  try {
    await work([{ fetch: `${upstream.url}/held` }], upstream.open)
  } finally {
    upstream.open()
    upstream.close()
  }
}

const saving = (path: string, text = 'a line') => [
  { text: 'I will save it', calls: [{ name: 'save', input: { path, text } }] },
  { text: 'It is saved' },
]

const text = (rows: readonly Row[]): string =>
  rows.map(({ event }) => (event.type === 'text-delta' ? event.delta : '')).join('')

async function pendingCall(session: string): Promise<string> {
  return (await api.state(session)).pending[0].callId as string
}

const has = (type: string) => (rows: readonly Row[]) => rows.some(({ event }) => event.type === type)

describe('a run', () => {
  it('streams its events with rising ids and closes the stream when it ends', async () => {
    const session = await api.session()
    const started = await api.start(session, [{ text: 'Hello' }])
    expect(started).toMatchObject({ status: 200, body: { after: 0 } })
    const { rows, closed } = await api.events(session)
    expect(closed).toBe('idle')
    expect(ids(rows)).toEqual(rows.map((_, index) => index + 1))
    expect(types(rows)).toEqual([
      'run-start',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'usage',
      'step-end',
      'run-end',
    ])
    expect(new Set(rows.map(({ event }) => event.run))).toEqual(new Set([started.body.run]))
  })

  it('goes on with the conversation, and the ids go on too', async () => {
    const session = await api.session()
    await api.start(session, [{ text: 'One' }])
    const first = await api.events(session)
    const { body } = await api.start(session, 'how many?')
    expect(body.after).toBe(first.rows.length)
    const second = await api.events(session, body.after)
    expect(text(second.rows)).toBe('3 messages')
    expect(second.rows[0]!.id).toBe(body.after + 1)
    expect((await api.state(session)).messages).toHaveLength(4)
  })

  it('joins many small pieces into few rows without losing a character', async () => {
    const session = await api.session()
    const said = Array.from({ length: 600 }, (_, index) => `${index} `).join('')
    await api.start(session, [{ text: said, pieces: 300, wait: 1 }])
    const { rows } = await api.events(session)
    expect(text(rows)).toBe(said)
    expect(types(rows).filter((type) => type === 'text-delta').length).toBeLessThan(60)
  })

  it('may be followed from every event without a gap and without a double', async () => {
    const session = await api.session()
    await api.start(session, [
      { text: 'Working', calls: [{ name: 'work', input: { milliseconds: 1 } }] },
      { text: 'Done' },
    ])
    const { rows } = await api.events(session)
    for (let after = 0; after <= rows.length; after++) {
      const rest = await api.events(session, after)
      expect(rest).toEqual({ rows: rows.slice(after), closed: 'idle' })
    }
  })

  it('is followed further by Last-Event-ID, which is stronger than ?after=', async () => {
    const session = await api.session()
    await api.start(session, [{ text: 'Hello' }])
    await api.events(session)
    const { body } = await api.send(`/sessions/${session}/events?after=0`, { headers: { 'last-event-id': '6' } })
    expect([...(body as string).matchAll(/^id: (\d+)$/gm)].map((match) => match[1])).toEqual(['7', '8'])
  })

  it('refuses to stream from an event that does not exist', async () => {
    const session = await api.session()
    expect(await api.send(`/sessions/${session}/events?after=5`)).toMatchObject({
      status: 409,
      body: { error: { code: 'unknown-event' } },
    })
    for (const after of ['-1', '1.5', 'x', '9'.repeat(30)]) {
      expect((await api.send(`/sessions/${session}/events?after=${after}`)).status).toBe(400)
    }
  })

  it('shows the same to two clients, one of which came late', async () => {
    const session = await api.session()
    await api.start(session, [{ text: 'a b c d e f g h', pieces: 8, wait: 60 }])
    const first = api.events(session)
    await api.events(session, 0, (rows) => rows.length >= 4)
    const [all, late] = await Promise.all([first, api.events(session)])
    expect(late).toEqual(all)
    expect(text(all.rows)).toBe('a b c d e f g h')
  })

  it('goes on when its only reader leaves', async () => {
    const session = await api.session()
    await api.start(session, [{ text: 'one two three', pieces: 3, wait: 100 }, { text: 'unused' }])
    await api.events(session, 0, (rows) => rows.length >= 2)
    const { rows, closed } = await api.events(session, 2)
    expect([text(rows), closed, types(rows).at(-1)]).toEqual(['one two three', 'idle', 'run-end'])
  })

  it('closes the oldest stream for the newest when there are too many, and nothing is lost by it', async () => {
    const session = await api.session()
    await api.start(session, [{ text: 'before', calls: [{ name: 'work', input: { milliseconds: 600_000 } }] }])
    const oldest = api.events(session)
    for (let reader = 0; reader < 70; reader++) await api.events(session, 0, (rows) => rows.length >= 1)
    const cut = await oldest
    expect(cut.closed).toBeUndefined()
    await api.post(`/sessions/${session}/stop`, {})
    const rest = await api.events(session, cut.rows.at(-1)?.id ?? 0)
    expect(rest.closed).toBe('idle')
    expect([...cut.rows, ...rest.rows]).toEqual((await api.events(session)).rows)
  })

  it('is not held up by a reader that does not read', async () => {
    const session = await api.session()
    await api.start(session, [
      { calls: [{ name: 'large', input: { characters: 400_000 } }] },
      { calls: [{ name: 'large', input: { characters: 500_000 } }] },
      { text: 'end' },
    ])
    const stuck = await fetch(`${shopUrl}/api/sessions/${session}/events`, {
      headers: { authorization: `Bearer ${secrets.AGENT_TOKEN}` },
    })
    const { closed } = await api.events(session)
    expect(closed).toBe('idle')
    await stuck.body!.cancel()
  })

  it('keeps events that are larger than a row may be', async () => {
    const session = await api.session()
    await api.start(session, [{ calls: [{ name: 'large', input: { characters: 1_500_000 } }] }, { text: 'end' }])
    const { rows } = await api.events(session)
    const ends = rows.flatMap(({ event }) => (event.type === 'tool-end' ? [event.outcome] : []))
    expect(ends[0]!.parts[0]).toEqual({ type: 'text', text: 'é'.repeat(1_500_000) })
    expect((await api.state(session)).messages[2].content[0].content[0].text).toHaveLength(1_500_000)
  })

  it('is the only one: another start is refused while it is going on', () =>
    whileHeld(async (turns, open) => {
      const session = await api.session()
      await api.start(session, turns)
      expect(await api.start(session, [{ text: 'second' }])).toMatchObject({
        status: 409,
        body: { error: { code: 'run-active' } },
      })
      open()
      await api.events(session)
      expect((await api.start(session, [{ text: 'third' }])).status).toBe(200)
    }))

  it('starts once for one Idempotency-Key, while it is going on and after', () =>
    whileHeld(async (turns, open) => {
      const session = await api.session()
      const starts = await Promise.all([1, 2, 3].map(() => api.start(session, turns, { key: 'k-1' })))
      expect(starts.map(({ status }) => status)).toEqual([200, 200, 200])
      const [first, ...others] = starts.map(({ body }) => body)
      expect(others).toEqual([first, first])
      const other = await api.start(session, [{ text: 'other' }], { key: 'k-1' })
      expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency-conflict' } } })
      open()
      await api.events(session)
      expect((await api.start(session, turns, { key: 'k-1' })).body).toEqual(first)
      expect((await api.state(session)).messages).toHaveLength(2)
    }))

  it('tells where a session stands before, during and after', () =>
    whileHeld(async (turns, open) => {
      const session = await api.session()
      expect(await api.state(session)).toEqual({
        session,
        status: 'idle',
        run: null,
        messages: [],
        pending: [],
        seq: 0,
      })
      const { body } = await api.start(session, turns)
      await api.events(session, 0, has('step-start'))
      const during = await api.state(session)
      expect(during).toMatchObject({ status: 'running', run: { id: body.run, status: 'running' }, seq: 0 })
      expect(during.messages).toHaveLength(1)
      open()
      const { rows } = await api.events(session, during.seq)
      expect(await api.state(session)).toMatchObject({
        status: 'idle',
        run: { id: body.run, status: 'done', stop: 'end' },
        seq: rows.length,
      })
    }))

  it.each([1, 2])(
    'that cannot be written down is ended, and the next one may start (%i events fail)',
    async (events) => {
      const session = await api.session()
      await api.start(session, [
        { calls: [{ name: 'fill', input: { events } }] },
        { calls: [{ name: 'work', input: { milliseconds: 600_000 } }] },
      ])
      expect((await api.events(session)).closed).toBe('idle')
      expect(await api.state(session)).toMatchObject({ status: 'idle', run: { status: 'failed' }, pending: [] })
      expect((await api.post(`/sessions/${session}/stop`, {})).status).toBe(200)
      const { body } = await api.start(session, 'how many?')
      const { rows, closed } = await api.events(session, body.after)
      expect([closed, rows.at(-1)!.event]).toMatchObject(['idle', { type: 'run-end', status: 'done' }])
      const all = await api.events(session)
      expect(ids(all.rows)).toEqual(all.rows.map((_, index) => index + 1))
    },
  )

  it('says which model it does not have', async () => {
    const session = await api.session()
    expect(await api.start(session, [{ text: 'x' }], { model: 'gpt' })).toMatchObject({
      status: 400,
      body: { error: { code: 'config-invalid', message: 'There is no model "gpt"' } },
    })
    expect((await api.state(session)).status).toBe('idle')
  })
})

describe('an approval', () => {
  it('suspends the run, closes the stream, and goes on with the decision to a written file', async () => {
    const session = await api.session()
    await api.start(session, saving('/notes/a.md'))
    const before = await api.events(session)
    expect([before.closed, types(before.rows).slice(-2)]).toEqual(['suspended', ['approval-request', 'run-end']])
    expect(await api.state(session)).toMatchObject({
      status: 'suspended',
      pending: [{ name: 'save', input: { path: '/notes/a.md' } }],
    })
    const callId = await pendingCall(session)
    expect(await api.decide(session, { callId, decision: 'approve' })).toMatchObject({
      status: 200,
      body: { callId, decision: 'approve' },
    })
    const after = await api.events(session, before.rows.length)
    expect(after.closed).toBe('idle')
    expect(types(after.rows)).toEqual([
      'run-start',
      'approval-response',
      'tool-start',
      'tool-end',
      'step-end',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'usage',
      'step-end',
      'run-end',
    ])
    expect(after.rows.map(({ event }) => event.seq)).toEqual(
      after.rows.map((_, index) => before.rows.length + index + 1),
    )
    expect(await api.file(session, '/notes/a.md')).toBe('a line\n')
    expect((await api.state(session)).messages.map(({ role }: { role: string }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
  })

  it('is settled in the live run where the run still waits', async () => {
    const session = await api.session()
    await api.start(session, saving('/live.md'), { model: 'patient' })
    const before = await api.events(session, 0, has('approval-request'))
    expect(await api.state(session)).toMatchObject({ status: 'running', pending: [{ name: 'save' }] })
    const callId = await pendingCall(session)
    await api.decide(session, { callId, decision: 'edit', input: { path: '/edited.md', text: 'changed' } })
    const { rows } = await api.events(session, before.rows.length)
    expect(types(rows)).not.toContain('run-start')
    expect(await api.file(session, '/edited.md')).toBe('changed\n')
    expect((await api.state(session)).status).toBe('idle')
  })

  it.each(['script', 'patient'])('is given once: the first decision wins and comes back to all (%s)', async (model) => {
    const session = await api.session()
    await api.start(session, saving('/once.md'), { model })
    await api.events(session, 0, has('approval-request'))
    const callId = await pendingCall(session)
    const given = await Promise.all([
      api.decide(session, { callId, decision: 'approve' }),
      api.decide(session, { callId, decision: 'deny', reason: 'no' }),
      api.decide(session, { callId, decision: 'approve' }),
    ])
    expect(given.map(({ status, body }) => [status, body.decision])).toEqual(
      Array(3).fill([200, given[0]!.body.decision]),
    )
    await api.events(session)
    const late = await api.decide(session, { callId, decision: 'deny' })
    expect(late.body).toEqual(given[0]!.body)
    await api.start(session, [{ text: 'next' }])
    await api.events(session)
    expect((await api.decide(session, { callId, decision: 'deny' })).body).toEqual(given[0]!.body)
    const written = await api.send(`/sessions/${session}/file?path=/once.md`)
    expect(written.body).toEqual(given[0]!.body.decision === 'approve' ? 'a line\n' : expect.anything())
  })

  it('comes back the same while its run, or the next one, is still going on', () =>
    whileHeld(async (turns, open) => {
      const session = await api.session()
      const calls = [
        { name: 'save', input: { path: '/x', text: 'x' } },
        { name: 'work', input: { milliseconds: 600_000 } },
      ]
      await api.start(session, [{ calls }, { text: 'done' }], { model: 'patient' })
      await api.events(session, 0, has('approval-request'))
      const callId = await pendingCall(session)
      const first = await api.decide(session, { callId, decision: 'approve' })
      const second = await api.decide(session, { callId, decision: 'deny' })
      expect((await api.state(session)).status).toBe('running')
      expect([second.status, second.body]).toEqual([200, first.body])
      await api.post(`/sessions/${session}/stop`, {})
      await api.start(session, turns)
      const third = await api.decide(session, { callId, decision: 'deny' })
      expect((await api.state(session)).status).toBe('running')
      expect([third.status, third.body]).toEqual([200, first.body])
      expect((await api.decide(session, { callId: 'other', decision: 'deny' })).status).toBe(404)
      open()
      await api.events(session)
    }))

  it('asks for what is still open when one of two was decided', async () => {
    const session = await api.session()
    const calls = ['/1.md', '/2.md'].map((path) => ({ name: 'save', input: { path, text: path } }))
    await api.start(session, [{ calls }, { text: 'both' }])
    await api.events(session)
    const [one, two] = (await api.state(session)).pending
    await api.decide(session, { callId: two.callId, decision: 'approve' })
    expect((await api.events(session)).closed).toBe('suspended')
    expect((await api.state(session)).pending.map(({ callId }: { callId: string }) => callId)).toEqual([one.callId])
    await api.decide(session, { callId: one.callId, decision: 'deny', reason: 'not this one' })
    const { rows, closed } = await api.events(session)
    expect([closed, text(rows)]).toEqual(['idle', 'both'])
    expect(await api.file(session, '/2.md')).toBe('/2.md\n')
    expect((await api.send(`/sessions/${session}/file?path=/1.md`)).status).toBe(404)
  })

  it('refuses a decision that nobody asked for, or that does not fit, and still waits', async () => {
    const session = await api.session()
    const nobody = await api.decide(session, { callId: 'call_1', decision: 'approve' })
    expect(nobody).toMatchObject({ status: 404, body: { error: { code: 'run-unknown-call' } } })
    await api.start(session, saving('/kept.md'))
    await api.events(session)
    const callId = await pendingCall(session)
    const forged: readonly [unknown, number][] = [
      [{ callId: 'other', decision: 'approve' }, 404],
      [{ callId: '__proto__', decision: 'approve' }, 404],
      [{ callId, decision: 'sudo' }, 400],
      [{ callId, decision: 'retry' }, 400],
      [{ callId, decision: 'edit' }, 400],
      [{ callId, decision: 'edit', input: { path: 1 } }, 400],
      [{ callId, result: 'forged' }, 400],
      [{ callId, decision: ['approve'] }, 400],
      [{ callId: [callId], decision: 'approve' }, 400],
      [{ callId }, 400],
      [[], 400],
      ['{"callId":', 400],
    ]
    for (const [body, status] of forged) {
      const reply = await api.post(`/sessions/${session}/decisions`, body)
      expect([body, reply.status]).toEqual([body, status])
    }
    expect(await api.state(session)).toMatchObject({ status: 'suspended', pending: [{ callId }] })
    await api.decide(session, { callId, decision: 'approve' })
    expect((await api.events(session)).closed).toBe('idle')
  })

  it('holds up the next message until it is decided or stopped', async () => {
    const session = await api.session()
    await api.start(session, saving('/held.md'))
    await api.events(session)
    expect((await api.start(session, [{ text: 'x' }])).status).toBe(409)
  })
})

describe('a stop', () => {
  it('ends a live run and keeps what was said', async () => {
    const session = await api.session()
    await api.start(session, [{ text: 'half of the answer '.repeat(20), pieces: 100, wait: 250 }])
    await api.events(session, 0, has('text-delta'))
    expect((await api.post(`/sessions/${session}/stop`, {})).body).toEqual({ ok: true })
    const { rows, closed } = await api.events(session)
    expect([closed, rows.at(-1)!.event]).toMatchObject(['idle', { type: 'run-end', status: 'aborted' }])
    expect((await api.state(session)).messages[1].content[0].text).toMatch(/^half/)
    expect((await api.start(session, 'next')).status).toBe(200)
  })

  it('ends a suspended run, answers its calls, and takes no decision after', async () => {
    const session = await api.session()
    await api.start(session, saving('/never.md'))
    await api.events(session)
    const callId = await pendingCall(session)
    await api.post(`/sessions/${session}/stop`, {})
    const { rows, closed } = await api.events(session)
    expect(closed).toBe('idle')
    expect(types(rows).slice(-2)).toEqual(['tool-end', 'run-end'])
    expect(rows.at(-1)!.event).toMatchObject({ status: 'aborted', stop: 'aborted' })
    expect((await api.state(session)).messages.at(-1).content[0]).toMatchObject({
      callId,
      ok: false,
      reason: 'aborted',
    })
    expect((await api.decide(session, { callId, decision: 'approve' })).status).toBe(404)
    expect((await api.send(`/sessions/${session}/file?path=/never.md`)).status).toBe(404)
  })

  it('of nothing changes nothing', async () => {
    const session = await api.session()
    expect(await api.post(`/sessions/${session}/stop`, {})).toMatchObject({ status: 200, body: { ok: true } })
    expect((await api.state(session)).seq).toBe(0)
  })
})

describe('one isolate', () => {
  it('runs many sessions at once, each with requests of its own', async () => {
    const upstream = await echo(300)
    try {
      const sessions = await Promise.all(Array.from({ length: 6 }, () => api.session()))
      const said = await Promise.all(
        sessions.map(async (session, index) => {
          await api.start(session, [
            { fetch: `${upstream.url}/${index}`, calls: [{ name: 'work', input: { milliseconds: 50 } }] },
            { fetch: `${upstream.url}/${index}` },
          ])
          const { rows } = await api.events(session)
          return [text(rows), rows.at(-1)!.event]
        }),
      )
      said.forEach(([words, end], index) => {
        expect(words).toBe(`/${index}/${index}`)
        expect(end).toMatchObject({ status: 'done' })
      })
    } finally {
      upstream.close()
    }
  })

  it('shows no secret of the environment in what it records', async () => {
    const upstream = await echo(0)
    const session = await api.session()
    await api.start(session, [{ fetch: `${upstream.url}/ok` }, { text: 'x' }])
    await api.events(session)
    upstream.close()
    await api.start(session, [{ fetch: `${upstream.url}/gone` }])
    const { rows } = await api.events(session)
    expect(upstream.authorizations).toEqual([`Bearer ${secrets.MODEL_KEY}`])
    expect(rows.at(-1)!.event).toMatchObject({ type: 'run-end', status: 'failed' })
    const all = JSON.stringify([rows, await api.state(session)])
    for (const secret of Object.values(secrets)) expect(all).not.toContain(secret)
  })
})

describe('the files of a session', () => {
  it('are written, listed and read back, byte for byte', async () => {
    const session = await api.session()
    const bytes = Uint8Array.from({ length: 5000 }, (_, index) => index & 255)
    const put = await api.send(`/sessions/${session}/file?path=/deep/data.bin`, { method: 'PUT', body: bytes })
    expect(put).toMatchObject({ status: 200, body: { path: '/deep/data.bin', size: 5000 } })
    const { body } = await api.send(`/sessions/${session}/files?path=/`)
    expect(body.entries.map(({ path, type, size }: any) => [path, type, size])).toEqual([
      ['/deep', 'dir', 0],
      ['/deep/data.bin', 'file', 5000],
    ])
    const response = await fetch(`${shopUrl}/api/sessions/${session}/file?path=/deep/data.bin`, {
      headers: { authorization: `Bearer ${secrets.AGENT_TOKEN}` },
    })
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    expect(response.headers.get('content-security-policy')).toContain('sandbox')
  })

  it('are the ones the agent works on', async () => {
    const session = await api.session()
    await api.send(`/sessions/${session}/file?path=/in.txt`, { method: 'PUT', body: 'from the client' })
    await api.start(session, [{ calls: [{ name: 'show', input: { path: '/in.txt' } }] }, { text: 'seen' }])
    const { rows } = await api.events(session)
    expect(rows.find(({ event }) => event.type === 'tool-end')!.event).toMatchObject({
      outcome: { parts: [{ text: 'from the client' }] },
    })
  })

  it('are not written over what changed in between', async () => {
    const session = await api.session()
    const path = `/sessions/${session}/file?path=/f`
    const first = await api.send(path, { method: 'PUT', body: '1' })
    await api.send(path, { method: 'PUT', body: '2', headers: { 'if-match': `"${first.body.etag}"` } })
    expect(
      await api.send(path, { method: 'PUT', body: '3', headers: { 'if-match': `"${first.body.etag}"` } }),
    ).toMatchObject({
      status: 409,
      body: { error: { code: 'vfs-conflict' } },
    })
    expect(await api.file(session, '/f')).toBe('2')
  })

  it('do not lead out of their root, and belong to their session alone', async () => {
    const [one, two] = [await api.session(), await api.session()]
    await api.send(`/sessions/${one}/file?path=/../../x`, { method: 'PUT', body: '1' })
    expect(await api.file(one, '/x')).toBe('1')
    expect((await api.send(`/sessions/${two}/file?path=/x`)).status).toBe(404)
    expect((await api.send(`/sessions/${one}/file?path=/a%00b`)).status).toBe(400)
    expect((await api.send(`/sessions/${one}/file?path=/`)).status).toBe(400)
  })
})
