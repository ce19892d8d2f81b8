// The network of the shell: what the command's own fetch gives, and nothing besides.
import { check, equal, includes } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import type { Fetch } from '../../../../src/host/host.ts'
import { guardedFetch } from '../../../../src/policy/guarded-fetch.ts'
import { answers, shellCase } from './case.ts'
import type { MakeShell, Run } from './case.ts'

const over =
  (run: Run, fetch: Fetch): Run =>
  (command, request) =>
    run(command, { fetch, ...request })

/** Answers by the path of the address, and notes what was asked. */
function site(): { readonly fetch: Fetch; readonly asked: string[] } {
  const asked: string[] = []
  const fetch: Fetch = async (input, init) => {
    const request = new Request(input, init)
    const { pathname, host } = new URL(request.url)
    asked.push(`${request.method} ${host}${pathname} ${request.headers.get('x-key') ?? '-'} ${await request.text()}`)
    if (pathname === '/moved')
      return new Response('', { status: 302, headers: { location: 'https://example.org/data' } })
    if (pathname === '/bytes') return new Response(Uint8Array.of(0, 255, 10))
    if (pathname === '/broken') throw new TypeError('the line is cut')
    return new Response(`at ${pathname}\n`, { status: pathname === '/none' ? 404 : 200, headers: { 'x-is': 'here' } })
  }
  return { fetch, asked }
}

export function networkCases(make: MakeShell): readonly ContractCase[] {
  const one = shellCase(make)
  return [
    one('has no curl without a network', async (run) => {
      const { exitCode, stderr } = await run('curl -s https://example.org/')
      equal(exitCode, 127)
      includes(stderr, 'command not found')
    }),
    one('reaches the network as far as the command may', async (run) => {
      const { fetch, asked } = site()
      await answers(over(run, guardedFetch(fetch)), {
        'curl -s https://example.org/data': 'at /data\n',
        'curl -sL https://example.org/moved': 'at /data\n',
        'curl -s https://example.org/bytes | base64; curl -s -o f https://example.org/bytes; wc -c < f': 'AP8K\n3\n',
        'curl -s -X POST -H "x-key: k" -d a=1 https://example.org/post': 'at /post\n',
        'curl -s -o /dev/null -w "%{http_code}\\n" https://example.org/none': '404\n',
      })
      includes(asked.join('\n'), 'POST example.org/post k a=1')
    }),
    one('is refused in words what is inside, or broken', async (run) => {
      const { fetch, asked } = site()
      const curl = over(run, guardedFetch(fetch))
      for (const url of [
        'http://127.0.0.1:1/',
        'https://localhost/',
        'https://169.254.169.254/latest',
        'https://[::1]/',
        'file:///etc/passwd',
        'https://example.org/broken',
      ]) {
        const { exitCode, stdout } = await curl(`curl -s ${url}`)
        check(exitCode !== 0, `a refusal of ${url}`)
        equal(stdout, '')
      }
      equal(
        asked.filter((line) => !line.includes('/broken')),
        [],
      )
      await answers(curl, { 'curl -s https://127.0.0.1/ || echo on': 'on\n' })
    }),
  ]
}
