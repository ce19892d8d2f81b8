import { describe, expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import { kit } from '../../src/testing/kit.ts'
import type { Scenario } from '../../src/testing/kit.ts'
import { runSuite } from '../../src/testing/suite.ts'

const only = async (scenario: Scenario['run'], limitMs?: number) =>
  (await runSuite([{ name: 'one', run: scenario }], webHost, limitMs)).scenarios[0]!

describe('the virtual clock', () => {
  it('does not fire a cancelled timer and lets go of it', async () => {
    const { clock } = kit(webHost)
    const fired: string[] = []
    const cancel = clock.timer(5, () => fired.push('cancelled'))
    clock.timer(10, () => fired.push('kept'))
    cancel()
    await clock.sleep(20)
    expect(fired).toEqual(['kept'])
    expect(clock.pending()).toBe(0)
  })
  it('settles without moving the time, before any timer', async () => {
    const { clock } = kit(webHost)
    const started = clock.now()
    let fired = false
    clock.timer(0, () => (fired = true))
    await clock.settle()
    expect(fired).toBe(false)
    expect(clock.now()).toBe(started)
  })
  it('treats a negative or missing wait as none', async () => {
    const { clock } = kit(webHost)
    const started = clock.now()
    await clock.sleep(-5)
    await clock.sleep(Number.NaN)
    expect(clock.now()).toBe(started)
  })
  it('waits for work of a few real turns before it fires', async () => {
    const { clock } = kit(webHost)
    const order: string[] = []
    const work = async (): Promise<void> => {
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
      order.push('work')
    }
    await Promise.all([clock.sleep(1).then(() => order.push('timer')), work()])
    expect(order).toEqual(['work', 'timer'])
  })
})

describe('the served fetch', () => {
  it('fails in words while nothing is served', async () => {
    await expect(kit(webHost).host.fetch('https://a.example/')).rejects.toThrow('Cannot fetch "https://a.example/"')
  })
  it('shows the request with lower-case headers and its body', async () => {
    const world = kit(webHost)
    world.serve(() => ({ status: 404, body: 'gone' }))
    const request = new Request('https://a.example/b', { method: 'PUT', body: 'text', headers: { 'X-One': '1' } })
    const response = await world.host.fetch(request)
    expect(await response.text()).toBe('gone')
    expect(world.requests[0]).toMatchObject({
      method: 'PUT',
      url: 'https://a.example/b',
      body: 'text',
      headers: { 'x-one': '1' },
    })
  })
  it('rejects with the reason when the signal aborts before the headers', async () => {
    const world = kit(webHost)
    const controller = new AbortController()
    world.serve(() => ({ wait: 1000 }))
    world.clock.timer(10, () => controller.abort('stop'))
    await expect(world.host.fetch('https://a.example/', { signal: controller.signal })).rejects.toBe('stop')
    expect(world.clock.pending()).toBe(0)
  })
  it('keeps nothing waiting when a body is cancelled', async () => {
    const world = kit(webHost)
    world.serve(() => ({ body: ['first', { wait: 1000 }, 'second'] }))
    const reader = (await world.host.fetch('https://a.example/')).body!.getReader()
    await reader.read()
    await world.clock.settle()
    expect(world.clock.pending()).toBe(1)
    await reader.cancel()
    expect(world.clock.pending()).toBe(0)
  })
})

describe('runSuite()', () => {
  it('reports a failed check in words and goes on', async () => {
    const failing: Scenario = {
      name: 'wrong',
      run: async (world) => world.equal({ b: 1, a: 2 }, { a: 3, b: 1 }, 'The sum'),
    }
    const fine: Scenario = { name: 'right', run: async (world) => world.note('done', true) }
    const { scenarios } = await runSuite([failing, fine], webHost)
    expect(scenarios.map(({ ok }) => ok)).toEqual([false, true])
    expect(scenarios[0]!.error).toContain('The sum: wanted {"a":3,"b":1}, got {"a":2,"b":1}')
  })
  it('gives up on a scenario that hangs', async () => {
    const report = await only(() => new Promise(() => {}), 50)
    expect(report).toMatchObject({ ok: false })
    expect(report.error).toContain('Not finished after 50 ms')
  })
  it('fails a scenario that wants an error and gets none, or another', async () => {
    expect((await only(async (world) => void (await world.throws(() => 1, 'vfs-exists')))).error).toContain(
      'nothing was thrown',
    )
    const other = await only(
      async (world) => void (await world.throws(() => Promise.reject(new Error('no')), 'vfs-exists')),
    )
    expect(other.error).toContain('wanted "vfs-exists", got "Error: no"')
  })
  it('gives another hash for another trace', async () => {
    const noting = (value: number): Scenario => ({ name: 'one', run: async (world) => world.note('value', value) })
    const hashes = await Promise.all([1, 1, 2].map(async (value) => (await runSuite([noting(value)], webHost)).hash))
    expect(hashes[0]).toBe(hashes[1])
    expect(hashes[0]).not.toBe(hashes[2])
  })
})
