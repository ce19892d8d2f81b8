import * as v from 'valibot'
import * as z from 'zod'
import { describe, expect, it } from 'vitest'
import { graphOf } from '../../src/plan/graph.ts'
import { addTools, toolList, toolTable } from '../../src/registry/table.ts'
import { withJsonSchema } from '../../src/schema/valibot.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { planned, refusal, unfit } from './kit.ts'
import type { Given } from './kit.ts'

const t: Given = {
  input: {
    type: 'object',
    properties: {
      count: { type: 'number' },
      name: { type: 'string' },
      flag: { type: 'boolean' },
      kind: { enum: ['a', 'b'] },
      tags: { type: 'array', items: { type: 'string' } },
      inner: { $ref: '#/$defs/inner' },
      either: { anyOf: [{ type: 'number' }, { type: 'object', required: ['x'] }] },
    },
    required: ['count'],
    additionalProperties: false,
    $defs: { inner: { type: 'object', properties: { deep: { type: 'integer' } }, required: ['deep'] } },
  },
}
/** Makes values of which the schema says much. */
const made: Given = {
  output: {
    type: 'object',
    properties: {
      object: { type: 'object' },
      list: { type: 'array', items: { type: 'object', properties: { n: { type: 'number' } } } },
      text: { type: 'string' },
      number: { type: 'number' },
      yes: { type: 'boolean' },
      many: { type: ['object', 'string'] },
      none: { type: 'null' },
      open: {},
    },
  },
}
const from = (path: string, id = 'a') => ({ $from: id, path })
/** What is refused of an input for `t`, after a step `a` of the tool `made`. */
const said = (input: unknown, more: object = {}): string | undefined =>
  unfit({ t: { ...t, ...more }, made }, { id: 'a', tool: 'made' }, { id: 'b', input: input as never })?.message.replace(
    'Cannot use step "b": ',
    '',
  )
const prefix = 'the input of tool "t" does not fit: '

describe('graphOf() with tools and input without references', () => {
  it('takes what fits, also after coercion', () => {
    expect(said({ count: 1, name: 'x', tags: [], inner: { deep: 1 }, either: { x: 1 } })).toBe(undefined)
    expect(said({ count: '50', flag: 1, tags: '["x"]', name: null })).toBe(undefined)
    expect(said({ count: { $value: 1 } })).toBe(undefined)
    expect(said({ $value: { count: 1 } })).toBe(undefined)
  })

  it('refuses what does not, as the call would', () => {
    expect(unfit({ t }, { id: 'b', input: { count: 'many' } })).toEqual({
      message: `Cannot use step "b": ${prefix}/count: Expected "number", received "many"`,
      data: { problem: 'schema', step: 'b', path: ['input', 'count'] },
    })
    expect(said({ name: 'x' })).toContain('Expected the property "count"')
    expect(said({ count: 1, other: 1 })).toContain('/other')
    expect(said({ count: 1, inner: {} })).toContain('/inner')
    expect(said({ count: '50' }, { coerce: 'strict' })).toContain('/count')
    expect(said(undefined)).toContain('Expected the property "count"')
    expect(said([1])).toContain(prefix)
  })

  it('lets a tool without parameters be given anything but a text', () => {
    expect(unfit({ t: {} }, { input: { any: 1 } })).toBe(undefined)
    expect(unfit({ t: {} }, { input: 'words' })?.message).toBe(
      'Cannot use step "s0": tool "t" takes an object, got the text "words"',
    )
  })

  it('refuses a text where the tool takes an object', () => {
    expect(said('{"count":1}')).toBe('tool "t" takes an object, got the text "{\\"count\\":1}"')
    expect(said({ $value: 'words' })).toBe('tool "t" takes an object, got the text "words"')
  })

  it('takes { input }, or a value that is no object where the tool takes no object', () => {
    const text = (input: unknown) => unfit({ t: { input: { type: 'string' } } }, { input: input as never })
    expect(text('words')).toBe(undefined)
    expect(text({ input: 'words' })).toBe(undefined)
    expect(text({ $value: { input: 'words' } })).toBe(undefined)
    expect(text({ text: 'words' })?.message).toBe(
      'Cannot use step "s0": tool "t" takes { input }, or a value that is no object, got {"text":"words"}',
    )
    expect(text(7)?.data).toEqual({ problem: 'schema', step: 's0', path: ['input'] })
    expect(text({ input: 7 })?.data).toEqual({ problem: 'schema', step: 's0', path: ['input', 'input'] })
    expect(text(undefined)?.message).toContain('takes { input }, or a value that is no object, got {}')
  })
})

