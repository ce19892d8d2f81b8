// A remote session against workers and networks that behave badly.
import { describe, expect, it, vi } from 'vitest'
import { transcript } from '../../element/view/entries.ts'
import { runPicture } from '../../element/view/spans.ts'
import { foldRecord } from '../../element/view/transcript.ts'
import { runRecords } from './events.ts'
import { json, open, plainRun, turns, typesOf } from './remote-rig.ts'
import { eventResponse, handStream, idle, rows, suspended } from './streams.ts'

describe('a connection that is dead but not closed', () => {
  it('is noticed, as the worker pings every 15 seconds, and the events are asked for again', async () => {
    const run = plainRun('r', 'hi')
    const silent = handStream()
    silent.write(rows(run.slice(0, 2), 1))
    const { session, host, asked } = open((method, path) => {
      if (path.endsWith('/sessions')) return json({ session: 's' })
      if (method === 'POST') return json({ run: 'r', after: 0 })
      return path.endsWith('after=0') ? silent.response : eventResponse(rows(run.slice(2), 3) + idle)
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
        return path.endsWith('after=0') ? stream.response : eventResponse(rows(second, 5) + idle)
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
        return path.endsWith('after=0') ? stream.response : eventResponse(rows(plainRun('r', 'done'), 4) + idle)
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
        return eventResponse(rows(plainRun('r', 'hi'), 1) + idle)
      },
      { auto: true },
    )
    await session.send('hello')
    await turns()
    expect(new Set(keys).size).toBe(1)
    expect(typesOf(session)).toContain('run-end')
  })

  it('twice is told as what it is, and the same message goes out again with its key, another with its own', async () => {
    const sent: (readonly [key: string | null, input: unknown])[] = []
    let isAway = true
    const { session } = open(
      (method, path, init) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (method !== 'POST') return eventResponse(rows(plainRun('r', 'hi'), 1) + idle)
        const { input } = JSON.parse(init.body as string) as { readonly input: unknown }
        sent.push([new Headers(init.headers).get('idempotency-key'), input])
        return isAway ? new Response('<title>Bad gateway</title>', { status: 502 }) : json({ run: 'r', after: 0 })
      },
      { auto: true },
    )
    await session.send('hello')
    expect(session.records.at(-1)).toMatchObject({ type: 'failure', code: 'unconfirmed' })
    isAway = false
    await session.send('hello')
    await session.send('more')
    expect(sent.map(([, input]) => input)).toEqual(['hello', 'hello', 'hello', 'more'])
    const keys = sent.map(([key]) => key)
    expect([new Set(keys.slice(0, 3)).size, new Set(keys).size]).toEqual([1, 2])
    expect(typesOf(session)).toContain('run-end')
  })

  it('to a decision is asked for again, as the first one counts', async () => {
    let asked = 0
    const { session } = open(
      (method, path) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (path.endsWith('/decisions') && ++asked === 1) throw new TypeError('network')
        if (path.endsWith('/decisions')) return json({ callId: 'c', decision: 'approve' })
        if (method === 'POST') return json({ run: 'r', after: 0 })
        return eventResponse(path.endsWith('after=0') ? rows(plainRun('r', 'hi'), 1) + suspended : idle)
      },
      { auto: true },
    )
    await session.send('hello')
    await session.decide({ callId: 'c', decision: 'approve' })
    expect(asked).toBe(2)
  })
})

describe('a run that somebody else started', () => {
  it('is shown when it is in the way', async () => {
    const { session } = open(
      (method, path) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (method === 'POST') return json({ error: { code: 'run-active', message: 'Run "r" is going on' } }, 409)
        return eventResponse(rows(plainRun('r', 'hi'), 1) + idle)
      },
      { auto: true },
    )
    await session.send('hello')
    await turns()
    expect(typesOf(session)).toEqual(['user', 'failure', 'run-start', 'text-start', 'text-delta', 'run-end'])
    expect(session.records[1]).toMatchObject({ code: 'run-active' })
  })
})

describe('the clock of the events', () => {
  it('is that of the worker, as far as live events tell', async () => {
    const { session, host } = open(
      (method, path) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (method === 'POST') return json({ run: 'r', after: 0 })
        return eventResponse(rows(plainRun('r', 'hi'), 1) + idle)
      },
      { auto: true },
    )
    expect(session.now?.()).toBe(host.now())
    await session.send('hello')
    // The events are of 1010 to 1040, by a clock that the page reads as 0.
    expect(session.now?.()).toBe(1040)
  })

  it('is not told by events of long ago', async () => {
    const { session } = open(
      (_, path) =>
        path.includes('/events')
          ? eventResponse(rows(plainRun('r', 'hi'), 1) + idle)
          : json({ status: 'idle', messages: [{ role: 'user', content: [] }], seq: 4 }),
      { auto: true, session: 's' },
    )
    await turns()
    expect(typesOf(session).at(-1)).toBe('run-end')
    expect(session.now?.()).toBe(0)
  })
})

