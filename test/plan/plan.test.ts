import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plan } from '../../src/plan/plan.ts'
import type { StepOptions } from '../../src/plan/step.ts'
import { fromJson, planned, refusal } from './kit.ts'

const one =
  (step: object): (() => unknown) =>
  () =>
    fromJson({ version: 1, steps: [{ id: 'a', tool: 't', ...step }] })
const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

describe('plan()', () => {
  it('keeps steps in the order they were added', () => {
    const made = plan()
      .step({ id: 'a', tool: 'fetch' })
      .step({ id: 'b', tool: 'fetch', after: ['a'] })
    expect(made.steps.map(({ id }) => id)).toEqual(['a', 'b'])
    expect(made.toJSON()).toEqual({
      version: 1,
      steps: [
        { id: 'a', tool: 'fetch' },
        { id: 'b', tool: 'fetch', after: ['a'] },
      ],
    })
  })

  it('leaves a plan as it is when steps are added to it, twice from the same one', () => {
    const root = plan().step({ id: 'a', tool: 't' })
    const left = root.step({ id: 'b', tool: 't' })
    const right = root.step({ id: 'c', tool: 't' }).step({ id: 'd', tool: 't' })
    const ids = (made: typeof root): readonly string[] => made.steps.map(({ id }) => id)
    expect([root, left, right].map(ids)).toEqual([['a'], ['a', 'b'], ['a', 'c', 'd']])
  })

  it('is not moved by later changes of what it was given or gave', () => {
    const options = { id: 'a', tool: 't', input: { list: [1] }, after: ['x'] }
    const made = plan().step(options)
    options.input.list.push(2)
    options.after.push('y')
    const json = made.toJSON() as unknown as { steps: { input: { list: number[] } }[] }
    json.steps[0]?.input.list.push(3)
    expect(made.toJSON().steps[0]).toEqual({ id: 'a', tool: 't', input: { list: [1] }, after: ['x'] })
  })

  it('takes every field, and leaves out what is undefined', () => {
    const step: StepOptions = {
      id: 'a',
      tool: 'rest://shop.order',
      input: { url: { $from: 'b', path: 'x.0' }, each: { $item: true }, raw: { $value: { $from: 1 } }, no: null },
      after: ['b'],
      when: 'b.ok',
      retry: { retries: 100, delayMs: 0 },
      timeoutMs: 0.5,
      onError: { value: { none: [] } },
      forEach: [1, { $from: 'b' }],
      maxItems: 100_000,
    }
    const made = plan().step({ ...step, maxItems: undefined })
    expect(made.toJSON().steps[0]).toEqual({ ...step, maxItems: undefined })
    expect(Object.keys(made.toJSON().steps[0] ?? {})).not.toContain('maxItems')
    expect(planned(step).toJSON().steps).toEqual([step])
  })

  it('gives the same plan again from its JSON, whatever the input', () => {
    const id = fc
      .stringMatching(/^[a-zA-Z0-9_-]{1,64}$/)
      .filter((text) => !/^(item|true|false|null|and|or|not|in|__proto__)$/.test(text))
    const reference = fc.record({ $from: fc.string(), path: fc.string() }, { requiredKeys: ['$from'] })
    const { template } = fc.letrec((tie) => ({
      template: fc.oneof(
        { depthSize: 'small' },
        fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), fc.constant(null)),
        reference,
        fc.record({ $value: fc.jsonValue({ maxDepth: 3 }) }),
        fc.array(tie('template'), { maxLength: 3 }),
        fc.dictionary(
          fc.oneof(
            fc.constant('__proto__'),
            fc.constant('constructor'),
            fc.string().filter((key) => !key.startsWith('$')),
          ),
          tie('template'),
          { maxKeys: 3 },
        ),
      ),
    }))
    const step = fc.record(
      {
        id,
        tool: fc.string({ minLength: 1 }),
        input: template,
        after: fc.array(id),
        when: fc.string(),
        retry: fc.record(
          { retries: fc.integer({ min: 0, max: 100 }), delayMs: fc.nat() },
          { requiredKeys: ['retries'] },
        ),
        timeoutMs: fc.integer({ min: 1, max: 1e9 }),
        onError: fc.oneof(fc.constant('fail' as const), fc.record({ value: fc.jsonValue({ maxDepth: 3 }) })),
        forEach: fc.oneof(reference, fc.array(template, { maxLength: 3 })),
        maxItems: fc.integer({ min: 1, max: 100_000 }),
      },
      { requiredKeys: ['id', 'tool'] },
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 4 }), (steps) => {
        const json = fromJson({ version: 1, steps }).toJSON()
        expect(plan(json).toJSON()).toEqual(json)
        expect(fromJson(JSON.parse(JSON.stringify(json))).toJSON()).toEqual(json)
      }),
      { numRuns: 500 },
    )
  })

  it('keeps __proto__ in an input as data', () => {
    const text = '{"version":1,"steps":[{"id":"a","tool":"t","input":{"__proto__":{"polluted":1}}}]}'
    const json = fromJson(JSON.parse(text)).toJSON()
    expect(JSON.stringify(json)).toBe(text)
    expect(({} as { polluted?: unknown }).polluted).toBe(undefined)
  })

  it('says which step and field has a function when JSON is asked for', () => {
    const made = plan().step({ id: 'a', tool: 't', when: () => true })
    expect(refusal(() => made.toJSON())).toEqual({
      message: 'Cannot use step "a": "when" is a function, which JSON cannot hold',
      data: { problem: 'shape', step: 'a', path: ['when'] },
    })
  })

  it('takes functions from code and never from JSON', () => {
    const step = { input: () => ({}), when: () => true, forEach: () => [] }
    expect(planned(step).steps[0]).toMatchObject(step)
    expect(refusal(one({ input: step.input })).message).toBe(
      'Cannot use step "a": expected JSON at "input", got function',
    )
    expect(refusal(one({ when: step.when })).message).toBe(
      'Cannot use step "a": "when" must be an expression, got function',
    )
    expect(refusal(one({ forEach: step.forEach })).message).toBe(
      'Cannot use step "a": "forEach" must be a list or a reference to one, got function',
    )
  })

  it('refuses what is no plan', () => {
    const said = (json: unknown): string => refusal(() => fromJson(json)).message
    expect(said('text')).toBe('Cannot use the plan: expected { version: 1, steps }, got "text"')
    expect(said(null)).toBe('Cannot use the plan: expected { version: 1, steps }, got null')
    expect(said([])).toBe('Cannot use the plan: expected { version: 1, steps }, got []')
    expect(said({ steps: [] })).toBe('Cannot use the plan: "version" must be 1, got nothing')
    expect(said({ version: 1 })).toBe('Cannot use the plan: "steps" must be a list, got nothing')
    expect(said({ version: 1, steps: [], name: 'x' })).toBe(
      'Cannot use the plan: there is no field "name": known are version, steps',
    )
    expect(said({ version: 1, steps: [{ id: 'a', tool: 't' }, null] })).toBe(
      'Cannot use step number 2 of the plan: expected an object, got null',
    )
    expect(said(Object.create({ version: 1, steps: [] }))).toBe('Cannot use the plan: "version" must be 1, got nothing')
  })

  it('names the known fields where one is misspelt', () => {
    expect(refusal(one({ dependsOn: ['b'] }))).toEqual({
      message:
        'Cannot use step "a": there is no field "dependsOn": known are id, tool, input, after, when, retry, timeoutMs, onError, forEach, maxItems',
      data: { problem: 'shape', step: 'a', path: ['dependsOn'] },
    })
    expect(refusal(one(JSON.parse('{"__proto__":{"tool":"x"}}') as object)).message).toContain('no field "__proto__"')
    expect(refusal(one({ constructor: 1 })).message).toContain('no field "constructor"')
  })

  it('refuses ids that are none, with the number of the step', () => {
    const said = (id: unknown): string => refusal(one({ id })).message
    expect(said('a b')).toBe('Cannot use step number 1 of the plan: "id" must be 1 to 64 of a-z A-Z 0-9 _ -, got "a b"')
    expect(said('')).toContain('got ""')
    expect(said('x'.repeat(65))).toContain('1 to 64')
    expect(said('a\n')).toContain('1 to 64')
    expect(said(7)).toContain('got 7')
    expect(said(undefined)).toContain('got nothing')
    expect(refusal(() => plan().step({ id: 'a', tool: 't' }).step({ id: '!', tool: 't' })).message).toContain(
      'number 2',
    )
  })

  it('refuses ids that an expression or an object could not name, and takes those of prototypes', () => {
    for (const id of ['__proto__', 'item', 'true', 'false', 'null', 'and', 'or', 'not', 'in']) {
      expect(refusal(one({ id })).message).toContain(`must be none of the reserved`)
    }
    const names = ['constructor', 'toString', 'hasOwnProperty', 'then']
    expect(planned(...names.map((id) => ({ id }))).steps.map(({ id }) => id)).toEqual(names)
  })

  it('refuses fields that hold something else', () => {
    const said = (step: object): string => refusal(one(step)).message.replace('Cannot use step "a": ', '')
    expect(said({ tool: undefined })).toBe('"tool" must be the name or URI of a tool, got nothing')
    expect(said({ tool: '' })).toBe('"tool" must be the name or URI of a tool, got ""')
    expect(said({ after: 'b' })).toBe('"after" must be a list of step ids, got "b"')
    expect(said({ after: [1] })).toBe('"after" must be a list of step ids, got [1]')
    expect(said({ when: true })).toBe('"when" must be an expression, got true')
    expect(said({ retry: 3 })).toBe('"retry" must be { retries, delayMs? }, got 3')
    expect(said({ retry: { retries: 1, factor: 2 } })).toBe(
      '"retry" must be { retries, delayMs? }, got {"retries":1,"factor":2}',
    )
    expect(said({ retry: { retries: 101 } })).toBe('"retry.retries" must be a whole number from 0 to 100, got 101')
    expect(said({ retry: { retries: 1.5 } })).toContain('a whole number')
    expect(said({ retry: { retries: -1 } })).toContain('a whole number')
    expect(said({ retry: { retries: 1, delayMs: -1 } })).toBe(
      '"retry.delayMs" must be a number from 0 to 2147483647, got -1',
    )
    expect(said({ timeoutMs: 0 })).toBe('"timeoutMs" must be a number above 0 and up to 2147483647, got 0')
    expect(said({ timeoutMs: NaN })).toContain('"timeoutMs"')
    expect(said({ timeoutMs: Infinity })).toContain('"timeoutMs"')
    expect(said({ onError: 'skip' })).toBe('"onError" must be "fail" or { value }, got "skip"')
    expect(said({ onError: {} })).toContain('"onError"')
    expect(said({ onError: { value: 1, more: 1 } })).toContain('"onError"')
    expect(said({ onError: { value: undefined } })).toContain('"onError"')
    expect(said({ onError: { value: () => 1 } })).toBe('expected JSON at "onError", got function')
    expect(said({ forEach: 'b' })).toBe('"forEach" must be a list or a reference to one, got "b"')
    expect(said({ forEach: { $value: [1] } })).toContain('"forEach"')
    expect(said({ maxItems: 0 })).toBe('"maxItems" must be a whole number from 1 to 100000, got 0')
    expect(said({ maxItems: 100_001 })).toContain('"maxItems"')
    expect(said({ input: new Date(0) })).toBe('expected JSON at "input", got an object that braces did not make')
    expect(said({ input: { a: [NaN] } })).toBe('expected JSON at "input/a/0", got NaN')
    expect(said({ input: { a: 1n } })).toBe('expected JSON at "input/a", got bigint')
  })

  it('refuses odd references', () => {
    const said = (input: unknown, more: object = {}): string =>
      refusal(one({ input, ...more })).message.replace('Cannot use step "a": ', '')
    expect(said({ $from: 'b', default: 1 })).toBe(
      'expected no keys but $from and path in one with $from (an object that really has such a key is { $value: … }) at "input", got "default"',
    )
    expect(said({ x: { $from: 1 } })).toBe('expected the id of a step in $from at "input/x", got 1')
    expect(said({ $from: undefined })).toBe('expected the id of a step in $from at "input", got nothing')
    expect(said({ $from: 'b', path: ['x'] })).toBe('expected a path that is a text at "input", got ["x"]')
    expect(said({ $value: 1, path: 'x' })).toBe('expected no keys but $value in one with $value at "input", got "path"')
    expect(said({ $from: 'b', $item: true }, { forEach: [] })).toContain('expected no keys but $item and path')
    expect(said({ $item: 1 }, { forEach: [] })).toBe('expected true in $item at "input", got 1')
    expect(said([{ $item: true }])).toBe('expected a step with forEach around $item at "input/0", got none')
    expect(said({}, { forEach: { $item: true } })).toContain('at "forEach", got none')
  })

  it('refuses what nests too deep, circles included', () => {
    const circle: unknown[] = []
    circle.push(circle)
    expect(one({ input: nested(64) })).not.toThrow()
    expect(refusal(one({ input: nested(65) })).message).toContain('expected at most 64 levels of nesting at "input/0/0')
    expect(refusal(one({ input: nested(100_000) })).message).toContain('at most 64 levels')
    expect(refusal(one({ input: { $value: nested(100_000) } })).message).toContain('at most 64 levels')
    expect(refusal(one({ onError: { value: nested(100_000) } })).message).toContain('at most 64 levels')
    expect(refusal(one({ forEach: nested(100_000) })).message).toContain('at most 64 levels')
    expect(refusal(one({ retry: nested(100_000) })).message).toContain('"retry" must be')
    expect(refusal(one({ input: circle })).message).toContain('at most 64 levels')
  })

  it('refuses what cannot be read, and reads each field once', () => {
    const broken = {
      get tool(): never {
        throw new TypeError('not yours')
      },
    }
    for (const step of [broken, { id: 'a', tool: 't', input: broken }]) {
      const { message } = refusal(() => fromJson({ version: 1, steps: [step] }))
      expect(message).toBe('Cannot use step number 1 of the plan: it cannot be read')
    }
    let reads = 0
    const steps = [
      {
        tool: 't',
        get id() {
          return reads++ ? 'not "an" id' : 'a'
        },
      },
    ]
    expect(fromJson({ version: 1, steps }).steps).toEqual([{ id: 'a', tool: 't' }])
  })

  it('refuses what is too large', () => {
    const shared = Array<unknown>(2).fill(Array(2))
    let wide: unknown = shared
    for (let level = 0; level < 40; level++) wide = [wide, wide]
    const steps = Array.from({ length: 100_001 }, (_, index) => ({ id: `s${index}`, tool: 't' }))
    expect(refusal(one({ input: Array<number>(1_000_000).fill(0) })).message).toContain('at most 1,000,000 values')
    expect(refusal(one({ input: { a: [wide] } })).message).toMatch(/expected (JSON|at most 1,000,000 values)/)
    expect(refusal(() => fromJson({ version: 1, steps })).message).toBe(
      'Cannot use the plan: expected at most 100000 steps, got 100001',
    )
    const full = fromJson({ version: 1, steps: steps.slice(1) })
    expect(full.steps.length).toBe(100_000)
    expect(refusal(() => full.step({ id: 'more', tool: 't' })).message).toContain('at most 100000 steps')
  })
})
