import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { compile, compileNamed, isTruthy } from '../../src/expression/compile.ts'
import type { Value } from '../../src/expression/parser.ts'

const scope: Value = {
  name: 'Ada',
  age: 36,
  tags: ['a', 'b'],
  address: { city: 'London', 'post code': 'N1' },
  nothing: null,
}
const run = (text: string, given: Value = scope): Value => compile(text)(given)

function codeOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (isSameloopError(error)) return error.code
    throw error
  }
  return 'none'
}

describe('compile()', () => {
  it('compares numbers and strings', () => {
    expect(run('age >= 18')).toBe(true)
    expect(run('age < 18')).toBe(false)
    expect(run('"a" < "b"')).toBe(true)
    expect(run('name == "Ada"')).toBe(true)
    expect(run("name != 'Bob'")).toBe(true)
    expect(run('1 + 1 == 2')).toBe(true)
  })

  it('compares lists and objects by what they hold', () => {
    expect(run('tags == ["a", "b"]')).toBe(true)
    expect(run('tags == ["b", "a"]')).toBe(false)
    expect(run('a == b', { a: { x: 1, y: [2] }, b: { y: [2], x: 1 } })).toBe(true)
    expect(run('a == b', { a: { x: 1 }, b: { y: 1 } })).toBe(false)
    expect(run('a == b', { a: [], b: {} })).toBe(false)
  })

  it('joins conditions, and gives the operand that decided', () => {
    expect(run('age > 18 and name == "Ada"')).toBe(true)
    expect(run('missing or "none"')).toBe('none')
    expect(run('not missing and not []')).toBe(true)
    expect(run('not age == 36')).toBe(false)
    expect(run('true or false and false')).toBe(true)
  })

  it('does not compute what a condition does not need', () => {
    expect(run('false and 1 / 0')).toBe(false)
    expect(run('true or 1 / 0')).toBe(true)
  })

  it('looks for members of lists, strings and objects', () => {
    expect(run('"a" in tags')).toBe(true)
    expect(run('"z" not in tags')).toBe(true)
    expect(run('"d" in name')).toBe(true)
    expect(run('"city" in address')).toBe(true)
    expect(run('"toString" in address')).toBe(false)
    expect(codeOf(() => run('1 in name'))).toBe('expression-failed')
  })

  it('reads names, dotted paths and indexes', () => {
    expect(run('address.city')).toBe('London')
    expect(run('address["post code"]')).toBe('N1')
    expect(run('tags[1]')).toBe('b')
    expect(run('tags.length + name.length')).toBe(5)
    expect(run('tags[tags.length - 1]')).toBe('b')
  })

  it('gives null for what is not there', () => {
    expect(run('missing')).toBe(null)
    expect(run('missing.deep.er')).toBe(null)
    expect(run('tags[9]')).toBe(null)
    expect(run('nothing.x')).toBe(null)
    expect(run('x', null)).toBe(null)
  })

  it('finds nothing that is inherited', () => {
    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(run(name)).toBe(null)
      expect(run(`address.${name}`)).toBe(null)
      expect(run(`address["${name}"]`)).toBe(null)
      expect(run(`name.${name}`)).toBe(null)
    }
  })

  it('joins strings with +, and refuses mixtures', () => {
    expect(run('name + "!"')).toBe('Ada!')
    expect(run('"it\\\'s" + "\\n"')).toBe("it's\n")
    expect(codeOf(() => run('name + 1'))).toBe('expression-failed')
    expect(codeOf(() => run('name < 1'))).toBe('expression-failed')
    expect(codeOf(() => run('missing * 2'))).toBe('expression-failed')
  })

  it('does not take a quoted word for an operator', () => {
    expect(run('"and" == "or"')).toBe(false)
    expect(codeOf(() => compile('1 "and" 2'))).toBe('expression-invalid')
  })

  it('refuses calls, assignments and unfinished text when it compiles', () => {
    for (const text of ['f(1)', 'a = 1', 'a.', 'a[1', '[1, 2', '[,]', '"open', 'not', 'a not b', '{}', 'a; b', '`x`']) {
      expect(codeOf(() => compile(text))).toBe('expression-invalid')
    }
  })

  it('can be run again with another scope', () => {
    const adult = compile('age >= 18')
    expect([adult({ age: 20 }), adult({ age: 2 })]).toEqual([true, false])
  })
})

describe('compileNamed()', () => {
  it('lists the names that an expression looks up in its scope, each once', () => {
    const names = (text: string): readonly string[] => compileNamed(text).names
    expect(names('fetch.status == 200 and not (limit in fetch["items"]) or fetch')).toEqual(['fetch', 'limit'])
    expect(names('a[b.c][d] + -e')).toEqual(['a', 'b', 'd', 'e'])
    expect(names('true or false and null == "name"')).toEqual([])
    expect(names('x.not.in.true')).toEqual(['x'])
  })

  it('computes what the expression of compile() does', () => {
    expect(compileNamed('age + 1').compute(scope)).toBe(37)
    expect(codeOf(() => compileNamed('a ='))).toBe('expression-invalid')
  })
})

describe('isTruthy()', () => {
  it('takes false, null, 0, an empty string and an empty list for false', () => {
    expect([false, null, 0, '', []].some(isTruthy)).toBe(false)
    expect([true, 1, 'a', [0], {}].every(isTruthy)).toBe(true)
  })
})

describe('compile() with a word on what is missing', () => {
  it('asks for every look-up that finds nothing, and not for a null that is there', () => {
    const asked: unknown[] = []
    const strict = (text: string): Value =>
      compile(text, (key, searched) => {
        asked.push([key, searched])
        return 'none'
      })(scope)
    expect([strict('nothing'), strict('address.zip'), strict('tags[2]')]).toEqual([null, 'none', 'none'])
    expect(strict('true or missing')).toBe(true)
    expect(asked).toEqual([
      ['zip', scope['address' as keyof typeof scope]],
      [2, ['a', 'b']],
    ])
  })
})
