// Credentials of hosts: put into requests that go there, and taken out of what comes back.
import { scrubber } from '../http/scrub.ts'
import { resolveSecret, secretsIn } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'
import { urlCheck } from '../policy/url-rule.ts'

export interface HostSecret {
  /**
   * As in a policy: `api.example.com`, `*.example.com`, `https://example.com:8443/api/*`. Only https unless it says `http://`. With
   * a path, redirects are not followed: the model reads where they lead.
   */
  readonly host: string
  /** Set on each request that goes there, whatever the model wrote. A function is asked each time. */
  readonly headers: Readonly<Record<string, Secret>>
}

export interface HostCredentials {
  readonly headers: Readonly<Record<string, string>>
  /** Takes them out of a text. */
  readonly scrub: (text: string) => string
  /** Whether one of them is for some paths only: a redirect could take it to another. */
  readonly isForPath: boolean
  /** As many characters at the end of a text that was cut off may be the beginning of one. */
  readonly longest: number
}

/** `config-invalid` for a host that cannot be read. */
export function hostSecrets(rules: readonly HostSecret[]): (url: URL) => Promise<HostCredentials> {
  const tests = rules.map(({ host, headers }) => ({
    misses: urlCheck(limits(host)),
    isForPath: hasPath.test(host),
    headers,
  }))
  return async (url) => {
    const headers: Record<string, string> = {}
    let isForPath = false
    for (const rule of tests) {
      if (rule.misses(url) !== undefined) continue
      isForPath ||= rule.isForPath
      for (const [name, secret] of Object.entries(rule.headers))
        headers[name.toLowerCase()] = await resolveSecret(secret, `the header "${name}" of ${url.host}`)
    }
    const secrets = Object.entries(headers).flatMap(([name, value]) => secretsIn(name, value))
    const longest = secrets.reduce((most, { length }) => Math.max(most, length * longestEscape), 0)
    return { headers, scrub: scrubber(secrets), isForPath, longest }
  }
}

/** More than `/` and `/*`, which are all of a host. */
const hasPath = /[^:/]\/(?!\*?$)/

/** Characters that stand for one: `\\\\u0041`. */
const longestEscape = 10

const limits = (host: string) => ({
  allow: [host],
  allowPrivateHosts: true,
  httpsOnly: !host.startsWith('http://'),
})
