import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/dialect/anthropic.ts'
import { openaiChat } from '../../src/dialect/openai-chat.ts'
import type { Model } from '../../src/model/model.ts'
import { chunked, cutAt, oneByOne, request, scriptedFetch, tell, type Told } from './wire.ts'

// Recorded provider streams, where they are at hand; their expected values were worked out by others.
const folder = new URL('../../../shared/recordings/', import.meta.url)
const present = existsSync(new URL('index.json', folder))
const long = process.env['SAMELOOP_LONG'] === '1'

interface Expected {
  readonly text: string
  readonly reasoning: string
  readonly toolCalls: readonly { id: string; name: string; args: unknown; argsInvalid?: boolean; rawArgs?: string }[]
  readonly serverToolCalls?: readonly { id: string; name: string; args: unknown }[]
  readonly finishRaw: string | null
  readonly usage: Record<string, number | null> | null
  readonly errors: readonly { message: string }[]
}

interface Recording {
  readonly name: string
  readonly protocol: string
  readonly files: readonly string[]
  readonly expected: Expected | readonly Expected[] | string
}

const protocols = new Set(['openai-chat', 'anthropic'])

const rows: readonly { name: string; protocol: string; bytes: Uint8Array; expected: Expected }[] = present
  ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { recordings: Recording[] }).recordings
      .filter((recording) => protocols.has(recording.protocol) && typeof recording.expected !== 'string')
      .flatMap(({ name, protocol, files, expected }) => {
        const streams = files.filter((file) => file.endsWith('.sse'))
        const all = (Array.isArray(expected) ? expected : [expected]) as Expected[]
        return streams.map((file, index) => ({
          name: streams.length > 1 ? `${name} ${index + 1}` : name,
          protocol,
          bytes: new Uint8Array(readFileSync(new URL(file, folder))),
          expected: all[index] as Expected,
        }))
      })
  : []

async function read(protocol: string, chunks: readonly Uint8Array[]): Promise<Told> {
  const { fetch } = scriptedFetch([chunked(chunks)])
  const options = { model: 'm', apiKey: 'k', fetch, maxRetries: 0 }
  const model: Model = protocol === 'anthropic' ? anthropic(options) : openaiChat(options)
  return tell(model, request())
}

/** Two messages spliced into one answer end in an error by policy: nothing of the two is mixed. */
const spliced = 'anthropic/spliced-message-start'

function check(told: Told, { name, expected }: { name: string; expected: Expected }): void {
  if (name === spliced) {
    expect(told.error).toMatchObject({ code: 'stream-invalid', retryable: true })
    return
  }
  expect(told.text).toBe(expected.text)
  expect(told.reasoning).toBe(expected.reasoning)
  expect(told.calls.map(({ id, name: tool, args, text }) => ({ id, name: tool, args, text }))).toEqual(
    expected.toolCalls.map(({ id, name: tool, args, argsInvalid, rawArgs }) => ({
      id,
      name: tool,
      args: argsInvalid ? undefined : args,
      text: rawArgs ?? expect.any(String),
    })),
  )
  if (expected.serverToolCalls) expect(told.hosted).toEqual(expected.serverToolCalls)
  if (expected.errors.length > 0) {
    expect(told.error).toMatchObject({ code: 'model-request', data: { providerMessage: expected.errors[0]?.message } })
    return
  }
  expect(told.error).toBeUndefined()
  expect(told.finish?.rawReason ?? null).toBe(expected.finishRaw)
  const { input, output, total, reasoning, cacheRead, cacheWrite } = expected.usage ?? {}
  const usage = told.finish?.usage ?? {}
  for (const [mine, theirs] of [
    [usage.input, input],
    [usage.output, output],
    [usage.total, total],
    [usage.reasoning, reasoning],
    [usage.cacheRead, cacheRead],
    [usage.cacheWrite, cacheWrite],
  ]) {
    // A count nobody sent is absent with us and 0 in some of the expected values.
    if (typeof theirs === 'number') expect(mine ?? 0).toBe(theirs)
  }
}

describe.skipIf(!present)('recorded streams (skipped where the shared recordings are absent)', () => {
  it('there are some', () => {
    expect(rows.length).toBeGreaterThan(15)
  })

  it.each(rows)('reads $name whole and one byte a chunk to the expected values', async (row) => {
    check(await read(row.protocol, [row.bytes]), row)
    check(await read(row.protocol, oneByOne(row.bytes)), row)
  })

  // Every place of the longest stream takes minutes.
  it.each(rows)(
    'reads $name to the same events wherever it is cut in two',
    { timeout: long ? 600_000 : 30_000 },
    async ({ protocol, bytes }) => {
      const whole = await read(protocol, [bytes])
      const step = long ? 1 : Math.max(1, Math.floor(bytes.length / 150))
      for (let at = 0; at <= bytes.length; at += step) {
        const cut = await read(protocol, cutAt(bytes, at))
        if (JSON.stringify(cut.events) !== JSON.stringify(whole.events))
          expect(cut.events, `cut at ${at}`).toEqual(whole.events)
        expect((cut.error as Error | undefined)?.message).toBe((whole.error as Error | undefined)?.message)
      }
    },
  )
})
