// A remote session against workers and networks that behave badly.
import { describe, expect, it } from 'vitest'
import { remoteSession } from '../../../element/session/remote.ts'
import type { RemoteOptions, RemoteSession } from '../../../element/session/remote.ts'
import type { ChatRecord } from '../../../element/session/session.ts'
import { adviceFor } from '../../../element/view/advice.ts'
import { transcript } from '../../../element/view/entries.ts'
import { runPicture } from '../../../element/view/spans.ts'
import { foldRecord } from '../../../element/view/transcript.ts'
import { runRecords } from '../../element/events.ts'
import { settle, testHost } from '../../host.ts'
import type { TestHost } from '../../host.ts'

const encoder = new TextEncoder()
const json = (value: unknown, status = 200): Response => Response.json(value, { status })

/** Server-sent events of these records, numbered from `first`. */
const rows = (records: readonly ChatRecord[], first: number): string =>
  records
    .map(
      (record, index) =>
        `id: ${first + index}\ndata: ${JSON.stringify(record.type === 'event' ? record.event : {})}\n\n`,
    )
    .join('')

const idle = 'event: idle\ndata: {}\n\n'
const suspended = 'event: suspended\ndata: {}\n\n'

const plainRun = (run: string, text: string): readonly ChatRecord[] =>
  runRecords(run, [
    { type: 'run-start', model: 'm' },
    { type: 'text-start', step: 1, id: 't' },
    { type: 'text-delta', step: 1, id: 't', delta: text },
    { type: 'run-end', status: 'done', stop: 'end' },
  ])

/** A stream that is written by hand. */
function handStream(): { readonly response: Response; write(text: string): void; end(): void } {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) })
  return {
    response: new Response(body, { headers: { 'content-type': 'text/event-stream' } }),
    write: (text) => controller?.enqueue(encoder.encode(text)),
    end: () => controller?.close(),
  }
}

type Serve = (method: string, path: string, init: RequestInit) => Response | Promise<Response>

interface Open {
  readonly session: RemoteSession
  readonly host: TestHost
  readonly asked: readonly string[]
}

function open(serve: Serve, options: Partial<RemoteOptions> & { readonly auto?: boolean } = {}): Open {
  const { auto = false, ...more } = options
  const asked: string[] = []
  const host = testHost({
    auto,
    fetch: async (input, init = {}) => {
      const { pathname, search } = new URL(String(input), 'http://worker.test')
      const method = init.method ?? 'GET'
      asked.push(`${method} ${pathname}${search}`)
      return serve(method, pathname + search, init as RequestInit)
    },
  })
  return { session: remoteSession({ url: 'http://worker.test/', host, ...more }), host, asked }
}

const typesOf = (session: RemoteSession): readonly string[] =>
  session.records.map((record) => (record.type === 'event' ? record.event.type : record.type))

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await settle()
}

describe('a connection that is dead but not closed', () => {
  it('is noticed, as the worker pings every 15 seconds, and the events are asked for again', async () => {
    const run = plainRun('r', 'hi')
    const silent = handStream()
    silent.write(rows(run.slice(0, 2), 1))
    const { session, host, asked } = open((method, path) => {
      if (path.endsWith('/sessions')) return json({ session: 's' })
      if (method === 'POST') return json({ run: 'r', after: 0 })
      return path.endsWith('after=0') ? silent.response : new Response(rows(run.slice(2), 3) + idle)
    })
    void session.send('hello')
    await turns()
    expect(typesOf(session)).toEqual(['user', 'run-start', 'text-start'])
    await host.advance(10 * 60_000)
    expect(asked).toContain('GET /api/sessions/s/events?after=2')
    expect(typesOf(session).at(-1)).toBe('run-end')
  })
})

