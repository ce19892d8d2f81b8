// What is said of thrown things, whatever they are.
import { describe, expect, it } from 'vitest'
import { describeThrown } from '../../src/error/describe.ts'
import { isSameloopError, SameloopError } from '../../src/error/error.ts'

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
const throwing = (key: string): object =>
  Object.defineProperty(new Error('x'), key, {
    get: () => {
      throw new Error('from the getter')
    },
  })

describe('a thrown value', () => {
  it.each([
    ['a text', 'text', 'text'],
    ['an error', new Error('words'), 'words'],
    ['an error without words', new Error(''), 'Error'],
    ['an error of the engine', new TypeError('x is not a function'), 'TypeError'],
    ['nothing', undefined, 'Unknown error'],
    ['an object', { message: 'words' }, 'Unknown error'],
    ['a symbol', Symbol('x'), 'Unknown error'],
    ['a revoked proxy', revoked(), 'Unknown error'],
    ['an error whose message throws', throwing('message'), 'Unknown error'],
    ['an error whose name throws', throwing('name'), 'Unknown error'],
    ['an error whose message is an object', Object.assign(new Error('x'), { message: {} }), 'Unknown error'],
    ['an error whose name is a symbol', Object.assign(new Error('x'), { name: Symbol('n') }), 'Unknown error'],
  ])('is described by a text: %s', (_, thrown, text) => {
    expect(describeThrown(thrown)).toBe(text)
  })

  it('is asked whether it is ours without a throw', () => {
    for (const thrown of [null, undefined, 5, revoked(), throwing('name')]) expect(isSameloopError(thrown)).toBe(false)
    expect(isSameloopError(throwing('code'), 'tool-fatal')).toBe(false)
    expect(isSameloopError(new SameloopError('tool-fatal', 'x'), 'tool-fatal')).toBe(true)
    expect(isSameloopError(new SameloopError('tool-fatal', 'x'), 'tool-denied')).toBe(false)
  })
})
