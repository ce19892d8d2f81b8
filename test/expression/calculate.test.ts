import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { calculate } from '../../src/expression/calculate.ts'

function failure(text: string): { code: string; position: unknown; message: string } {
  try {
    calculate(text)
  } catch (error) {
    if (isSameloopError(error)) return { code: error.code, position: error.data['position'], message: error.message }
    throw error
  }
  throw new Error(`"${text}" was computed`)
}

describe('calculate()', () => {
  it('binds products stronger than sums and keeps the order of equals', () => {
    expect(calculate('1 + 2 * 3')).toBe(7)
    expect(calculate('10 - 4 - 3')).toBe(3)
    expect(calculate('100 / 10 / 5')).toBe(2)
    expect(calculate('17 % 5 * 2')).toBe(4)
  })

  it('takes powers from the right and before a sign', () => {
    expect(calculate('2^3^2')).toBe(512)
    expect(calculate('-2^2')).toBe(-4)
    expect(calculate('(-2)^2')).toBe(4)
    expect(calculate('2^-1')).toBe(0.5)
    expect(calculate('2^-3*4')).toBe(0.5)
  })

  it('reads signs, decimals, exponents and parentheses', () => {
    expect(calculate('--3')).toBe(3)
    expect(calculate('+.5 + 2.')).toBe(2.5)
    expect(calculate(' 1.5e3*( 2 + 1 ) ')).toBe(4500)
    expect(calculate('17*23')).toBe(391)
  })

  it('never gives minus zero', () => {
    expect(Object.is(calculate('0 * -1'), 0)).toBe(true)
  })

  it('fails at the position of a division or remainder by zero', () => {
    expect(failure('1 + 4 / (2 - 2)')).toEqual({
      code: 'expression-failed',
      position: 7,
      message: 'Cannot compute "/" at position 7: expected a divisor other than 0',
    })
    expect(failure('5 % 0').code).toBe('expression-failed')
  })

  it('fails where a result is no finite number', () => {
    expect(failure('10^400').code).toBe('expression-failed')
    expect(failure('(-8)^0.5').code).toBe('expression-failed')
    expect(failure('1e999')).toMatchObject({ code: 'expression-invalid', position: 1 })
  })

  it('says where a text is no arithmetic and what was wanted', () => {
    expect(failure('1 +')).toEqual({
      code: 'expression-invalid',
      position: 4,
      message: 'Cannot read the expression at position 4: expected a value, got the end',
    })
    expect(failure('')).toMatchObject({ code: 'expression-invalid', position: 1 })
    expect(failure('(1 + 2').message).toContain('expected ")", got the end')
    expect(failure('1 2')).toMatchObject({ position: 3 })
    expect(failure('3 $ 4').message).toContain('position 3: expected a number, an operator or a parenthesis, got "$"')
  })

  it('takes nothing but arithmetic', () => {
    for (const text of ['"a"', 'x', 'true', '1 < 2', '[1]', 'not 1', 'constructor', 'alert(1)']) {
      expect(failure(text).code).toBe('expression-invalid')
    }
  })

  it('is bounded in length and depth', () => {
    expect(failure('1+'.repeat(2_500) + '1').code).toBe('expression-invalid')
    expect(failure('('.repeat(100) + '1' + ')'.repeat(100)).message).toContain('at most 64 levels')
    expect(failure('-'.repeat(100) + '1').message).toContain('at most 64 levels')
    expect(calculate(`${'1+'.repeat(1_900)}1`)).toBe(1901)
  })
})
