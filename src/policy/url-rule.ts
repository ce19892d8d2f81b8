// Which URLs tools may reach: by scheme, host and path, never by the text as a whole.
import { SameloopError } from '../error/error.ts'
import { addressKind } from './address.ts'
import { starTest } from '../pattern/star.ts'

export interface WebLimits {
  /** Default true. */
  readonly httpsOnly?: boolean | undefined
  /** Addresses and names of the machine itself and its network. Default false. */
  readonly allowPrivateHosts?: boolean | undefined
  /**
   * Where given, only these: `example.com`, `*.example.com` (names below it), `https://example.com:8443/api/*`. Without a
   * port the default one, without a path any. An empty list allows nothing.
   */
  readonly allow?: readonly string[] | undefined
  /** Never these, written in the same way; without a port any. Before `allow`. */
  readonly deny?: readonly string[] | undefined
  /**
   * The addresses of a name, `undefined` where that cannot be told. Asked before each hop; a name with any address that is
   * not public is refused. The presets of Node and Deno bring one. A name may change its addresses between this and the
   * connection, which no runtime lets us pin: it stops names that lead inside, not a server that answers twice.
   */
  readonly resolve?: Resolve | undefined
  /** Default 2 MiB. */
  readonly maxResponseBytes?: number | undefined
  /** Of a page as text. Default 50,000. */
  readonly maxContentChars?: number | undefined
}

export type Resolve = (host: string) => Promise<readonly string[] | undefined>

interface UrlRule {
  readonly scheme: string | undefined
  readonly host: string
  /** Whether only names below `host` are meant. */
  readonly below: boolean
  readonly port: string | undefined
  readonly path: ((path: string) => boolean) | undefined
}

/** Why a URL is refused, or `undefined`. */
export type UrlCheck = (url: string | URL) => string | undefined

/** The check for these limits; `config-invalid` for a rule that cannot be read. */
export function urlCheck(limits: WebLimits = {}): UrlCheck {
  const { httpsOnly = true, allowPrivateHosts = false } = limits
  const allow = limits.allow?.map(parseRule)
  const deny = (limits.deny ?? []).map(parseRule)
  return (input) => {
    const url = parseUrl(input)
    if (url === undefined) return 'it is not a valid URL'
    if (url.protocol !== 'https:' && url.protocol !== 'http:')
      return `only http and https are allowed, got "${url.protocol}"`
    if (httpsOnly && url.protocol !== 'https:') return 'only https is allowed'
    if (url.username !== '' || url.password !== '') return 'a user name or password in a URL is not allowed'
    const kind = addressKind(url.hostname)
    if (kind === 'invalid') return `"${url.hostname}" is not a valid host`
    if (!allowPrivateHosts && kind !== 'public' && kind !== 'name')
      return `"${url.hostname}" is not on the public internet (${kind})`
    if (deny.some((rule) => matches(rule, url, 'deny'))) return `the policy denies "${url.hostname}" or this path on it`
    if (allow !== undefined && !allow.some((rule) => matches(rule, url, 'allow')))
      return `"${url.hostname}" with this path is not on the list of allowed URLs`
    return undefined
  }
}

function parseUrl(input: string | URL): URL | undefined {
  try {
    return new URL(input)
  } catch {
    return undefined
  }
}

const shape = /^(?:(https?):\/\/)?(\*\.)?([^/:*?#@\s\\[\]]+|\[[\da-f:.]+\]|\*)(?::(\d{1,5}|\*))?(\/[^?#\s]*)?$/i

function parseRule(rule: string): UrlRule {
  const match = shape.exec(rule)
  const [, scheme, star, name = '', port, path] = match ?? []
  const host = name === '*' ? '*' : parseUrl(`http://${name}`)?.hostname
  if (match === null || host === undefined || host === '' || (star !== undefined && name === '*')) {
    throw new SameloopError(
      'config-invalid',
      `Cannot read the URL rule "${rule}": wanted a host such as "example.com", "*.example.com" or "https://example.com/path/*"`,
    )
  }
  return {
    scheme: scheme === undefined ? undefined : `${scheme.toLowerCase()}:`,
    host: bareHost(host),
    below: star !== undefined,
    port,
    path: path === undefined || path === '/' ? undefined : starTest(path),
  }
}

const bareHost = (host: string): string => host.replace(/\.$/, '')

function matches(rule: UrlRule, url: URL, list: 'allow' | 'deny'): boolean {
  const host = bareHost(url.hostname)
  if (rule.scheme !== undefined && rule.scheme !== url.protocol) return false
  if (rule.host !== '*' && !(rule.below ? host.endsWith(`.${rule.host}`) : host === rule.host)) return false
  if (!portMatches(rule, url, list)) return false
  if (rule.path === undefined) return true
  // A server may read an escaped path in its plain form: a rule has to hold for both, and one is enough to deny.
  const both = [rule.path(url.pathname), rule.path(plainPath(url.pathname))]
  return list === 'allow' ? both.every(Boolean) : both.some(Boolean)
}

function portMatches(rule: UrlRule, url: URL, list: 'allow' | 'deny'): boolean {
  if (rule.port === '*' || (rule.port === undefined && list === 'deny')) return true
  const usual = url.protocol === 'https:' ? '443' : '80'
  return (url.port === '' ? usual : url.port) === (rule.port === undefined ? usual : String(Number(rule.port)))
}

/** The path as a lenient server reads it: escapes undone, backslashes turned, dots resolved, double slashes joined. */
function plainPath(path: string): string {
  let decoded = path
  // Again where something undoes escapes twice: a proxy, then what is behind it.
  for (let round = 0; round < 3 && decoded.includes('%'); round++) {
    decoded = decoded.replace(/%[\da-f]{2}/gi, (escape) => {
      const code = Number.parseInt(escape.slice(1), 16)
      return code < 128 ? String.fromCharCode(code) : escape
    })
  }
  const out: string[] = []
  const segments = decoded.replaceAll('\\', '/').split('/')
  for (const [index, raw] of segments.entries()) {
    // Servers that know parameters of a segment take "..;x" for "..".
    const segment = raw.replace(/^(\.{1,2});.*$/, '$1')
    if (segment === '..') out.pop()
    else if (segment !== '.' && (segment !== '' || index === segments.length - 1)) out.push(segment)
  }
  return `/${out.join('/')}`
}
