import { describe, expect, it } from 'vitest'
import type { Json } from '../../src/json/value.ts'
import { compileTemplate } from '../../src/workflow/template.ts'
import type { Scope } from '../../src/workflow/template.ts'
import { errorOf } from './kit.ts'

const scope: Scope = {
  input: { name: 'Ada', nothing: null, 'post code': 'N1' },
  state: { tries: 2, list: [1, { a: true }] },
  fetch: { title: 'Hi {{ input.name }}', items: [{ url: '/a' }, { url: '/b' }] },
}
const fill = (template: Json, given: Scope = scope): Json => compileTemplate(template)(given)
const why = (template: Json, given: Scope = scope): string => {
  const { code, message } = errorOf(() => fill(template, given))
  expect(code).toBe('workflow-failed')
  return message
}

describe('compileTemplate()', () => {
  it('gives the value itself for a text that is one expression', () => {
    expect(fill('{{ state.list }}')).toEqual([1, { a: true }])
    expect(fill('{{state.tries}}')).toBe(2)
    expect(fill('{{ input.nothing }}')).toBe(null)
    expect(fill('{{ fetch.items[1].url }}')).toBe('/b')
    expect(fill('{{ input["post code"] }}')).toBe('N1')
    expect(fill('{{ state.list.length }}')).toBe(2)
  })

  it('takes values into other texts: texts as they are, the rest as JSON', () => {
    expect(fill('Dear {{ input.name }}!')).toBe('Dear Ada!')
    expect(fill(' {{ state.tries }}')).toBe(' 2')
    expect(fill('{{ state.list }} {{ input.nothing }}')).toBe('[1,{"a":true}] null')
    expect(fill('{{ input.name }}{{ input.name }}')).toBe('AdaAda')
  })

  it('computes, also what a loop counts', () => {
    expect(fill('{{ state.tries + 1 }}')).toBe(3)
    expect(fill('{{ fetch.items[state.tries - 1].url }}')).toBe('/b')
    expect(fill('{{ "missing" in input and input.missing or "you" }}')).toBe('you')
  })

  it('fills in lists and objects, and leaves the rest and the names of fields', () => {
    const template = { a: ['{{ state.tries }}', 1, null, true], '{{ input.name }}': { b: '{{ input.name }}' }, c: '' }
    expect(fill(template)).toEqual({ a: [2, 1, null, true], '{{ input.name }}': { b: 'Ada' }, c: '' })
  })

  it('does not read again what a value brings', () => {
    expect(fill('{{ fetch.title }}')).toBe('Hi {{ input.name }}')
    expect(fill('> {{ fetch.title }}')).toBe('> Hi {{ input.name }}')
    expect(fill('{{ "{" }}{{ "{ input.name }" }}}')).toBe('{{ input.name }}')
  })

  it('writes a literal opening by quoting it, and closings as they are', () => {
    expect(fill('{{ "{{" }} x }}')).toBe('{{ x }}')
    expect(fill('{{ "a }} b" }}')).toBe('a }} b')
    expect(fill("{{ 'a }} b' }}")).toBe('a }} b')
    expect(fill('{{ "\\"}}" }}')).toBe('"}}')
    expect(fill('{"a":{"b":1}} it\'s {')).toBe('{"a":{"b":1}} it\'s {')
  })

  it('fails for what is not there, and says what is', () => {
    expect(why('{{ fetch.titel }}')).toBe(
      'Cannot fill in {{ fetch.titel }}: there is no "titel" among "title", "items"',
    )
    expect(why('{{ later.x }}')).toBe(
      'Cannot fill in {{ later.x }}: there is no "later" among "input", "state", "fetch"',
    )
    expect(why('a {{ fetch.items[2] }}')).toBe('Cannot fill in {{ fetch.items[2] }}: there is no 2 in a list of 2')
    expect(why('{{ input.nothing.x }}')).toBe('Cannot fill in {{ input.nothing.x }}: there is no "x" in null')
    expect(why('{{ input.name.x }}')).toBe('Cannot fill in {{ input.name.x }}: there is no "x" in a text')
    expect(why('{{ state.tries.x }}')).toBe('Cannot fill in {{ state.tries.x }}: there is no "x" in 2')
    expect(why('{{ a }}', {})).toBe('Cannot fill in {{ a }}: there is no "a" among no fields')
    expect(errorOf(() => fill('{{ fetch.titel }}')).data).toEqual({ expression: 'fetch.titel' })
  })

  it('finds nothing that is inherited', () => {
    const hostile = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'prototype', '__defineGetter__']
    for (const name of hostile) {
      for (const path of [name, `input.${name}`, `input["${name}"]`, `input.name.${name}`, `state.list.${name}`])
        expect(why(`{{ ${path} }}`)).toMatch(/there is no/)
    }
    expect(why('{{ input.length }}')).toMatch(/there is no "length"/)
    expect(why('{{ state.list["map"] }}')).toMatch(/there is no "map"/)
    const own = JSON.parse('{"input": {"__proto__": {"admin": true}, "a": [{"__proto__": 1, "b": 2}]}}') as Scope
    expect(fill('{{ input }}', own)).toEqual({ a: [{ b: 2 }] })
    expect(Object.getPrototypeOf(fill('{{ input }}', own))).toBe(Object.prototype)
  })

  it('shares nothing with the scope', () => {
    const filled = fill({ list: '{{ state.list }}' }) as { list: [number, { a: boolean }] }
    filled.list[1].a = false
    filled.list[0] = 9
    expect(fill('{{ state.list }}')).toEqual([1, { a: true }])
  })

  it('can be run again with another scope', () => {
    const template = compileTemplate('Hi {{ input.name }}')
    expect(template(scope)).toBe('Hi Ada')
    expect(template({ input: { name: 'Bob' } })).toBe('Hi Bob')
  })

  it('ends what puts a value into itself over and over', () => {
    const double = compileTemplate({ x: '{{ state.x }}{{ state.x }}' })
    let state = { x: 'ab' }
    const loop = (): void => {
      for (let visit = 0; visit < 100; visit++) state = double({ state }) as { x: string }
    }
    expect(errorOf(loop).message).toBe('Cannot fill in a template: expected at most 10000000 characters and values')
    const deepen = compileTemplate({ x: '{{ state }}' })
    let deep: Json = {}
    const sink = (): void => {
      for (let visit = 0; visit < 1_000; visit++) deep = deepen({ state: deep })
    }
    expect(errorOf(sink).message).toBe('Cannot fill in a template: expected at most 500 levels of nesting')
  })

  it('passes on what cannot be computed', () => {
    expect(why('{{ input.name * 2 }}')).toBe(
      'Cannot fill in {{ input.name * 2 }}: Cannot compute "*" at position 12: expected numbers, got a value of type string',
    )
  })

  it('refuses what does not compile at once', () => {
    const open = errorOf(() => compileTemplate('ab {{ input'))
    expect(open.code).toBe('workflow-invalid')
    expect(open.data['position']).toBe(4)
    const wrong = errorOf(() => compileTemplate(['{{ a b }}']))
    expect(wrong.code).toBe('workflow-invalid')
    expect(wrong.data).toMatchObject({ expression: 'a b', position: 3 })
    expect(errorOf(() => compileTemplate('{{ f() }}')).code).toBe('workflow-invalid')
    expect(errorOf(() => compileTemplate('{{ "open }}')).code).toBe('workflow-invalid')
  })
})
