// One client's stream, without a Durable Object.
import { describe, expect, it } from 'vitest'
import { eventStream } from '../../../adapters/cloudflare/event-log/event-stream.ts'
import type { LogRow, SessionLog } from '../../../adapters/cloudflare/event-log/log.ts'
import { settle, testHost } from '../../host.ts'

/** A log in memory that counts what is asked of it. */
function memoryLog() {
  const rows: LogRow[] = []
  const listeners = new Set<() => void>()
  let durable = 0
  let reads = 0
  let fault: Error | undefined
  const log = {
    get last() {
      return rows.length
    },
    get durable() {
      return durable
    },
    read(after: number) {
      reads++
      if (fault !== undefined) throw fault
      return rows.slice(after, Math.min(after + 1, durable))
    },
    onChange(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  } as unknown as SessionLog
  return {
    log,
    listeners,
    reads: () => reads,
    write: (data: string) => void rows.push({ seq: rows.length + 1, data }),
    fail: (thrown: Error) => {
      fault = thrown
      for (const listener of [...listeners]) listener()
    },
    sync: () => {
      durable = rows.length
      for (const listener of [...listeners]) listener()
    },
  }
}

function opened(after = 0) {
  const host = testHost()
  const memory = memoryLog()
  const status = { closing: undefined as 'idle' | 'suspended' | undefined }
  let ends = 0
  const told: unknown[] = []
  const source = {
    log: memory.log,
    host,
    closing: () => status.closing,
    onError: (thrown: unknown) => void told.push(thrown),
  }
  const stream = eventStream(source, after, () => void ends++)
  const reader = stream.body.getReader()
  const read = async (): Promise<string | undefined> => {
    const { value } = await reader.read()
    return value && new TextDecoder().decode(value)
  }
  return { ...memory, host, status, read, reader, close: stream.close, ends: () => ends, told }
}

describe('eventStream()', () => {
  it('says when to come back, and then each row under its number', async () => {
    const { read, write, sync } = opened()
    expect(await read()).toBe('retry: 1000\n\n')
    write('{"a":1}')
    sync()
    expect(await read()).toBe('id: 1\ndata: {"a":1}\n\n')
  })

  it('shows no row that is not on disk yet, and does not end before the last one is', async () => {
    const { read, write, sync, status } = opened()
    await read()
    write('{}')
    status.closing = 'idle'
    let shown: string | undefined
    const reading = read().then((text) => (shown = text))
    await settle()
    expect(shown).toBeUndefined()
    sync()
    await reading
    expect(shown).toBe('id: 1\ndata: {}\n\n')
    expect(await read()).toBe('event: idle\ndata: {}\n\n')
    expect(await read()).toBeUndefined()
  })

  it('pings after 15 seconds without anything', async () => {
    const { read, host, ends } = opened()
    await read()
    let shown: string | undefined
    const reading = read().then((text) => (shown = text))
    await host.advance(14_999)
    expect(shown).toBeUndefined()
    await host.advance(1)
    await reading
    expect([shown, ends()]).toEqual([': ping\n\n', 0])
  })

  it('reads nothing ahead for a client that does not read', async () => {
    const { write, sync, reads } = opened()
    for (let row = 0; row < 100; row++) write('{}')
    sync()
    await settle()
    await settle()
    expect(reads()).toBeLessThanOrEqual(1)
  })

  it.each(['cancelled', 'closed'])(
    'leaves no timer and no listener behind when it is %s, and ends once',
    async (how) => {
      const { read, reader, close, host, listeners, ends } = opened()
      await read()
      const reading = read()
      await settle()
      expect([host.timers, listeners.size]).toEqual([1, 1])
      if (how === 'closed') close()
      else await reader.cancel()
      close()
      await reading
      expect([host.timers, listeners.size, ends()]).toEqual([0, 0, 1])
    },
  )

  it('ends where the log cannot be read, tells it, and can still be closed', async () => {
    const { read, fail, close, host, listeners, ends, told } = opened()
    await read()
    const reading = read()
    await settle()
    const fault = new Error('the disk is gone')
    fail(fault)
    await expect(reading).rejects.toThrow(fault)
    close()
    expect([host.timers, listeners.size, ends(), told]).toEqual([0, 0, 1, [fault]])
  })
})
