// Secrets stay out of what servers say, and redirects are not followed.
import { describe, expect, it } from 'vitest'
import { webHost } from '../../src/host/web-host.ts'
import { post, scrubber } from '../../src/model/request.ts'

describe('secrets', () => {
  const headers = {
    authorization: 'Bearer abcd-efgh-ijkl',
    cookie: 'session=0123456789; theme=dark',
    'x-pass': 'correct horse battery',
    'x-long': 'abcd-efgh-ijkl-mnop',
    'x-base64': 'c2VjcmV0LWtleQ==',
    'x-none': undefined as never,
  }
  const scrub = scrubber(headers)
  it.each([
    ['Bad key abcd-efgh-ijkl given', 'Bad key … given'],
    ['Bad header Bearer abcd-efgh-ijkl', 'Bad header …'],
    ['No session 0123456789', 'No session …'],
    ['Not correct horse battery', 'Not …'],
    ['The longer abcd-efgh-ijkl-mnop first', 'The longer … first'],
    ['Without padding c2VjcmV0LWtleQ', 'Without padding …'],
    ['Short words like dark and theme stay', 'Short words like dark and theme stay'],
  ])('are taken out of "%s"', (said, shown) => {
    expect(scrub(said)).toBe(shown)
  })
})

describe('a redirect', () => {
  const to = (response: unknown) => {
    let redirect: string | undefined
    const fetch = async (_: unknown, init: RequestInit = {}): Promise<Response> => {
      redirect = init.redirect
      return response as Response
    }
    const request = { url: 'https://model.example/v1', headers: {}, body: '{}' }
    return { sent: post(request, { host: webHost, fetch, scrub: String }), mode: () => redirect }
  }
  it.each([
    ['as servers see it', new Response(null, { status: 307, headers: { location: 'https://evil.example/' } })],
    ['as pages see it', { ok: false, status: 0, type: 'opaqueredirect', headers: new Headers(), body: null }],
  ])('is an error and is not followed: %s', async (_, response) => {
    const { sent, mode } = to(response)
    await expect(sent).rejects.toMatchObject({
      code: 'model-response',
      retryable: false,
      message: 'Wanted an event stream, got a redirect: the server wants another address',
    })
    expect(mode()).toBe('manual')
  })
})
