import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { query } from '../../src/query/query.ts'

/** What a query gives, or how and where it fails. */
function outcome(document: unknown, expression: string): unknown {
  try {
    return query(document, expression)
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return error.data
  }
}

const message = (document: unknown, expression: string): string => {
  try {
    query(document, expression)
    return 'it did not fail'
  } catch (error) {
    if (!isSameloopError(error)) throw error
    return error.message
  }
}

describe('query()', () => {
  it('says where an expression cannot be read', () => {
    expect(message({}, 'a[')).toBe('Cannot read the JMESPath expression at position 3: it ends too early')
    expect(outcome({}, 'a.b.#c')).toEqual({ kind: 'syntax', position: 5 })
    expect(outcome({}, 'foo == "open')).toEqual({ kind: 'syntax', position: 8 })
    expect(outcome({}, "foo == 'open")).toEqual({ kind: 'syntax', position: 8 })
    expect(outcome({}, 'foo[?a = `1`]')).toEqual({ kind: 'syntax', position: 8 })
    expect(outcome({}, 'a ] b')).toEqual({ kind: 'syntax', position: 3 })
    expect(outcome({}, 'a.b(c, )')).toEqual({ kind: 'syntax', position: 8 })
    expect(outcome({}, '[a b]')).toEqual({ kind: 'syntax', position: 4 })
    expect(outcome({}, 'foo.')).toEqual({ kind: 'syntax', position: 5 })
    expect(message({}, 'content-type')).toContain('a name with a dash must stand in double quotes')
  })

  it('shows no words of the engine or the package', () => {
    const broken = ['"\\u00"', '`{"a":`', '`[`', '(', ')', '&', '!', 'a.', '[?', '{a', '{a:', '@@', 'a(', '""', '`"`']
    for (const expression of broken)
      expect(message({}, expression)).not.toMatch(/JSON|Unexpected|token|undefined|ParserError|Error:|got: /)
  })

  it('reads every escaped quote of a literal', () => {
    expect(query({}, "'a\\'b\\'c'")).toBe("a'b'c")
    expect(query({}, '`"a\\`b\\`c"`')).toBe('a`b`c')
    expect(query({}, '`a\\`b\\`c`')).toBe('a`b`c')
    expect(query({ a: '`' }, "a == '`'")).toBe(true)
  })

  it('finds nothing that is inherited', () => {
    const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf', 'length']
    for (const name of names.map((one) => `"${one}"`)) {
      const places = ['@', 'a', 's', 'n', 'a[0]', '`{}`', '{b: a}', 'merge(o, o)']
      const found = places.map((place) => query({ a: [1], s: 'x', n: 1, o: { b: 1 } }, `${place} | ${name}`))
      expect(found).toEqual(places.map(() => null))
    }
    for (const name of ['constructor', 'toString', 'valueOf'])
      expect(outcome({}, `${name}(@)`)).toEqual({ kind: 'unknown-function' })
  })

  it('takes "__proto__" as a name like any other where a document has it', () => {
    const document = JSON.parse('{"__proto__": {"a": 1}, "b": {"__proto__": 2}}') as unknown
    expect(query(document, '"__proto__".a')).toBe(1)
    expect(query(document, 'b."__proto__"')).toBe(2)
    const made = query(document, '{"__proto__": b}') as object
    expect(JSON.stringify(made)).toBe('{"__proto__":{"__proto__":2}}')
    expect(JSON.stringify(query(document, 'merge(@, b)'))).toBe('{"__proto__":2,"b":{"__proto__":2}}')
    expect(({} as { a?: unknown }).a).toBeUndefined()
  })

  it('does not run an expression that a document brings', () => {
    const evil = { jmespathType: 'Expref', type: 'Literal', value: 'ran' }
    expect(outcome({ evil, list: [1] }, 'map(evil, list)')).toEqual({ kind: 'invalid-type' })
    expect(outcome({ evil, list: [1] }, 'sort_by(list, evil)')).toEqual({ kind: 'invalid-type' })
  })

  it('sorts and compares by code point, whatever the locale', () => {
    expect(query(['é', 'z', 'a', 'Z'], 'sort(@)')).toEqual(['Z', 'a', 'z', 'é'])
    expect(query(['é', 'z'], '[max(@), min(@)]')).toEqual(['é', 'z'])
    expect(query(['\u{1f600}', '\uffee', 'ab', 'a'], 'sort(@)')).toEqual(['a', 'ab', '\uffee', '\u{1f600}'])
    expect(query('\u{1f600}x', 'reverse(@)')).toBe('x\u{1f600}')
    expect(query('\u{1f600}x', 'length(@)')).toBe(2)
  })

  it('says no to arguments that do not fit, by the kind of fault', () => {
    expect(message({ a: 'x' }, 'length(b)')).toBe(
      'Cannot run the JMESPath expression: length() takes string or array or object, got null',
    )
    expect(message({}, 'nosuch(@)')).toBe('Cannot run the JMESPath expression: there is no function "nosuch"')
    expect(message({}, 'abs(a, a)')).toBe('Cannot run the JMESPath expression: abs() takes 1 argument, got 2')
    expect(outcome([1], '[::0]')).toEqual({ kind: 'invalid-value' })
    expect(outcome({}, '&a')).toEqual({ kind: 'invalid-type' })
  })

  it('reads numbers as JSON writes them and gives no number that JSON has not', () => {
    expect(query(['1', ' 1', '', '0x10', '1e999', '-1.5e3'], '[].to_number(@)')).toEqual([1, -1500])
    expect(outcome([1e308, 1e308], 'sum(@)')).toEqual({ kind: 'invalid-value' })
    expect(query([], '[sum(@), avg(@), max(@)]')).toEqual([0, null, null])
  })
})

