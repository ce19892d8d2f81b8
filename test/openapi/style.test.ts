// How parameters are written: the table of the specification, and any value back again by a decoder of its own.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { document, rig } from './rig.ts'

const colors = { string: 'blue', array: ['blue', 'black', 'brown'], object: { R: 100, G: 200, B: 150 }, empty: '' }

type Kind = keyof typeof colors

const schemas = {
  string: { type: 'string' },
  empty: { type: 'string' },
  array: { type: 'array', items: { type: 'string' } },
  object: { type: 'object' },
}

interface Parameter {
  readonly in: string
  readonly style?: string | undefined
  readonly explode?: boolean | undefined
  readonly allowReserved?: boolean
  readonly schema?: object
}

/** Where the value is written: what stands in the path behind "/x/", the query, the header or the cookie. */
async function written(parameter: Parameter, value: unknown, name = 'color'): Promise<string> {
  const path = parameter.in === 'path' ? `/x/{${name}}` : '/x'
  const required = parameter.in === 'path'
  const { asked, call } = rig(
    document({ [path]: { get: { operationId: 'get', parameters: [{ name, required, schema: {}, ...parameter }] } } }),
  )
  await call('get', { [name.replace(/[^\w.-]+/g, '_')]: value } as never)
  const { url = '', headers = {} } = asked[0] ?? {}
  if (parameter.in === 'header') return headers[name.toLowerCase()] ?? ''
  if (parameter.in === 'cookie') return headers['cookie'] ?? ''
  return url.slice(`https://api.example/v1/x${required ? '/' : '?'}`.length)
}

