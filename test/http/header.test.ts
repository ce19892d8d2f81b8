import { describe, expect, it } from 'vitest'
import { isHeaderName, isHeaderValue, setHeader } from '../../src/http/header.ts'

describe('a header', () => {
  it('has a name that is a token of at most 200 characters', () => {
    expect(['accept', 'X-Key_1', '!#$%'].filter(isHeaderName)).toEqual(['accept', 'X-Key_1', '!#$%'])
    expect(['', 'a b', 'a:b', 'é', 'x'.repeat(201)].filter(isHeaderName)).toEqual([])
  })

  it('has a value of printable ASCII', () => {
    expect(['', 'a b', '~'].every(isHeaderValue)).toBe(true)
    expect(['a\nb', 'a\tb', 'é', '\u0000'].some(isHeaderValue)).toBe(false)
  })

  it('that cannot travel is refused by its name, without its value and without the engine’s words', () => {
    const refused = (name: string, value: string): unknown => {
      try {
        setHeader(new Headers(), name, value)
      } catch (thrown) {
        return thrown
      }
      return undefined
    }
    expect(refused('x-key', 'se\ncret')).toMatchObject({
      code: 'source-failed',
      message: 'Cannot send the header "x-key": its value cannot travel in a header',
    })
    expect(Object.hasOwn(refused('x-key', 'se\ncret') as Error, 'cause')).toBe(false)
    expect(refused('x key', 'secret')).toMatchObject({
      message: 'Cannot send the header "x key": that is not the name of a header',
    })
  })
})