describe('graphOf() with tools and input with references', () => {
  it('counts a reference as there, and judges none of which nothing is known', () => {
    expect(said({ count: from('open') })).toBe(undefined)
    expect(said({ count: from('nowhere.at.all') })).toBe(undefined)
    expect(said(from('open'))).toBe(undefined)
    expect(unfit({ t, loose: {} }, { id: 'a', tool: 'loose' }, { input: { count: from('result') } })).toBe(undefined)
    expect(unfit({ t }, { forEach: [1], input: { count: { $item: true } } })).toBe(undefined)
  })

  it('refuses what the literal parts cannot be', () => {
    const name = from('text')
    expect(said({ name })).toBe(`${prefix}/count: wanted a value, got nothing`)
    expect(said({ count: 'many', name })).toBe(`${prefix}/count: wanted number, got "many"`)
    expect(said({ count: [from('number')] })).toContain(`${prefix}/count: wanted number, got [`)
    expect(said({ count: 1, name, other: 1 })).toBe(`${prefix}/other: wanted nothing there, got 1`)
    expect(said({ count: 1, name, kind: 'c' })).toBe(`${prefix}/kind: wanted string, got "c"`)
    expect(said({ count: 1, name, tags: ['x', 7] })).toBe(`${prefix}/tags/1: wanted string, got 7`)
    expect(said({ count: 1, name, inner: {} })).toBe(`${prefix}/inner/deep: wanted a value, got nothing`)
    expect(said({ count: 1, name, inner: { deep: 1.5 } })).toContain('/inner/deep')
    expect(said({ count: 1, name, inner: { $value: { $from: 'x' } } })).toContain('/inner/deep: wanted a value')
    expect(said([name])).toContain('The value: wanted object')
  })

  it('takes literal parts that coercion mends', () => {
    const name = from('text')
    expect(said({ count: '50', flag: 'true', tags: '["x"]', inner: '{"deep":1}', kind: null, name })).toBe(undefined)
    expect(said({ count: from('number'), other: null, name })).toBe(undefined)
    expect(said(JSON.parse('{"count":{"$from":"a","path":"number"},"__proto__":1}'))).toBe(undefined)
    expect(said({ count: 1, tags: 'x', name }, { coerce: 'loose' })).toBe(undefined)
    expect(said({ count: 1, tags: from('object') }, { coerce: 'loose' })).toBe(undefined)
    expect(said({ count: '50', name }, { coerce: 'strict' })).toBe(`${prefix}/count: wanted number, got "50"`)
  })

  it('refuses references to values of a type that cannot become the one wanted', () => {
    expect(said({ count: from('object') })).toBe(
      `${prefix}/count: wanted number, got {"$from":"a","path":"object"}, which is of type object`,
    )
    expect(said({ count: from('list') })).toContain('which is of type array')
    expect(said({ count: from('yes') })).toContain('which is of type boolean')
    expect(said({ count: { $from: 'a' } })).toContain('which is of type object')
    expect(said({ count: 1, name: from('number') })).toContain('/name: wanted string')
    expect(said({ count: 1, tags: [from('list.0')] })).toContain('/tags/0: wanted string')
    expect(said({ count: 1, either: from('yes') })).toContain('(and so for each alternative)')
    expect(said(from('list'))).toContain('The value: wanted object')
  })

  it('takes references to values that may become what is wanted', () => {
    expect(said({ count: from('text') })).toBe(undefined)
    expect(said({ count: from('number') })).toBe(undefined)
    expect(said({ count: from('list.0.n'), flag: from('number') })).toBe(undefined)
    expect(said({ count: from('many'), name: from('none') })).toBe(undefined)
    expect(said({ count: 1, inner: from('object'), either: from('object') })).toBe(undefined)
    expect(said({ count: 1, name: from('number') }, { coerce: 'loose' })).toBe(undefined)
    expect(said({ count: from('text') }, { coerce: 'strict' })).toContain('of type string')
  })

  it('knows the shape of values as calls give them', () => {
    const tools = { t, n: { output: { type: 'object' } }, plain: { output: { type: 'boolean' } }, none: {} }
    const of = (tool: string, path?: string, more: object = {}) =>
      unfit(tools, { id: 'a', tool, ...more }, { input: { count: { $from: 'a', path } } })?.message
    expect(of('none')).toContain('which is of type object')
    expect(of('plain')).toContain('which is of type object')
    expect(of('plain', 'result')).toContain('which is of type boolean')
    expect(of('plain', 'other')).toBe(undefined)
    expect(of('n', undefined, { forEach: [1] })).toContain('which is of type array')
    expect(of('n', '0', { forEach: [1] })).toContain('which is of type object')
    expect(of('plain', '0.result', { forEach: [1] })).toContain('which is of type boolean')
    expect(of('n', undefined, { onError: { value: 1 } })).toBe(undefined)
  })

  it('refuses a reference of forEach to what is no list', () => {
    const each = (path: string) => unfit({ t: {}, made }, { id: 'a', tool: 'made' }, { id: 'b', forEach: from(path) })
    expect(each('list')).toBe(undefined)
    expect(each('open')).toBe(undefined)
    expect(each('text')).toEqual({
      message:
        'Cannot use step "b": "forEach" must be a list, got {"$from":"a","path":"text"}, which is of type string',
      data: { problem: 'schema', step: 'b', path: ['forEach'] },
    })
  })

  it('judges references for tools that take no object', () => {
    const tools = { made, t: { input: { type: 'number' } } }
    const of = (input: object) => unfit(tools, { id: 'a', tool: 'made' }, { input: input as never })?.message
    expect(of(from('number'))).toBe(undefined)
    expect(of(from('object'))).toBe(undefined)
    expect(of(from('list'))).toContain('which is of type array')
    expect(of({ input: from('object') })).toContain('which is of type object')
  })

  it('leaves functions alone', () => {
    expect(unfit({ t }, { input: () => ({}) })).toBe(undefined)
  })
})

