import { describe, expect, it } from 'vitest'
import { scrubber } from '../../src/http/scrub.ts'
import { secretsIn } from '../../src/http/secret.ts'

const secret = 'sk-Abc+123/def=&"ü<x'
const bytes = new TextEncoder().encode(secret)
const code = (before: string): string =>
  Buffer.concat([Buffer.from(before), bytes, Buffer.from('!?')]).toString('base64')
const each = (write: (character: string) => string): string => Array.from(secret, write).join('')
const unit = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

describe('scrubber()', () => {
  it.each([
    ['as it is', secret],
    ['in capitals', secret.toUpperCase()],
    ['in small letters', secret.toLowerCase()],
    ['as JSON', JSON.stringify(secret)],
    ['as JSON within JSON', JSON.stringify(JSON.stringify(secret))],
    ['as JSON for HTML', JSON.stringify(secret).replaceAll('&', '\\u0026').replaceAll('<', '\\u003c')],
    ['as escapes of JSON', each(unit)],
    ['as escapes of JSON within JSON', each((character) => `\\${unit(character)}`)],
    ['in a URL', encodeURIComponent(secret)],
    ['in a URL, all of it escaped', Array.from(bytes, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
    ['in a form', String(new URLSearchParams({ a: secret }))],
    ['in HTML', secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')],
    ['in HTML by numbers', each((character) => `&#${character.codePointAt(0)};`)],
    ['in HTML by hexadecimal numbers', each((character) => `&#x${character.codePointAt(0)?.toString(16)};`)],
    ['as Base64', code('')],
    ['as Base64 of what has one byte before it', code('a')],
    ['as Base64 of what has two bytes before it', code('ab')],
    ['as Base64 of what has three bytes before it', code('abc')],
    ['as Base64 for URLs', code('').replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')],
  ])('takes a secret out %s, and leaves what stands around it', (_, written) => {
    const rest = scrubber([secret])(`before ${written} after, ${written}`)
    expect(rest).toMatch(/^before .*…/)
    expect(rest).toMatch(/ after, .*…/)
    // What is left of Base64 are the letters that hold bits of its neighbours.
    expect(rest.replace(/before|after/g, '').length).toBeLessThan(30)
  })

  it('leaves a text alone that holds none, however it is escaped', () => {
    const text = `{"a":"\\u0041\\n%41&amp;&#65;%ff&#99999999;\\\\"} ${'\\'.repeat(50)}`
    expect(scrubber([secret])(text)).toBe(text)
  })

  it('takes a secret out that looks escaped itself, and the longest of several', () => {
    expect(scrubber(['a%41b', 'a&amp;b'])('a%41b a&amp;b')).toBe('… …')
    expect(scrubber(['abcd', 'abcdefgh'])('abcdefgh abcd')).toBe('… …')
  })

  it('ends in time with a secret of thousands of characters, and a text of millions', () => {
    const token = 'aB3_'.repeat(4000)
    const text = `${token.slice(0, -1).repeat(60)}\\u0061${'\\'.repeat(1e6)}%61 ${token}`
    expect(scrubber([token])(text).endsWith('%61 …')).toBe(true)
  })
})

describe('secretsIn()', () => {
  it('knows what of a header is secret alone', () => {
    expect(secretsIn('authorization', 'Bearer abc')).toEqual(['Bearer abc', 'abc'])
    const basic = `Basic ${btoa('anna:open sesame')}`
    expect(secretsIn('Authorization', basic)).toEqual([
      basic,
      btoa('anna:open sesame'),
      'anna:open sesame',
      'open sesame',
    ])
    expect(secretsIn('cookie', 'a=one; b=two=2')).toEqual(['a=one; b=two=2', 'one', 'two=2'])
    expect(secretsIn('authorization', 'Basic %%%')).toEqual(['Basic %%%', '%%%'])
  })
})
