import { describe, expect, it } from 'vitest'
import { remoteSession } from '../../element/session/remote.ts'
import type { RemoteOptions, RemoteSession } from '../../element/session/remote.ts'
import type { ChatRecord } from '../../element/session/session.ts'
import { settle, testHost } from '../host.ts'
import { runRecords } from './events.ts'
import { eventResponse, idle, rows, suspended } from './streams.ts'

const run = runRecords('r', [
  { type: 'run-start', model: 'm' },
  { type: 'text-start', step: 1, id: 't' },
  { type: 'text-delta', step: 1, id: 't', delta: 'hi' },
  { type: 'run-end', status: 'done', stop: 'end' },
])

const stream = (records: readonly ChatRecord[], first: number, closing: string): string =>
  `retry: 1000\n\n${rows(records, first)}${closing}`

interface Asked {
  readonly method: string
  readonly path: string
  readonly body: unknown
  readonly headers: Headers
}

type Answer = Response | ((asked: Asked) => Response | Promise<Response>)

/** A made-up worker: answers by `METHOD path`, from a list where the same is asked again. */
function worker(answers: Readonly<Record<string, Answer | readonly Answer[]>>, options: Partial<RemoteOptions> = {}) {
  const asked: Asked[] = []
  const queues = new Map(
    Object.entries(answers).map(([key, answer]) => [key, Array.isArray(answer) ? [...answer] : [answer]]),
  )
  const host = testHost({
    auto: true,
    fetch: async (input, init = {}) => {
      const { pathname, search } = new URL(String(input), 'http://worker.test')
      const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined
      const request = {
        method: init.method ?? 'GET',
        path: pathname + search,
        body,
        headers: new Headers(init.headers),
      }
      asked.push(request)
      const queue = queues.get(`${request.method} ${request.path}`) ?? []
      const answer = (queue.length > 1 ? queue.shift() : queue[0]) as Answer | undefined
      if (answer === undefined) throw new Error(`Nothing answers ${request.method} ${request.path}`)
      return typeof answer === 'function' ? answer(request) : answer.clone()
    },
  })
  const session = remoteSession({ url: 'http://worker.test/', host, ...options })
  return { session, asked, host }
}

const typesOf = (session: RemoteSession): readonly string[] =>
  session.records.map((record) => (record.type === 'event' ? record.event.type : record.type))

const json = (value: unknown, status = 200): Response => Response.json(value, { status })

const start = {
  'POST /api/sessions': json({ session: 's/1' }),
  'POST /api/sessions/s%2F1/runs': json({ run: 'r', after: 0 }),
} as const

