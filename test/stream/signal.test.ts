import { describe, expect, it } from 'vitest'
import { deadline, joinSignals, sleep, throwIfAborted } from '../../src/stream/signal.ts'
import { settle, testHost } from '../host.ts'

/** A signal that counts its listeners. */
function counted(): { readonly controller: AbortController; listeners(): number } {
  const controller = new AbortController()
  const { signal } = controller
  let count = 0
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args: Parameters<AbortSignal['addEventListener']>) => (
    count++,
    addEventListener.apply(signal, args)
  )
  signal.removeEventListener = (...args: Parameters<AbortSignal['removeEventListener']>) => (
    count--,
    removeEventListener.apply(signal, args)
  )
  return { controller, listeners: () => count }
}

describe('joinSignals()', () => {
  it('aborts with the reason of whichever signal aborts first', () => {
    const [left, right] = [new AbortController(), new AbortController()]
    const joined = joinSignals([left.signal, undefined, right.signal])
    right.abort('because')
    left.abort('too late')
    expect(joined.signal.reason).toBe('because')
  })

  it('is aborted from the start where one signal is', () => {
    expect(joinSignals([AbortSignal.abort('old')]).signal.reason).toBe('old')
  })

  it('leaves no listener on a long-lived signal after a thousand uses', () => {
    const parent = counted()
    for (let round = 0; round < 1000; round++) joinSignals([parent.controller.signal]).release()
    expect(parent.listeners()).toBe(0)
  })
})

describe('deadline()', () => {
  it('aborts with its own reason when the time is over, and not after it is released', async () => {
    const host = testHost()
    const [kept, released] = [10, 10].map((ms) => deadline(host, { ms, reason: () => 'over' }))
    released?.release()
    await host.advance(9)
    expect(kept?.signal.aborted).toBe(false)
    await host.advance(1)
    expect(kept?.signal.reason).toBe('over')
    expect(released?.signal.aborted).toBe(false)
  })

  it('aborts with its parent and leaves nothing on it', () => {
    const host = testHost()
    const parent = counted()
    for (let round = 0; round < 1000; round++)
      deadline(host, { ms: 5, signal: parent.controller.signal, reason: () => 'over' }).release()
    const last = deadline(host, { ms: 5, signal: parent.controller.signal, reason: () => 'over' })
    expect([parent.listeners(), host.timers]).toEqual([1, 1])
    parent.controller.abort('parent')
    expect(last.signal.reason).toBe('parent')
  })
})

describe('sleep()', () => {
  it('waits on the host clock and forgets the signal', async () => {
    const host = testHost()
    const parent = counted()
    let awake = false
    void sleep(host, 100, parent.controller.signal).then(() => (awake = true))
    await host.advance(99)
    expect(awake).toBe(false)
    await host.advance(1)
    expect([awake, parent.listeners()]).toEqual([true, 0])
  })

  it('rejects at once with the reason, before or while it waits, and leaves no timer', async () => {
    const host = testHost()
    const controller = new AbortController()
    const waiting = sleep(host, 100, controller.signal)
    await settle()
    controller.abort('stop')
    await expect(waiting).rejects.toBe('stop')
    await expect(sleep(host, 100, controller.signal)).rejects.toBe('stop')
    expect(host.timers).toBe(0)
  })
})

describe('throwIfAborted()', () => {
  it('throws the reason itself', () => {
    const reason = new Error('mine')
    expect(() => throwIfAborted(AbortSignal.abort(reason))).toThrow(reason)
    expect(() => throwIfAborted(undefined)).not.toThrow()
  })
})
