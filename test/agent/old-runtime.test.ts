// The library on an engine without the newer conveniences: the whole suite once more, with them taken away.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import { scenarios } from '../../src/testing/scenarios/all.ts'
import { runSuite } from '../../src/testing/suite.ts'

const newer: readonly (readonly [object, PropertyKey])[] = [
  [AbortSignal, 'any'],
  [AbortSignal, 'timeout'],
  [Promise, 'withResolvers'],
  [Promise, 'try'],
  [Array, 'fromAsync'],
  [Object, 'groupBy'],
  [String.prototype, 'toWellFormed'],
  [String.prototype, 'isWellFormed'],
  [ReadableStream.prototype, Symbol.asyncIterator],
  [ReadableStream.prototype, 'values'],
  [ReadableStream, 'from'],
]

const taken: (() => void)[] = []

beforeAll(() => {
  for (const [owner, key] of newer) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, key)
    if (descriptor === undefined) continue
    taken.push(() => Object.defineProperty(owner, key, descriptor))
    expect(Reflect.deleteProperty(owner, key)).toBe(true)
  }
})

afterAll(() => {
  for (const giveBack of taken) giveBack()
})

it('runs every scenario without AbortSignal.any, stream iteration and their like', async () => {
  const report = await runSuite(scenarios, webHost)
  expect(report.scenarios.filter(({ ok }) => !ok).map(({ name, error }) => `${name}: ${error}`)).toEqual([])
})