describe('a run that starts while the stream of the one before is closing', () => {
  it('is followed after a message', async () => {
    const [first, second] = [plainRun('r1', 'one'), plainRun('r2', 'two')]
    const stream = handStream()
    let runs = 0
    const { session } = open(
      (method, path) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (method === 'POST') return json(++runs === 1 ? { run: 'r1', after: 0 } : { run: 'r2', after: 4 })
        return path.endsWith('after=0') ? stream.response : new Response(rows(second, 5) + idle)
      },
      { auto: true },
    )
    void session.send('one')
    await turns()
    stream.write(rows(first, 1))
    await turns()
    expect(typesOf(session).at(-1)).toBe('run-end')
    // The run has ended for whoever looks at the page; the closing of its stream is still on its way.
    void session.send('two')
    await turns()
    stream.write(idle)
    stream.end()
    await turns()
    expect(session.records.filter((record) => record.type === 'event' && record.event.run === 'r2')).toHaveLength(4)
  })

  it('is followed after a decision', async () => {
    const asking = runRecords('r', [
      { type: 'run-start', model: 'm' },
      {
        type: 'approval-request',
        step: 1,
        callId: 'c',
        name: 'save',
        input: {},
        wants: 'decision',
        why: 'tool',
        effect: 'unsafe',
      } as never,
      { type: 'run-end', status: 'suspended', stop: 'approval' },
    ])
    const stream = handStream()
    const { session, asked } = open(
      (method, path) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (path.endsWith('/decisions')) return json({ callId: 'c', decision: 'approve' })
        if (method === 'POST') return json({ run: 'r', after: 0 })
        return path.endsWith('after=0') ? stream.response : new Response(rows(plainRun('r', 'done'), 4) + idle)
      },
      { auto: true },
    )
    void session.send('save')
    await turns()
    stream.write(rows(asking, 1))
    await turns()
    await session.decide({ callId: 'c', decision: 'approve' })
    await turns()
    stream.write(suspended)
    stream.end()
    await turns()
    expect(asked).toContain('GET /api/sessions/s/events?after=3')
    expect(typesOf(session).at(-1)).toBe('run-end')
  })
})

describe('an answer that gets lost', () => {
  it('to the start of a run is asked for again with the same key, so that the run is shown', async () => {
    const keys: (string | null)[] = []
    const { session } = open(
      (method, path, init) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (method === 'POST') {
          keys.push(new Headers(init.headers).get('idempotency-key'))
          // The worker has started the run; the connection broke before its answer came.
          if (keys.length === 1) throw new TypeError('network')
          return keys[1] === keys[0]
            ? json({ run: 'r', after: 0 })
            : json({ error: { code: 'run-active', message: 'Run "r" is going on' } }, 409)
        }
        return new Response(rows(plainRun('r', 'hi'), 1) + idle)
      },
      { auto: true },
    )
    await session.send('hello')
    await turns()
    expect(new Set(keys).size).toBe(1)
    expect(typesOf(session)).toContain('run-end')
  })
})

describe('an earlier session', () => {
  it('is drawn in order, also when a message is sent before it was read', async () => {
    let tell: (() => void) | undefined
    const told = new Promise<void>((resolve) => (tell = resolve))
    const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
    const { session } = open(
      async (method, path) => {
        if (method === 'POST') return json({ run: 'r2', after: 4 })
        if (!path.includes('/events')) {
          await told
          return json({ status: 'idle', messages: [user('the first')], pending: [], seq: 4 })
        }
        const all = [...plainRun('r1', 'one'), ...plainRun('r2', 'two')]
        const after = Number(/after=(\d+)/.exec(path)![1])
        return new Response(rows(all.slice(after), after + 1) + idle)
      },
      { auto: true, session: 's' },
    )
    const sent = session.send('the second')
    await turns()
    tell?.()
    await sent
    await turns()
    const picture = session.records.map((record) => {
      if (record.type === 'user') return record.text
      return record.type === 'event' && record.event.type === 'run-start' ? record.event.run : undefined
    })
    expect(picture.filter((word) => word !== undefined)).toEqual(['the first', 'r1', 'the second', 'r2'])
  })

  it('that could not be read is read again with the next message', async () => {
    let asked = 0
    const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
    const { session } = open(
      (method, path) => {
        if (method === 'POST') return json({ run: 'r2', after: 4 })
        if (!path.includes('/events')) {
          if (++asked === 1) throw new TypeError('network')
          return json({ status: 'idle', messages: [user('the first')], pending: [], seq: 4 })
        }
        const all = [...plainRun('r1', 'one'), ...plainRun('r2', 'two')]
        const after = Number(/after=(\d+)/.exec(path)![1])
        return new Response(rows(all.slice(after), after + 1) + idle)
      },
      { auto: true, session: 's' },
    )
    await turns()
    await session.send('the second')
    await turns()
    expect(session.records.some((record) => record.type === 'event' && record.event.run === 'r1')).toBe(true)
  })
})

