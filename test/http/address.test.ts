import { describe, expect, it } from 'vitest'
import { serverAddress, sourceNameProblem } from '../../src/http/address.ts'

describe('the address of a server', () => {
  it('is an http or https URL', () => {
    expect(String(serverAddress('https://a.example/v1'))).toBe('https://a.example/v1')
    expect(String(serverAddress('http://127.0.0.1:80'))).toBe('http://127.0.0.1/')
  })

  it.each([
    ['nope', 'its url is "nope", wanted an http or https url'],
    [undefined, 'its url is nothing, wanted an http or https url'],
    ['ftp://a.example', 'wanted an http or https url, got "ftp:"'],
    ['https://me:pass@a.example', 'its url holds a user name or password: use auth or headers'],
  ])('is not %j', (url, problem) => {
    expect(serverAddress(url)).toBe(problem)
  })
})

describe('the name of a source', () => {
  it('is of letters, digits, "_" and "-", as it stands in the URIs of its tools', () => {
    expect(['shop', 'a_b-2'].map(sourceNameProblem)).toEqual([undefined, undefined])
    expect(sourceNameProblem('a.b')).toBe('wanted a name of letters, digits, "_" and "-", got "a.b"')
    expect(sourceNameProblem(undefined)).toMatch(/got nothing$/)
  })
})
