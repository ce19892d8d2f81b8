// Schemas, and values for them, that were made to do harm.
import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { jsonSchema } from '../../src/schema/check.ts'
import type { JsonSchemaOptions } from '../../src/schema/check.ts'
import type { JsonSchema, StandardResult } from '../../src/schema/schema.ts'

function refusal(schema: unknown): string {
  try {
    jsonSchema(schema as JsonSchema)
    return 'none'
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return error.code
  }
}

const messages = (schema: JsonSchema, value: unknown, options?: JsonSchemaOptions): readonly string[] =>
  ((jsonSchema(schema, options)['~standard'].validate(value) as StandardResult<unknown>).issues ?? []).map(
    ({ message }) => message,
  )

const tooMuch = ['Expected a value that can be checked in a million steps']

describe('a hostile JSON Schema', () => {
  it('of several megabytes is refused by the number of its parts, or costs nothing', () => {
    const names = Array.from({ length: 100_000 }, (_, index) => [
      `p${index}`,
      { type: 'string', description: 'x'.repeat(20) },
    ])
    expect(refusal({ type: 'object', properties: Object.fromEntries(names) as object })).toBe('schema-unsupported')
    expect(messages({ type: 'object', description: 'x'.repeat(5_000_000) }, {})).toEqual([])
    const [message = ''] = messages({ enum: ['x'.repeat(5_000_000)] }, 'y')
    expect(message.length).toBeLessThan(1_100)
  })

  it('that nests or leads back to itself without end is refused', () => {
    let deep: unknown = {}
    for (let level = 0; level < 100_000; level += 1) deep = { not: deep }
    expect(refusal(deep)).toBe('schema-unsupported')
    let data: unknown = {}
    for (let level = 0; level < 100_000; level += 1) data = { x: data }
    expect(refusal({ default: data })).toBe('schema-unsupported')
    const circle: { type: string; properties?: object } = { type: 'object' }
    circle.properties = { circle }
    expect(refusal(circle)).toBe('schema-unsupported')
    expect(refusal({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } })).toBe(
      'schema-invalid',
    )
  })

  it('that refers to other addresses, or to inherited names, is refused', () => {
    const references = [
      'https://evil.example/schema.json',
      '//evil.example',
      'file:///etc/passwd',
      '#/__proto__',
      '#/constructor',
    ]
    for (const $ref of references) expect(refusal({ $ref })).toBe('schema-unsupported')
  })

  it('that doubles with each level of a value is not followed to the end', () => {
    const twice = { anyOf: [{ $ref: '#/$defs/t' }, { $ref: '#/$defs/t' }] }
    const tree = { $ref: '#/$defs/t', $defs: { t: { type: 'object', properties: { a: twice } } } }
    let value: unknown = {}
    for (let level = 0; level < 40; level += 1) value = { a: value }
    expect(messages(tree, value)).toEqual(tooMuch)
    expect(messages(tree, { a: { a: { a: {} } } })).toEqual([])
  })

  it('that compares everything with everything is not followed to the end', () => {
    const rows = Array.from({ length: 20_000 }, (_, id) => ({ id }))
    expect(messages({ uniqueItems: true }, rows)).toEqual(tooMuch)
    expect(messages({ uniqueItems: true }, rows.slice(0, 500))).toEqual([])
    const choices = Array.from({ length: 5_000 }, (_, id) => ({ const: id }))
    expect(
      messages(
        { items: { oneOf: choices } },
        Array.from({ length: 2_000 }, (_, id) => id),
      ),
    ).toEqual(tooMuch)
    const patterns = Object.fromEntries(Array.from({ length: 2_000 }, (_, id) => [`^p${id}$`, {}]))
    const keys = Object.fromEntries(Array.from({ length: 20_000 }, (_, id) => [`k${id}`, 1]))
    expect(messages({ patternProperties: patterns }, keys)).toEqual(tooMuch)
    expect(
      messages(
        { items: { enum: Array.from({ length: 15_000 }, (_, id) => `${id}`), not: {} } },
        Array(5_000).fill('x'),
      ),
    ).toEqual(tooMuch)
  })

  it('whose expressions backtrack without end is harmless where patterns are ignored', () => {
    for (const pattern of ['^(a+)+$', '(a|a)*b', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y'])
      expect(
        messages({ pattern, patternProperties: { [pattern]: { type: 'null' } } }, 'a'.repeat(50_000), {
          patterns: 'ignore',
        }),
      ).toEqual([])
  })

  it('has no power over prototypes', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"number"}},"required":["__proto__"],"$defs":{"__proto__":{"type":"null"}}}',
    ) as JsonSchema
    expect(messages(schema, {})).not.toEqual([])
    expect(messages(schema, JSON.parse('{"__proto__":1}'))).toEqual([])
    expect(messages(schema, JSON.parse('{"__proto__":"x"}'))).not.toEqual([])
    expect(({} as { type?: unknown }).type).toBeUndefined()
    expect(messages(JSON.parse('{"required":["constructor","toString"]}') as JsonSchema, {})).not.toEqual([])
  })

  it('begins anew with each value', () => {
    const validate = jsonSchema({ items: { oneOf: [{ const: 1 }, { const: 2 }] } })['~standard'].validate
    const list = Array.from({ length: 100_000 }, () => 1)
    for (let turn = 0; turn < 5; turn += 1) expect((validate(list) as StandardResult<unknown>).issues).toBeUndefined()
  })
})
