// Whatever is handed in: a checked workflow, or one error of one code.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { nodeFields, workflowFields } from '../../src/workflow/fields.ts'
import { compileTemplate } from '../../src/workflow/template.ts'
import { parseWorkflow, workflow } from '../../src/workflow/workflow.ts'
import type { WorkflowJson } from '../../src/workflow/definition.ts'

const numRuns = process.env['SAMELOOP_LONG'] ? 30_000 : 2_000

const id = fc.constantFrom('start', 'end', 'a', 'b', 'c-d', 'constructor', '__proto__', 'item', '')
const text = fc.oneof(
  id,
  fc.constantFrom(
    '{{ input }}',
    'x {{ a.b }}',
    '{{ state.x',
    '{{ item }}',
    'a == 1',
    'state["x"] > 2',
    '}}',
    '{{ "{{" }}',
  ),
  fc.string({ maxLength: 12 }),
)
const odd = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(undefined, NaN, 1n, () => 1, new Date(0), Symbol('s'), Object.create({ type: 'end' })),
)
const fieldNames = [...new Set(Object.values(nodeFields).flatMap((fields) => Object.keys(fields)))]
const field = fc.constantFrom(...fieldNames, 'tol', 'constructor')
const wild = fc
  .tuple(fc.constantFrom(...Object.keys(nodeFields)), fc.array(fc.tuple(field, odd), { maxLength: 5 }), id)
  .map(([type, fields, id]) => ({ id, type, ...Object.fromEntries(fields) }))
const target = fc.constantFrom('a', 'b', 'end')
const good = fc.constantFrom('input.a', 'a.x + 1', '"s"', 'state', 'b["x"] and not input')
const template = good.map((expression) => `say {{ ${expression} }}`)
const sound = (id: string): fc.Arbitrary<Record<string, unknown>> =>
  fc.oneof(
    fc.record({
      id: fc.constant(id),
      type: fc.constant('tool'),
      tool: fc.constant('t'),
      next: target,
      input: template,
    }),
    fc.record({ id: fc.constant(id), type: fc.constant('if'), condition: good, then: target, else: target }),
    fc.record({ id: fc.constant(id), type: fc.constant('wait'), ms: fc.nat(), next: target, onError: target }),
  )
const end = fc.record({ id: fc.constant('end'), type: fc.constant('end'), output: fc.oneof(template, text) })
const start = fc.constant({ id: 'start', type: 'start', next: 'a' })
const soundNodes = fc.tuple(start, sound('a'), sound('b'), end)
const nodes = fc.oneof(
  { weight: 4, arbitrary: soundNodes },
  fc.tuple(soundNodes, fc.array(wild, { maxLength: 3 })).map(([nodes, more]) => [...nodes, ...more]),
)
const whole = fc.record(
  {
    version: fc.constant(1),
    name: fc.constant('random'),
    nodes,
    description: fc.string(),
    maxVisits: fc.integer({ min: 1, max: 9 }),
  },
  { requiredKeys: ['version', 'name', 'nodes'] },
)
const broken = fc
  .tuple(whole, fc.constantFrom(...Object.keys(workflowFields), 'x'), odd)
  .map(([definition, field, value]) => ({ ...definition, [field]: value }))

/** Whether the work was done; anything but a refusal is thrown on. */
function allows(work: () => void, code: 'workflow-invalid' | 'workflow-failed'): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (isSameloopError(error, code)) return false
    throw error
  }
}

describe('workflow() on random definitions', () => {
  it('throws nothing but a refusal, and what it takes comes back as it was', () => {
    let taken = 0
    fc.assert(
      fc.property(fc.oneof({ weight: 5, arbitrary: whole }, broken, odd), (definition) => {
        allows(() => {
          const made = typeof definition === 'string' ? parseWorkflow(definition) : workflow(definition as WorkflowJson)
          expect(workflow(made.toJSON()).toJSON()).toEqual(made.toJSON())
          expect(parseWorkflow(JSON.stringify(made)).definition).toEqual(made.definition)
          taken++
        }, 'workflow-invalid')
      }),
      { numRuns },
    )
    expect(taken).toBeGreaterThan(numRuns / 20)
  })

  it('fills any template that compiles, or fails with one code', () => {
    const scope = fc.dictionary(fc.constantFrom('input', 'state', 'a'), fc.jsonValue({ maxDepth: 3 }))
    fc.assert(
      fc.property(fc.oneof(text, fc.array(text), fc.dictionary(text, text)), scope, (template, scope) => {
        let fill: ReturnType<typeof compileTemplate> | undefined
        if (!allows(() => void (fill = compileTemplate(template)), 'workflow-invalid')) return
        allows(() => void JSON.stringify(fill?.(scope as Parameters<NonNullable<typeof fill>>[0])), 'workflow-failed')
      }),
      { numRuns },
    )
  })
})