describe('an earlier session', () => {
  it('whose stream is refused while its run is at work says so, and only once', async () => {
    const { session } = open(
      (method, path) => {
        if (method === 'POST') return json({ error: { code: 'run-active', message: 'Run "r" is going on' } }, 409)
        if (path.includes('/events')) return json({ error: { code: 'unauthorized', message: 'Wanted a token' } }, 401)
        return json({ status: 'running', messages: [{ role: 'user', content: [] }], seq: 0 })
      },
      { auto: true, session: 's' },
    )
    await turns()
    expect(session.records).toMatchObject([{ type: 'failure', code: 'unauthorized' }])
  })

  it('whose stream is refused while several wait for it says so once', async () => {
    const stream = handStream()
    let streams = 0
    const { session } = open(
      (method, path) => {
        if (path.endsWith('/sessions')) return json({ session: 's' })
        if (method === 'POST') return json({ run: 'r', after: 0 })
        if (++streams === 1) return stream.response
        return json({ error: { code: 'unauthorized', message: 'Wanted a token' } }, 401)
      },
      { auto: true },
    )
    void session.send('hello')
    await turns()
    await session.decide({ callId: 'c', decision: 'approve' })
    stream.end()
    await turns()
    expect(typesOf(session)).toEqual(['user', 'failure'])
  })

  it('is drawn in order, also when a message is sent before it was read', async () => {
    let tell: (() => void) | undefined
    const told = new Promise<void>((resolve) => (tell = resolve))
    const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })
    // The events of a run are there once it was started.
    const all = [...plainRun('r1', 'one')]
    const { session } = open(
      async (method, path) => {
        if (method === 'POST') {
          all.push(...plainRun('r2', 'two'))
          return json({ run: 'r2', after: 4 })
        }
        if (!path.includes('/events')) {
          await told
          return json({ status: 'idle', messages: [user('the first')], pending: [], seq: 4 })
        }
        const after = Number(/after=(\d+)/.exec(path)![1])
        return eventResponse(rows(all.slice(after), after + 1) + idle)
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
    const all = [...plainRun('r1', 'one')]
    const { session } = open(
      (method, path) => {
        if (method === 'POST') {
          all.push(...plainRun('r2', 'two'))
          return json({ run: 'r2', after: 4 })
        }
        if (!path.includes('/events')) {
          if (++asked === 1) throw new TypeError('network')
          return json({ status: 'idle', messages: [user('the first')], pending: [], seq: 4 })
        }
        const after = Number(/after=(\d+)/.exec(path)![1])
        return eventResponse(rows(all.slice(after), after + 1) + idle)
      },
      { auto: true, session: 's' },
    )
    await turns()
    await session.send('the second')
    await turns()
    expect(session.records.some((record) => record.type === 'event' && record.event.run === 'r1')).toBe(true)
  })
})

describe('a worker that closes each stream at once', () => {
  it('is asked less and less often, and the loss is not told where it was reached', async () => {
    const { session, host, asked } = open((method, path) => {
      if (path.endsWith('/sessions')) return json({ session: 's' })
      return method === 'POST' ? json({ run: 'r', after: 0 }) : eventResponse('retry: 1000\n\n')
    })
    void session.send('hello')
    await turns()
    await host.advance(5 * 60_000)
    expect(asked.filter((path) => path.includes('/events')).length).toBeLessThan(30)
    expect(typesOf(session)).toEqual(['user'])
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
    expect(asked).toBe(1)
    expect(session.records.slice(1)).toMatchObject([{ type: 'failure', code: 'no-stream' }])
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
        return eventResponse(rows(odd.slice(after), after + 1) + idle)
      },
      { auto: true },
    )
    const told = vi.spyOn(console, 'error').mockImplementation(() => undefined)
    session.subscribe((record) => {
      if (record.type === 'event' && record.event.type === 'tool-end') throw new TypeError('cannot draw this')
    })
    await session.send('hello')
    await turns()
    expect(told).toHaveBeenCalledOnce()
    told.mockRestore()
    expect(typesOf(session)).toEqual(['user', 'run-start', 'tool-call', 'tool-end', 'usage', 'run-end'])
    expect(asked.filter((path) => path.includes('/events'))).toHaveLength(1)
  })
})
