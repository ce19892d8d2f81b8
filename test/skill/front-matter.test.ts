import { describe, expect, it } from 'vitest'
import { frontMatter } from '../../src/skill/front-matter.ts'

/** The fields of a head, or what is wrong with it. */
function fields(head: string): unknown {
  const read = frontMatter(`---\n${head}\n---\nbody\n`)
  return typeof read === 'string' ? read : Object.fromEntries(read.fields)
}

describe('frontMatter()', () => {
  it('gives the fields of the head and the body after it', () => {
    const read = frontMatter('\ufeff---\r\nname: pdf\r\ndescription: Reads PDFs\r\n---\r\n\r\n# PDF\r\n---\r\n')
    expect(read).toMatchObject({ body: '\n# PDF\n---\n' })
    expect(Object.fromEntries((read as { fields: ReadonlyMap<string, string> }).fields)).toEqual({
      name: 'pdf',
      description: 'Reads PDFs',
    })
  })

  it('reads texts as YAML writes them', () => {
    expect(fields('d: plain text: with a colon')).toEqual({ d: 'plain text: with a colon' })
    expect(fields('d: plain # a comment')).toEqual({ d: 'plain' })
    expect(fields('d: C#-like # and a comment')).toEqual({ d: 'C#-like' })
    expect(fields("d: 'it''s # quoted'  # a comment")).toEqual({ d: "it's # quoted" })
    expect(fields('d: "a \\"b\\" \\u00e9\\n\\\\"')).toEqual({ d: 'a "b" é\n\\' })
    expect(fields('d: first\n  second\n\n  third')).toEqual({ d: 'first second\nthird' })
    expect(fields('d:\n  below')).toEqual({ d: 'below' })
    expect(fields('d: >-\n  folded\n  text\n\n  more\ne: x')).toEqual({ d: 'folded text\nmore', e: 'x' })
    expect(fields('d: |\n  one\n    two\n')).toEqual({ d: 'one\n  two' })
    expect(fields('d: "quoted\n  over lines"')).toEqual({ d: 'quoted over lines' })
  })

  it('leaves out what is no text, and what belongs to it', () => {
    const head =
      'name: x\nmetadata:\n  name: inner\n  version: "1.0"\nlist:\n  - name: y\ntools: [a, b]\ntag: !!str z\nalias: *a\nd: ok'
    expect(fields(head)).toEqual({ name: 'x', d: 'ok' })
    expect(fields('# a comment\nname: x\n\n# another\nd: y')).toEqual({ name: 'x', d: 'y' })
    expect(fields('d: "open')).toEqual({})
    expect(fields('__proto__: x\nconstructor: y')).toEqual({ constructor: 'y' })
  })

  it('says what is wrong with a head', () => {
    expect(frontMatter('# No head\n')).toBe('its first line is not "---"')
    expect(frontMatter('')).toBe('its first line is not "---"')
    expect(frontMatter('---\nname: x\n')).toBe('its head does not end with a line "---"')
    expect(frontMatter(`---\nd: ${'x'.repeat(20_000)}\n---\n`)).toBe('its head does not end with a line "---"')
    expect(fields('name: x\nname: y')).toBe('it says "name" twice')
  })

  it('is not slowed down by a head made to do so', () => {
    for (const piece of ['a: ', '\n', ' ', '"', "'", '\\', '# ', '---', 'a:\n', '- ', "''", ' #'])
      frontMatter(`---\nd: "${piece.repeat(16_000 / piece.length)}\n---\n${piece.repeat(50_000)}`)
  })
})
