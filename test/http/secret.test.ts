import { describe, expect, it } from 'vitest'
import { isSecret, resolvedHeaders, secretsIn } from '../../src/http/secret.ts'

describe('what is secret in a header', () => {
  it('is its value, and what follows a scheme', () => {
    expect(secretsIn('authorization', 'Bearer s3cret')).toEqual(['Bearer s3cret', 's3cret'])
    expect(secretsIn('authorization', 'Sig key=a1b2, sig=c3d4')).toEqual([
      'Sig key=a1b2, sig=c3d4',
      'key=a1b2',
      'sig=c3d4',
    ])
  })

  it('is nothing of a header that everybody knows', () => {
    expect(secretsIn('Accept', 'text/html, application/json')).toEqual([])
    expect(secretsIn('x-amz-date', '20260101T000000Z')).toEqual([])
  })

  it('is all that a function gives, and of texts those whose names say it', () => {
    expect(['x-password', 'Cookie', 'API_KEY', 'authorization', 'x-token'].every((name) => isSecret(name, 'a'))).toBe(
      true,
    )
    expect([isSecret('x-version', '2024'), isSecret('x-version', () => '2024')]).toEqual([false, true])
  })

  it('is not what stands in the program, but for names that say it is', async () => {
    const headers = { 'x-version': '2024', 'x-api-key': 'k-1', authorization: async () => 'Bearer s3cret' }
    expect((await resolvedHeaders(headers)).secrets).toEqual(['k-1', 'Bearer s3cret', 's3cret'])
  })
})
