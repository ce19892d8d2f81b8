// Where a server is, as a program says it.
import { guarded } from '../error/guard.ts'
import { excerpt } from '../json/text.ts'

/** The URL of a server, or in words why it cannot be used: anything but http and https, and credentials within it. */
export function serverAddress(url: unknown): URL | string {
  const parsed = guarded(() => new URL(url as string), undefined)
  if (!parsed) return `its url is ${excerpt(url)}, wanted an http or https url`
  if (!/^https?:$/.test(parsed.protocol)) return `wanted an http or https url, got "${parsed.protocol}"`
  return parsed.username || parsed.password ? 'its url holds a user name or password: use auth or headers' : parsed
}

/** Why something cannot be the name of a source, a part of the URIs of its tools; `undefined` where it can. */
export const sourceNameProblem = (name: unknown): string | undefined =>
  typeof name === 'string' && /^[a-zA-Z0-9_-]+$/.test(name)
    ? undefined
    : `wanted a name of letters, digits, "_" and "-", got ${excerpt(name)}`
