import { describe, expect, it } from 'vitest'
import { openaiChat } from '../../src/dialect/openai-chat.ts'
import type { StreamOptions } from '../../src/model/event-stream.ts'
import type { Fetch } from '../../src/host/host.ts'
import { settle, testHost } from '../host.ts'
import { chunked, request, scriptedFetch, tell, type Told } from '../dialect/wire.ts'

const delta = (content: string): string => `data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`
const stop = 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\n'
const good = (): Response => chunked([delta('Hello'), stop, 'data: [DONE]\n\n'])
const failed = (status: number, body = '{"error":{"message":"no"}}', headers: Record<string, string> = {}): Response =>
  new Response(body, { status, headers })
const error = (type: string): string => `data: {"error":{"type":"${type}","message":"broke"}}\n\n`

type Answers = Parameters<typeof scriptedFetch>[0]

async function run(answers: Answers, options: StreamOptions = {}): Promise<Told & { requests: number }> {
  const { fetch, sent } = scriptedFetch(answers)
  const told = await tell(openaiChat({ model: 'm', apiKey: 'secret-key', fetch, ...options }))
  return { ...told, requests: sent.length }
}

/** A body that gives these chunks and then stays silent. */
function silent(...chunks: readonly string[]): { response: Response; cancelled: () => boolean } {
  let cancelled = false
  const body = new ReadableStream({
    start: (controller) => chunks.forEach((chunk) => controller.enqueue(new TextEncoder().encode(chunk))),
    cancel: () => void (cancelled = true),
  })
  return { response: new Response(body), cancelled: () => cancelled }
}

describe('a model request', () => {
  it('is tried again once for each passing failure before the first event', async () => {
    const passing: readonly Answers[number][] = [
      failed(529),
      failed(503, '<html>Bad gateway</html>'),
      failed(429),
      new TypeError('fetch failed'),
      chunked([error('overloaded_error')]),
      chunked([': hold\n\n']),
    ]
    for (const first of passing) {
      const told = await run([first, good()])
      expect(told).toMatchObject({ text: 'Hello', requests: 2, error: undefined })
      expect(told.retries).toHaveLength(1)
    }
  })

  it('is not tried again for failures that stay', async () => {
    for (const first of [
      failed(400),
      failed(401),
      failed(404),
      chunked([error('invalid_request_error')]),
      chunked(['<html>'], 'text/html'),
    ]) {
      expect(await run([first, good()])).toMatchObject({ text: '', requests: 1, error: { retryable: false } })
    }
  })

  it('never says an answer twice: after the first event a failure is the caller’s to handle', async () => {
    const told = await run([chunked([delta('Hel'), error('overloaded_error')]), good()])
    expect(told).toMatchObject({
      text: 'Hel',
      requests: 1,
      error: { code: 'model-request', retryable: true, data: { class: 'overloaded' } },
    })
  })

  it('hands out what came before a failure even when both are in one chunk', async () => {
    const together = await run([chunked([delta('Hel') + error('overloaded_error')])])
    const apart = await run([chunked([delta('Hel'), error('overloaded_error')])])
    expect(together.text).toBe('Hel')
    expect([together.events, String(together.error)]).toEqual([apart.events, String(apart.error)])
  })

  it('gives up after two retries, or as many as it is told', async () => {
    expect(await run([failed(500), failed(500), failed(500), good()])).toMatchObject({
      requests: 3,
      error: { code: 'model-request' },
    })
    expect(await run([failed(500), good()], { maxRetries: 0 })).toMatchObject({
      requests: 1,
      error: { code: 'model-request' },
    })
  })

  it('waits as long as the server asks, and not at all when that is too long', async () => {
    expect((await run([failed(429, '{}', { 'retry-after': '7' }), good()])).retries).toEqual(['1:7000'])
    const told = await run([failed(429, '{}', { 'retry-after': '120' }), good()])
    expect(told).toMatchObject({
      requests: 1,
      retries: [],
      error: { retryable: true, data: { retryAfterMs: 120_000 } },
    })
    expect(
      (await run([failed(429, '{}', { 'retry-after': '120' }), good()], { maxRetryWaitMs: 300_000 })).requests,
    ).toBe(2)
  })

  it('says class, status and the provider’s words, and never the key', async () => {
    const body = JSON.stringify({
      error: { message: 'Wrong key secret-key given', type: 'invalid_request_error', code: 'invalid_api_key' },
    })
    const { error: thrown } = await run([failed(401, body)])
    expect(thrown).toMatchObject({
      code: 'model-request',
      message: 'Model request failed with status 401 (auth): "Wrong key … given"',
      data: { class: 'auth', status: 401, providerMessage: 'Wrong key … given' },
    })
    expect(JSON.stringify(thrown)).not.toContain('secret-key')
    const { error: page } = await run([failed(400, '<p>secret-key</p>')])
    expect(page).toMatchObject({ data: { class: 'invalid-request', body: '<p>…</p>' } })
    expect(JSON.stringify(await run([chunked([error('x secret-key')])]).then((told) => told.error))).not.toContain(
      'secret-key',
    )
  })

  it('reads a failed body once, up to a limit, and cancels the rest', async () => {
    let cancelled = false
    let pulled = 0
    const endless = new ReadableStream({
      pull: (controller) => {
        pulled++
        controller.enqueue(new Uint8Array(4096).fill(120))
      },
      cancel: () => void (cancelled = true),
    })
    const { error: thrown } = await run([new Response(endless, { status: 400 })])
    expect(cancelled).toBe(true)
    expect(pulled).toBeLessThan(20)
    expect((thrown as { data: { body: string } }).data.body.length).toBeLessThanOrEqual(500)
  })

  it('names a page in the place of a stream, and a body that is no stream at all', async () => {
    expect((await run([chunked(['<html>Sign in</html>'], 'text/html; charset=utf-8')])).error).toMatchObject({
      code: 'model-response',
      message: 'Wanted an event stream, got content of type "text/html; charset=utf-8"',
    })
    expect((await run([new Response(null, { status: 200 })])).error).toMatchObject({ code: 'model-response' })
  })

  it('reads one JSON body where a server does not stream', async () => {
    const body = JSON.stringify({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }] }, null, 2)
    expect(await run([chunked([body.slice(0, 20), body.slice(20)], 'application/json')])).toMatchObject({
      text: 'Hi',
      error: undefined,
    })
    const wrong = JSON.stringify({ error: { message: 'no', code: 404 } })
    expect((await run([chunked([wrong], 'application/json')])).error).toMatchObject({
      data: { class: 'not-found', status: 404 },
    })
  })

  it('calls fetch without this, the host’s or its own', async () => {
    const seen: unknown[] = []
    const fetch = function (this: unknown): Promise<Response> {
      seen.push(this)
      return Promise.resolve(good())
    } as Fetch
    await tell(openaiChat({ model: 'm', fetch }))
    await tell(openaiChat({ model: 'm' }), request(), { host: testHost({ fetch }) })
    expect(seen).toEqual([undefined, undefined])
  })
})

