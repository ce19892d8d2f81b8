// Waiting that ends with its run.
import { describe, expect, it } from 'vitest'
import { unless } from '../../src/registry/scope.ts'

describe('unless()', () => {
  it('leaves once, however often the run is stopped and aborted, and forgets the run', async () => {
    const run: { stopped: boolean; aborted: boolean; listeners?: Set<() => void> } = { stopped: false, aborted: false }
    let given = 0
    const waiting = unless(run, 'aborted', new Promise<never>(() => {}), () => {
      given++
      return Promise.reject(new Error('aborted'))
    })
    const listeners = [...(run.listeners ?? [])]
    const tell = () => listeners.forEach((listener) => run.listeners?.has(listener) && listener())
    run.stopped = true
    tell()
    expect(given).toBe(0)
    run.aborted = true
    tell()
    tell()
    await expect(waiting).rejects.toThrow('aborted')
    expect([given, run.listeners?.size]).toEqual([1, 0])
  })

  it('gives what was worked for, and forgets the run', async () => {
    const run: { stopped: boolean; aborted: boolean; listeners?: Set<() => void> } = { stopped: false, aborted: false }
    expect(await unless(run, 'aborted', Promise.resolve(5), () => 0)).toBe(5)
    expect(run.listeners?.size).toBe(0)
  })
})
