import * as v from 'valibot'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { toSchema } from '../../src/schema/standard.ts'
import { tool } from '../../src/tool/valibot-tool.ts'

const forecast = tool(
  {
    name: 'forecast',
    description: 'Weather of the next days',
    input: { city: v.pipe(v.string(), v.description('A city')), days: 3, units: 'metric', note: undefined },
  },
  ({ city, days, units, note }) => `${city} ${days} ${units} ${JSON.stringify(note)}`,
)

describe('a tool with its input field by field', () => {
  it('stays a function with its own signature', () => {
    expect(forecast({ city: 'Oslo', days: 1, units: 'metric', note: [1] })).toBe('Oslo 1 metric [1]')
    expectTypeOf(forecast).parameter(0).toEqualTypeOf<{ city: string; days: number; units: string; note: unknown }>()
    expect(forecast.name).toBe('forecast')
  })

  it('shows each field to the model: a default makes it optional, undefined lets it be anything', () => {
    expect(toSchema(forecast.input!, 'input').json).toEqual({
      type: 'object',
      properties: {
        city: { type: 'string', description: 'A city' },
        days: { type: 'number', default: 3 },
        units: { type: 'string', default: 'metric' },
        note: {},
      },
      required: ['city', 'note'],
    })
  })

  it('fills defaults in, and misses what has none', () => {
    const { check } = toSchema(forecast.input!, 'input')
    expect(check({ city: 'Oslo', note: null })).toEqual({
      ok: true,
      value: { city: 'Oslo', days: 3, units: 'metric', note: null },
    })
    expect(check({ city: 'Oslo' })).toMatchObject({ ok: false, issues: [{ path: ['note'] }] })
    expect(check({ city: 'Oslo', note: 1, days: 'many' })).toMatchObject({ ok: false, issues: [{ path: ['days'] }] })
  })

  it('refuses a field that is neither a valibot schema nor a default', () => {
    const other = { '~standard': { version: 1, vendor: 'zod', validate: () => ({ value: 1 }) } }
    const make = (field: unknown) => () => tool({ name: 'x', description: 'x', input: { field } as never }, () => 1)
    expect(make(other)).toThrow(/field "field": wanted a valibot schema.*another library/)
    expect(make(() => 1)).toThrow(/got a function/)
  })
})