describe('an event stream', () => {
  it('that falls silent is stalled, after the idle time and not before', async () => {
    const host = testHost()
    const { response, cancelled } = silent(delta('Hi'))
    const { fetch } = scriptedFetch([response])
    let told: Told | undefined
    void tell(openaiChat({ model: 'm', fetch }), request(), { host }).then((done) => (told = done))
    await host.advance(59_999)
    expect(told).toBeUndefined()
    await host.advance(1)
    expect(told).toMatchObject({ text: 'Hi', error: { code: 'stream-stalled', retryable: true } })
    expect([cancelled(), host.timers]).toEqual([true, 0])
  })

  it('that never gives an event is stalled in spite of comments, and a silent head too', async () => {
    const host = testHost()
    let open = true
    const body = new ReadableStream({
      pull: (controller) =>
        new Promise((resolve) => {
          host.timer(30_000, () => {
            if (open) controller.enqueue(new TextEncoder().encode(': hold\n\n'))
            resolve()
          })
        }),
      cancel: () => void (open = false),
    })
    const { fetch } = scriptedFetch([new Response(body), () => new Promise<Response>(() => {})])
    const model = openaiChat({ model: 'm', fetch, stallTimeoutMs: 100_000, maxRetries: 1 })
    let told: Told | undefined
    void tell(model, request(), { host }).then((done) => (told = done))
    await host.advance(100_000)
    expect(told).toBeUndefined()
    await host.advance(200_000)
    expect(told).toMatchObject({ error: { code: 'stream-stalled' } })
  })

  it('does not count the time its reader takes', async () => {
    const host = testHost()
    const { fetch } = scriptedFetch([chunked([delta('Hi'), stop])])
    const iterator = openaiChat({ model: 'm', fetch }).stream(request(), { host })[Symbol.asyncIterator]()
    await iterator.next()
    await host.advance(300_000)
    expect(await iterator.next()).toMatchObject({ value: [{ type: 'text-end' }, { type: 'finish' }] })
  })

  it('ends at once on abort, with the signal’s own reason, wherever it is', async () => {
    const never = (): Promise<Response> => new Promise(() => {})
    const stages: readonly Answers[number][] = [
      never,
      silent().response,
      silent(delta('Hi')).response,
      failed(429, '{}', { 'retry-after': '50' }),
    ]
    for (const stage of stages) {
      const controller = new AbortController()
      const host = testHost()
      const { fetch } = scriptedFetch([stage])
      const reason = { why: 'mine' }
      const telling = tell(openaiChat({ model: 'm', fetch }), request(), { host, signal: controller.signal })
      await settle()
      await settle()
      controller.abort(reason)
      expect((await telling).error).toBe(reason)
      expect(host.timers).toBe(0)
    }
    expect((await tell(openaiChat({ model: 'm' }), request(), { signal: AbortSignal.abort('early') })).error).toBe(
      'early',
    )
  })

  it('passes the abort on to fetch and cancels the body', async () => {
    const controller = new AbortController()
    const { response, cancelled } = silent(delta('Hi'))
    let signal: AbortSignal | null | undefined
    const fetch: Fetch = async (_url, init) => {
      signal = init?.signal
      return response
    }
    const telling = tell(openaiChat({ model: 'm', fetch }), request(), { signal: controller.signal })
    await settle()
    controller.abort('stop')
    await telling
    expect([signal?.aborted, cancelled()]).toEqual([true, true])
  })

  it('cancels a body that comes after the abort', async () => {
    const controller = new AbortController()
    const { response, cancelled } = silent()
    let answer: (response: Response) => void = () => {}
    const fetch: Fetch = () => new Promise((resolve) => (answer = resolve))
    const telling = tell(openaiChat({ model: 'm', fetch }), request(), { signal: controller.signal })
    await settle()
    controller.abort('stop')
    expect((await telling).error).toBe('stop')
    answer(response)
    await settle()
    expect(cancelled()).toBe(true)
  })

  it('leaves no listener on a long-lived signal and no timer, after a thousand requests', async () => {
    const { signal } = new AbortController()
    let listeners = 0
    const { addEventListener, removeEventListener } = signal
    signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>) => (
      listeners++,
      addEventListener.apply(signal, args)
    )
    signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>) => (
      listeners--,
      removeEventListener.apply(signal, args)
    )
    const host = testHost()
    const model = openaiChat({ model: 'm', fetch: async () => good() })
    for (let round = 0; round < 1000; round++) await tell(model, request(), { host, signal })
    await settle()
    expect([listeners, host.timers]).toEqual([0, 0])
  })

  it('cancels the body when its reader leaves', async () => {
    const { response, cancelled } = silent(delta('Hi'))
    const { fetch } = scriptedFetch([response])
    for await (const _events of openaiChat({ model: 'm', fetch }).stream(request(), { host: testHost() })) break
    expect(cancelled()).toBe(true)
  })

  it('ends for who waits when its reader leaves, before the response and within it', async () => {
    const { fetch } = scriptedFetch([() => new Promise<Response>(() => {}), silent(delta('Hi')).response])
    const host = testHost()
    const model = openaiChat({ model: 'm', fetch })
    const unanswered = model.stream(request(), { host })[Symbol.asyncIterator]()
    const first = unanswered.next()
    await settle()
    await unanswered.return?.()
    const broken = model.stream(request(), { host })[Symbol.asyncIterator]()
    await broken.next()
    const second = broken.next()
    await broken.return?.()
    expect(await Promise.all([first, second])).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ])
    expect([host.timers, (await broken.next()).done]).toEqual([0, true])
  })

  it('reads to the end of a body that ends after its last event, and cancels one that does not', async () => {
    const ends = chunked([delta('Hi'), stop, 'data: [DONE]\n\n'])
    const hangs = silent(delta('Hi'), stop, 'data: [DONE]\n\n')
    const host = testHost()
    const { fetch } = scriptedFetch([ends, hangs.response])
    const model = openaiChat({ model: 'm', fetch })
    await tell(model, request(), { host })
    await settle()
    expect([host.waits.includes(1000), host.timers]).toEqual([true, 0])
    expect((await tell(model, request(), { host })).finish?.reason).toBe('stop')
    expect(hangs.cancelled()).toBe(false)
    await host.advance(1000)
    expect(hangs.cancelled()).toBe(true)
  })

  it('that breaks off in the middle is a lost connection, retryable, without the engine’s words', async () => {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(delta('Hi'))),
      pull: () => Promise.reject(new TypeError('terminated')),
    })
    const { error: thrown, text } = await run([new Response(body)])
    expect([text, thrown]).toMatchObject(['Hi', { code: 'model-connection', retryable: true }])
    expect(JSON.stringify(thrown)).not.toContain('terminated')
  })
})