describe('graphOf() with schemas of other libraries', () => {
  const refused = (input: Tool['input'], given: object): string | undefined => {
    const table = toolTable()
    const tool = { name: 't', description: 'For tests', input, execute: () => null }
    addTools(table, [tool, { name: 'other', description: 'For tests', execute: () => null }])
    const steps = planned({ id: 'a', tool: 'other' }, { id: 'b', input: given as never })
    try {
      graphOf(steps, toolList(table).entries)
      return undefined
    } catch {
      return refusal(() => graphOf(steps, toolList(table).entries)).message
    }
  }

  it('leaves the last word to a validator that takes more than its JSON Schema says', () => {
    const generous = z.object({ text: z.coerce.string(), n: z.number(), other: z.any() }) as unknown as Tool['input']
    const optional = z.object({ text: z.coerce.string(), other: z.any().optional() }) as unknown as Tool['input']
    expect(refused(optional, { text: 5, other: from('result') })).toBe(undefined)
    expect(refused(generous, { text: 5, n: 1, other: from('result') })).toBe(undefined)
    expect(refused(generous, { text: 5, n: 'x', other: from('result') })).toContain('/n: wanted number, got "x"')
    expect(refused(generous, { text: 5, other: from('result') })).toContain('/n: wanted a value, got nothing')
  })

  it('reads those of valibot', () => {
    const strict = withJsonSchema(
      v.strictObject({ n: v.nullable(v.number()), more: v.optional(v.string(), 'x'), any: v.unknown() }),
    )
    expect(refused(strict, { n: null, any: from('result') })).toBe(undefined)
    expect(refused(strict, { n: 'x', any: from('result') })).toContain('/n: wanted number')
    expect(refused(strict, { any: from('result') })).toContain('/n: wanted a value')
    expect(refused(strict, { n: 1, any: from('result'), odd: 1 })).toContain('/odd: wanted nothing there')
  })
})