describe('an answer of another server', () => {
  it('in the place of the stream is told, not waited for in silence', async () => {
    let asked = 0
    const { session } = open(
      (method, path) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (method === 'POST') return json({ run: 'r', after: 0 })
        if (++asked > 20) return json({ error: { code: 'gone', message: 'Enough of it' } }, 410)
        return new Response('<!doctype html><title>Log in</title>', { headers: { 'content-type': 'text/html' } })
      },
      { auto: true },
    )
    await session.send('hello')
    await turns()
    expect(asked).toBeLessThan(20)
    expect(session.records.slice(1)).toContainEqual(expect.objectContaining({ type: 'failure' }))
  })

  it('without a session is refused and not taken for one', async () => {
    for (const body of [{}, { session: 7 }, [], { session: '' }, { session: null }]) {
      const made: string[] = []
      const { session, asked } = open((_, path) => (path.endsWith('/sessions') ? json(body) : json({}, 404)), {
        onSession: (id) => made.push(id),
      })
      await session.send('hello')
      expect([JSON.stringify(body), made]).toEqual([JSON.stringify(body), []])
      expect([JSON.stringify(body), asked]).toEqual([JSON.stringify(body), ['POST /api/sessions']])
      expect(session.records.at(-1)?.type).toBe('failure')
    }
  })
})

describe('advice', () => {
  it('knows the refusals of the worker, by the codes that it really sends', () => {
    const unknown = adviceFor('nobody-knows-this').cause
    const missing = [
      'unknown-session',
      'session-full',
      'too-large',
      'not-configured',
      'forbidden-origin',
      'invalid-request',
      'internal',
    ]
    expect(missing.filter((code) => adviceFor(code).cause === unknown)).toEqual([])
    // It says to send a new message, which is just what is refused.
    expect(adviceFor('run-active')).toEqual(adviceFor('http-409'))
  })
})

describe('an event that this page cannot draw', () => {
  const odd = runRecords('r', [
    { type: 'run-start', model: 'm' },
    { type: 'tool-call', step: 1, callId: 'c', name: 'n', input: {} },
    // Of a worker that is newer than the page, or of a proxy that cut it.
    { type: 'tool-end', step: 1, callId: 'c', name: 'n' } as never,
    { type: 'usage', step: 1 } as never,
    { type: 'run-end', status: 'done', stop: 'end' },
  ])

  it('is skipped by the chat and by the timeline', () => {
    const into = transcript()
    expect(() => odd.forEach((record) => foldRecord(into, record))).not.toThrow()
    expect(() => runPicture(odd)).not.toThrow()
  })

  it('does not end the conversation for those who listen after it', async () => {
    const { session, asked } = open(
      (method, path) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (method === 'POST') return json({ run: 'r', after: 0 })
        const after = Number(/after=(\d+)/.exec(path)![1])
        return new Response(rows(odd.slice(after), after + 1) + idle)
      },
      { auto: true },
    )
    session.subscribe((record) => {
      if (record.type === 'event' && record.event.type === 'tool-end') throw new TypeError('cannot draw this')
    })
    await session.send('hello')
    await turns()
    expect(typesOf(session)).toEqual(['user', 'run-start', 'tool-call', 'tool-end', 'usage', 'run-end'])
    expect(asked.filter((path) => path.includes('/events'))).toHaveLength(1)
  })
})