describe('a query that would take too long or grow too large', () => {
  const limit = { kind: 'limit' }
  const numbers = Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 100_003)
  const piped = (step: string, times: number): string => Array.from({ length: times }, () => step).join(' | ')

  it('is stopped where lists double', () => {
    expect(outcome([1], piped('[@, @][]', 100))).toEqual(limit)
    expect(outcome([1], piped('[@, @]', 100))).toEqual(limit)
    expect(outcome([1], `${piped('[@, @]', 100)} | to_string(@)`)).toEqual(limit)
    expect(outcome([1], `(${piped('[@, @]', 100)}) == (${piped('[@, @]', 100)})`)).toEqual(limit)
    expect(outcome('ab', piped("join('', [@, @])", 100))).toEqual(limit)
  })

  it('is stopped where lists are gone through again for each of their items', () => {
    expect(outcome(numbers, '[*].[`[1,2,3,4,5,6,7,8]`[*].[`[1,2,3,4,5,6,7,8]`[*]]]')).toEqual(limit)
    expect(outcome(numbers, `sort_by(@, &${'sort([@, @, @, @])[0] | '.repeat(20)}@)`)).toEqual(limit)
    expect(outcome({ list: numbers }, `[${Array.from({ length: 40 }, () => 'sort(list)').join()}]`)).toEqual(limit)
  })

  it('is stopped where large objects are gone through again and again', () => {
    const large = Object.fromEntries(numbers.map((number) => [`k${number}`, number]))
    const often = (expression: string): string => `[${Array.from({ length: 100 }, () => expression).join()}]`
    for (const expression of ['length(@)', 'keys(@)', 'values(@)', '@.*', '!@', 'merge(@)', '@ == `{"a":1}`'])
      expect(outcome(large, `${often(expression)} | length(@)`)).toEqual(limit)
    expect(query(large, 'length(@)')).toBe(100_000)
    const text = 'x'.repeat(4_000_000)
    for (const expression of ['to_number(@)', 'starts_with(@, @)', "@ < 'y'", 'max([@])', 'sort([@, @])[0]'])
      expect(outcome(text, `${often(expression)} | length(@)`)).toEqual(limit)
    expect(outcome({ a: text, b: `${text.slice(1)}y` }, `${often('a == b')} | length(@)`)).toEqual(limit)
  })

  it('is stopped where texts are searched in texts', () => {
    const document = { text: 'a'.repeat(1_000_000), part: `${'a'.repeat(500_000)}b` }
    expect(outcome(document, 'contains(text, part)')).toEqual(limit)
    expect(query(document, 'starts_with(text, part)')).toBe(false)
    expect(query(document, "contains(text, 'ab')")).toBe(false)
    const glued = { glue: 'x'.repeat(100_000), list: Array.from({ length: 100_000 }, () => '') }
    expect(outcome(glued, 'join(glue, list)')).toEqual(limit)
  })

  it('is refused where the expression is too long or nested too deeply', () => {
    expect(message({}, `a${'.a'.repeat(2_000)}`)).toContain('expected at most 4000 characters, got 4001')
    for (const deep of ['('.repeat(1_900) + 'a' + ')'.repeat(1_900), '!'.repeat(3_900) + 'a', '[*]'.repeat(1_300)])
      expect(outcome({}, deep)).toMatchObject({ kind: 'syntax' })
    expect(query({}, `${'(('.repeat(20)}a${'))'.repeat(20)}`)).toBeNull()
  })

  it('is not stopped where a large list is sorted, filtered and counted', () => {
    expect(query(numbers, 'sort(@)[-1]')).toBe(100_002)
    expect(query(numbers, '[?@ > `50000`] | length(@)')).toBeGreaterThan(40_000)
    expect(
      query(
        numbers.map((id) => ({ id, tags: ['a', 'b'] })),
        '[].tags[] | length(@)',
      ),
    ).toBe(200_000)
    expect(query(numbers, 'max(@)')).toBe(100_002)
  })
})

const cases = fileURLToPath(new URL('../../../shared/cases/cases.json', import.meta.url))

interface Case {
  readonly id: string
  readonly area: string
  readonly input: {
    readonly tests: readonly { given: unknown; expression: string; result?: unknown; error?: string }[]
  }
}

describe.skipIf(!existsSync(cases))('reported faults of JMESPath (skipped where the collection is absent)', () => {
  const read = existsSync(cases)
    ? (JSON.parse(readFileSync(cases, 'utf8')) as { readonly cases: readonly Case[] }).cases
    : []

  it('have none here', () => {
    const tests = read.filter(({ area }) => area === 'jmespath').flatMap(({ input }) => input.tests)
    for (const { given, expression, result, error } of tests) {
      const wanted = error === undefined ? result : expect.objectContaining({ kind: error })
      expect([expression, outcome(given, expression)]).toEqual([expression, wanted])
    }
    expect(tests.length).toBeGreaterThan(30)
  })
})