describe('a parameter', () => {
  // OpenAPI 3.1.1, "Style Examples", and RFC 6570.
  it.each<[place: string, style: string, explode: boolean, kind: Kind, text: string]>([
    ['path', 'simple', false, 'string', 'blue'],
    ['path', 'simple', false, 'array', 'blue,black,brown'],
    ['path', 'simple', false, 'object', 'R,100,G,200,B,150'],
    ['path', 'simple', true, 'string', 'blue'],
    ['path', 'simple', true, 'array', 'blue,black,brown'],
    ['path', 'simple', true, 'object', 'R=100,G=200,B=150'],
    ['path', 'label', false, 'string', '.blue'],
    ['path', 'label', false, 'array', '.blue,black,brown'],
    ['path', 'label', false, 'object', '.R,100,G,200,B,150'],
    ['path', 'label', true, 'string', '.blue'],
    ['path', 'label', true, 'array', '.blue.black.brown'],
    ['path', 'label', true, 'object', '.R=100.G=200.B=150'],
    ['path', 'matrix', false, 'string', ';color=blue'],
    ['path', 'matrix', false, 'array', ';color=blue,black,brown'],
    ['path', 'matrix', false, 'object', ';color=R,100,G,200,B,150'],
    ['path', 'matrix', true, 'string', ';color=blue'],
    ['path', 'matrix', true, 'array', ';color=blue;color=black;color=brown'],
    ['path', 'matrix', true, 'object', ';R=100;G=200;B=150'],
    ['query', 'form', false, 'empty', 'color='],
    ['query', 'form', false, 'string', 'color=blue'],
    ['query', 'form', false, 'array', 'color=blue,black,brown'],
    ['query', 'form', false, 'object', 'color=R,100,G,200,B,150'],
    ['query', 'form', true, 'empty', 'color='],
    ['query', 'form', true, 'string', 'color=blue'],
    ['query', 'form', true, 'array', 'color=blue&color=black&color=brown'],
    ['query', 'form', true, 'object', 'R=100&G=200&B=150'],
    ['query', 'spaceDelimited', false, 'array', 'color=blue%20black%20brown'],
    ['query', 'spaceDelimited', false, 'object', 'color=R%20100%20G%20200%20B%20150'],
    ['query', 'pipeDelimited', false, 'array', 'color=blue%7Cblack%7Cbrown'],
    ['query', 'pipeDelimited', false, 'object', 'color=R%7C100%7CG%7C200%7CB%7C150'],
    ['query', 'spaceDelimited', true, 'array', 'color=blue&color=black&color=brown'],
    ['query', 'pipeDelimited', true, 'array', 'color=blue&color=black&color=brown'],
    ['query', 'deepObject', true, 'object', 'color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150'],
    ['header', 'simple', false, 'string', 'blue'],
    ['header', 'simple', false, 'array', 'blue,black,brown'],
    ['header', 'simple', false, 'object', 'R,100,G,200,B,150'],
    ['header', 'simple', true, 'array', 'blue,black,brown'],
    ['header', 'simple', true, 'object', 'R=100,G=200,B=150'],
    ['cookie', 'form', false, 'string', 'color=blue'],
    ['cookie', 'form', false, 'array', 'color=blue,black,brown'],
    ['cookie', 'form', false, 'object', 'color=R,100,G,200,B,150'],
    ['cookie', 'form', true, 'array', 'color=blue; color=black; color=brown'],
    ['cookie', 'form', true, 'object', 'R=100; G=200; B=150'],
  ])('in %s with the style %s, explode %s, writes a value that is %s as %s', async (...row) => {
    const [place, style, explode, kind, text] = row
    expect(await written({ in: place, style, explode, schema: schemas[kind] }, colors[kind])).toBe(text)
  })

  it('has the style and explode of its place where neither is said', async () => {
    expect(await written({ in: 'path' }, ['a', 'b'])).toBe('a,b')
    expect(await written({ in: 'query' }, ['a', 'b'])).toBe('color=a&color=b')
    expect(await written({ in: 'query', style: 'pipeDelimited' }, ['a', 'b'])).toBe('color=a%7Cb')
    expect(await written({ in: 'header' }, { a: 1 })).toBe('a,1')
    expect(await written({ in: 'cookie' }, ['a', 'b'])).toBe('color=a; color=b')
  })

  it('is left out where it is not given, null, or an empty list', async () => {
    for (const place of ['query', 'header', 'cookie']) {
      for (const value of [null, [], {}]) expect(await written({ in: place }, value)).toBe('')
      expect(await written({ in: place }, 'x', 'another')).toContain('x')
    }
  })

  it('escapes all that is not its own to write, reserved characters too, unless they are allowed', async () => {
    const text = "a/b?c#d[e]@!$&'()*+,;=:% ü"
    const escaped = 'a%2Fb%3Fc%23d%5Be%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%25%20%C3%BC'
    expect(await written({ in: 'query' }, text)).toBe(`color=${escaped}`)
    expect(await written({ in: 'path' }, text)).toBe(escaped)
    const reserved = 'a/b?c%23d%5Be%5D@%21$%26%27%28%29%2A%2B,;=:%25%20%C3%BC'
    expect(decodeURIComponent(reserved)).toBe(text)
    expect(await written({ in: 'query', allowReserved: true }, text)).toBe(
      `color=${reserved.replace('%21', '!').replace('%28%29%2A', '()*')}`,
    )
  })

  it('keeps the comma between values apart from those within, also where reserved characters are allowed', async () => {
    const list = { in: 'query', explode: false, allowReserved: true }
    expect(await written(list, ['a,b', 'c/d'])).toBe('color=a%2Cb,c/d')
  })

  it('writes what lies deeper than its style goes on, or as JSON', async () => {
    const value = { a: { b: [1, 2], c: null }, d: 'x&y' }
    expect(await written({ in: 'query', style: 'deepObject', explode: true }, value)).toBe(
      'color%5Ba%5D%5Bb%5D=1&color%5Ba%5D%5Bb%5D=2&color%5Bd%5D=x%26y',
    )
    expect(await written({ in: 'query' }, [{ a: 1 }])).toBe('color=%7B%22a%22%3A1%7D')
  })

  it('is JSON where its content says so', async () => {
    const content = { 'application/json': { schema: { type: 'object' } } }
    expect(await written({ in: 'query', content } as never, { a: [1, null] })).toBe(
      'color=%7B%22a%22%3A%5B1%2Cnull%5D%7D',
    )
  })

  it.each([
    [{ in: 'header' }, 'a\r\nx-evil: 1', 'wanted printable ASCII'],
    [{ in: 'header' }, 'ü', 'wanted printable ASCII'],
    [{ in: 'header' }, ['a,b'], 'wanted no ","'],
    [{ in: 'query', style: 'spaceDelimited' }, ['a b'], 'wanted no space'],
    [{ in: 'query', style: 'pipeDelimited' }, ['a|b'], 'wanted no "|"'],
    [{ in: 'path', style: 'label', explode: true }, ['a.b'], 'wanted no "."'],
    [{ in: 'path' }, '', 'wanted a value that is not empty'],
    [{ in: 'path' }, [], 'wanted a value that is not empty'],
    [{ in: 'path' }, '..', 'lead out of it'],
    [{ in: 'path', style: 'label' }, '.', 'lead out of it'],
    [{ in: 'query' }, '\ud800', 'wanted whole characters'],
  ])('%o refuses %o in words, as the server would read something else', async (parameter, value, problem) => {
    const path = parameter.in === 'path' ? '/x/{color}/y' : '/x'
    const one = { name: 'color', required: parameter.in === 'path', schema: {}, ...parameter }
    const { asked, failure } = rig(document({ [path]: { get: { operationId: 'get', parameters: [one] } } }))
    const text = await failure('get', { color: value } as never)
    expect(text).toContain(problem)
    expect(asked).toEqual([])
  })
})

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((one) => one.isWellFormed())
const key = fc.stringMatching(/^[a-zA-Z][\w ü&=,;.]{0,5}$/)
const values = {
  string: text,
  array: fc.array(text, { minLength: 2, maxLength: 4 }),
  object: fc.dictionary(key, text, { minKeys: 1, maxKeys: 4, noNullPrototype: true }),
}