describe('remoteSession()', () => {
  it('makes a session, starts a run and reads its events to the end', async () => {
    const made: string[] = []
    const { session, asked } = worker(
      { ...start, 'GET /api/sessions/s%2F1/events?after=0': eventResponse(stream(run, 1, idle)) },
      { token: () => 'secret', model: () => 'big', onSession: (id) => made.push(id) },
    )
    await session.send('hello')
    expect(typesOf(session)).toEqual(['user', 'run-start', 'text-start', 'text-delta', 'run-end'])
    expect(asked[1]?.body).toEqual({ input: 'hello', model: 'big' })
    expect(asked[1]?.headers.get('idempotency-key')).toMatch(/^key_/)
    expect(asked.every(({ headers }) => headers.get('authorization') === 'Bearer secret')).toBe(true)
    expect(made).toEqual(['s/1'])
  })

  it('reads on after a broken connection, each event once, and tells of it', async () => {
    const broken = () => {
      const bytes = new TextEncoder().encode(stream(run.slice(0, 2), 1, ''))
      let sent = false
      return eventResponse(
        new ReadableStream({
          pull(controller) {
            if (sent) controller.error(new Error('cut'))
            else controller.enqueue(bytes)
            sent = true
          },
        }),
      )
    }
    const { session } = worker({
      ...start,
      'GET /api/sessions/s%2F1/events?after=0': broken,
      'GET /api/sessions/s%2F1/events?after=2': [
        () => Promise.reject(new Error('away')),
        eventResponse(stream(run.slice(1), 2, idle)),
      ],
    })
    await session.send('hello')
    expect(typesOf(session)).toEqual([
      'user',
      'run-start',
      'text-start',
      'connection',
      'connection',
      'text-delta',
      'run-end',
    ])
  })

  it('skips what is no event', async () => {
    const strange = 'id: 1\ndata: {broken\n\nid: 2\ndata: [1]\n\nevent: other\nid: 3\ndata: {}\n\n'
    const { session } = worker({ ...start, 'GET /api/sessions/s%2F1/events?after=0': eventResponse(strange + idle) })
    await session.send('hello')
    expect(typesOf(session)).toEqual(['user'])
  })

  it('shows a refusal by its code and does not ask for ever', async () => {
    const { session, asked } = worker({
      'POST /api/sessions': json({ error: { code: 'unauthorized', message: 'Wanted a token' } }, 401),
    })
    await session.send('hello')
    expect(session.records.at(-1)).toMatchObject({ type: 'failure', code: 'unauthorized', message: 'Wanted a token' })
    expect(asked).toHaveLength(1)
  })

  it('does not read on where the worker refuses the stream', async () => {
    const { session, asked } = worker({
      ...start,
      'GET /api/sessions/s%2F1/events?after=0': json(
        { error: { code: 'unknown-session', message: 'There is no such session' } },
        404,
      ),
    })
    await session.send('hello')
    expect(session.records.at(-1)).toMatchObject({ type: 'failure', code: 'unknown-session' })
    expect(asked.filter(({ path }) => path.includes('events'))).toHaveLength(1)
  })

  it('tries to make the session again with the next message', async () => {
    const { session } = worker({
      ...start,
      'POST /api/sessions': [() => Promise.reject(new Error('away')), json({ session: 's/1' })],
      'GET /api/sessions/s%2F1/events?after=0': eventResponse(stream(run, 1, idle)),
    })
    await session.send('one')
    expect(session.records.at(-1)).toMatchObject({ type: 'failure', code: 'offline' })
    await session.send('two')
    expect(typesOf(session).at(-1)).toBe('run-end')
  })

  it('decides and follows on from the last event', async () => {
    const { session, asked } = worker({
      ...start,
      'GET /api/sessions/s%2F1/events?after=0': eventResponse(stream(run.slice(0, 2), 1, suspended)),
      'POST /api/sessions/s%2F1/decisions': json({ callId: 'c', decision: 'approve' }),
      'GET /api/sessions/s%2F1/events?after=2': eventResponse(stream(run.slice(2), 3, idle)),
    })
    await session.send('hello')
    await session.decide({ callId: 'c', decision: 'approve' })
    for (let turn = 0; turn < 10; turn++) await settle()
    expect(typesOf(session).at(-1)).toBe('run-end')
    expect(asked.map(({ method, path }) => `${method} ${path}`)).toContain('POST /api/sessions/s%2F1/decisions')
  })

  it('rejects a refused decision with the words of the worker', async () => {
    const { session } = worker({
      ...start,
      'GET /api/sessions/s%2F1/events?after=0': eventResponse(stream(run, 1, idle)),
      'POST /api/sessions/s%2F1/decisions': json(
        { error: { code: 'run-invalid-decision', message: 'The edited input does not fit' } },
        400,
      ),
    })
    await session.send('hello')
    await expect(session.decide({ callId: 'c', decision: 'edit', input: {} })).rejects.toThrow(
      'The edited input does not fit',
    )
  })

  it('draws an earlier session with what was said before each run', async () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'hello' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
    ]
    const { session } = worker(
      {
        'GET /api/sessions/old': json({ session: 'old', status: 'idle', messages, pending: [], seq: 4 }),
        'GET /api/sessions/old/events?after=0': eventResponse(stream(run, 1, idle)),
      },
      { session: 'old' },
    )
    for (let turn = 0; turn < 10; turn++) await settle()
    expect(typesOf(session)).toEqual(['user', 'run-start', 'text-start', 'text-delta', 'run-end'])
    expect(session.records[0]).toMatchObject({ text: 'hello' })
  })

  it('says nothing any more once it is closed', async () => {
    const { session } = worker({
      ...start,
      'GET /api/sessions/s%2F1/events?after=0': () => Promise.reject(new Error('away')),
    })
    const sent = session.send('hello')
    await settle()
    session.close()
    await sent
    expect(typesOf(session).filter((type) => type === 'failure')).toEqual([])
  })
})
