import { describe, expect, it } from 'vitest'
import { serial } from '../../src/stream/serial.ts'

describe('serial()', () => {
  it('starts each piece of work after the one before it has ended, failed ones too', async () => {
    const inTurn = serial()
    const seen: string[] = []
    const work = (name: string) =>
      inTurn(async () => {
        seen.push(`${name} starts`)
        await Promise.resolve()
        seen.push(`${name} ends`)
        if (name === 'b') throw new Error(name)
        return name
      })
    const all = await Promise.allSettled([work('a'), work('b'), work('c')])
    expect(seen).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends'])
    expect(all.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })
})