const pairsOf = (parts: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    parts.map((part) => {
      const at = part.indexOf('=')
      return [decodeURIComponent(part.slice(0, at)), decodeURIComponent(part.slice(at + 1))]
    }),
  )

const halved = (list: readonly string[]): Record<string, string> =>
  Object.fromEntries(list.flatMap((one, index) => (index % 2 ? [] : [[one, list[index + 1] ?? '']])))

/** Written by the table alone: what each style means, read backwards. */
const decoders: Readonly<Record<string, (written: string, kind: Kind) => unknown>> = {
  'path simple false': (all, kind) => unlisted(all.split(',').map(decodeURIComponent), kind),
  'path simple true': (all, kind) =>
    kind === 'object' ? pairsOf(all.split(',')) : unlisted(all.split(',').map(decodeURIComponent), kind),
  'path label false': (all, kind) => unlisted(all.slice(1).split(',').map(decodeURIComponent), kind),
  'path matrix false': (all, kind) => unlisted(all.slice(';color='.length).split(',').map(decodeURIComponent), kind),
  'path matrix true': (all, kind) => exploded(all.slice(1).split(';'), kind),
  'query form false': (all, kind) => unlisted(all.slice('color='.length).split(',').map(decodeURIComponent), kind),
  'query form true': (all, kind) => exploded(all.split('&'), kind),
  'query deepObject true': (all, kind) =>
    kind === 'object'
      ? Object.fromEntries(
          Object.entries(pairsOf(all.split('&'))).map(([name, one]) => [name.slice('color['.length, -1), one]),
        )
      : exploded(all.split('&'), kind),
  'cookie form false': (all, kind) => unlisted(all.slice('color='.length).split(',').map(decodeURIComponent), kind),
  'cookie form true': (all, kind) => exploded(all.split('; '), kind),
}

function unlisted(list: readonly string[], kind: Kind): unknown {
  if (kind === 'array') return list
  return kind === 'object' ? halved(list) : list[0]
}

function exploded(parts: readonly string[], kind: Kind): unknown {
  if (kind === 'object') return pairsOf(parts)
  const list = parts.map((part) => decodeURIComponent(part.slice('color='.length)))
  return kind === 'array' ? list : list[0]
}

const runs = process.env['SAMELOOP_LONG'] === '1' ? 2000 : 40

describe('any value', () => {
  const cases = Object.keys(decoders).flatMap((style) =>
    (['string', 'array', 'object'] as const).map((kind) => [style, kind] as const),
  )
  it.each(cases)('written as %s, a value that is %s is read back as it was', async (how, kind) => {
    const [place = '', style, explode] = how.split(' ')
    const decode = decoders[how]!
    await fc.assert(
      fc.asyncProperty(values[kind], async (value) => {
        // They are refused, which has a test of its own.
        fc.pre(!(place === 'path' && typeof value === 'string' && /^[.]{1,2}$/.test(value)))
        const sent = await written({ in: place, style, explode: explode === 'true', schema: schemas[kind] }, value)
        expect(decode(sent, kind)).toEqual(value)
      }),
      { numRuns: runs, seed: 7 },
    )
  })
})
