// Schemas of other libraries, as their users write them.
import { type } from 'arktype'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { tool } from '../../src/tool/define.ts'
import { tool as valibotTool } from '../../src/tool/valibot-tool.ts'

const zodTool = tool({
  name: 'with_zod',
  description: 'x',
  input: z.object({
    city: z.string().min(2).describe('A city'),
    days: z.number().int().max(7).default(3),
    kind: z.enum(['a', 'b']).optional(),
  }),
  output: z.object({ text: z.string() }),
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days: number; kind?: 'a' | 'b' | undefined }>()
    return { text: JSON.stringify(input) }
  },
})

const arkTool = tool({
  name: 'with_ark',
  description: 'x',
  input: type({ city: 'string >= 2', 'days?': 'number.integer <= 7', kind: "'a' | 'b'" }),
  execute: (input) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days?: number; kind: 'a' | 'b' }>()
    return input
  },
})

describe('schemas of zod and arktype', () => {
  const registry = toolRegistry().register([zodTool, arkTool])

  it('show the model what they check', async () => {
    expect(await registry.inputSchema('with_zod')).toMatchObject({
      type: 'object',
      properties: {
        city: { type: 'string', minLength: 2, description: 'A city' },
        days: { type: 'integer', maximum: 7, default: 3 },
        kind: { enum: ['a', 'b'] },
      },
      required: ['city'],
    })
    expect(await registry.inputSchema('with_ark')).toMatchObject({
      type: 'object',
      properties: { city: { type: 'string', minLength: 2 }, days: { type: 'integer', maximum: 7 } },
      required: ['city', 'kind'],
    })
  })

  it('coerce by the one table and validate', async () => {
    expect(await registry.call('with_zod', { city: 'Oslo', days: '5' })).toEqual({ text: '{"city":"Oslo","days":5}' })
    expect(await registry.call('with_zod', { city: 'Oslo' })).toEqual({ text: '{"city":"Oslo","days":3}' })
    expect(await registry.call('with_ark', { city: 'Oslo', kind: 'a', days: '5' })).toEqual({
      result: { city: 'Oslo', kind: 'a', days: 5 },
    })
    for (const name of ['with_zod', 'with_ark'])
      for (const input of [{ city: 'O' }, { city: 'Oslo', days: 8, kind: 'a' }, { city: 'Oslo', kind: 'c' }])
        await expect(registry.call(name, input)).rejects.toMatchObject({ code: 'tool-invalid-input' })
  })

  it('pass through the tool of valibot as they are', async () => {
    const mixed = valibotTool({
      name: 'mixed',
      description: 'x',
      input: z.object({ n: z.number() }),
      execute: ({ n }) => n,
    })
    expect(await toolRegistry().register(mixed).call('mixed', { n: '1' })).toEqual({ result: 1 })
  })
})
