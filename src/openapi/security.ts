// Who a request comes from, by the security schemes of the document.
import { SameloopError } from '../error/error.ts'
import { isObject, own } from '../json/value.ts'
import { credentials } from '../rest/auth.ts'
import type { Credentials, RestAuth, UnsignedRequest } from '../rest/auth.ts'
import type { Secret } from '../http/secret.ts'
import { follow, listIn, textIn } from './document.ts'
import type { OpenApiDocument } from './document.ts'
import type { OpenApiOperation } from './operation.ts'

/** A security scheme as the document describes it. */
export interface OpenApiScheme {
  /** As the document calls it. */
  readonly name: string
  /** `apiKey`, `http`, `oauth2`, `openIdConnect` or `mutualTLS`. */
  readonly type: string
  /** Of an API key: `header`, `query` or `cookie`, and the name it has there. */
  readonly in: string | undefined
  readonly parameter: string | undefined
  /** Of `http`, in lower case: `bearer`, `basic`, … */
  readonly scheme: string | undefined
  /** What the operation asks of it. */
  readonly scopes: readonly string[]
}

/** The key or token alone; a user with a password for `basic`. */
export type OpenApiCredential = Secret | { readonly username: Secret; readonly password: Secret }

/**
 * Credentials by the names of the document's security schemes, or a function that is asked for each request and answers
 * `undefined` for a scheme that it has none for.
 */
export type OpenApiAuth =
  | Readonly<Record<string, OpenApiCredential>>
  | ((
      scheme: OpenApiScheme,
      operation: OpenApiOperation,
    ) => OpenApiCredential | undefined | Promise<OpenApiCredential | undefined>)

/** Alternatives, of which one must be met, each of schemes that must all be met. */
export type Requirements = readonly (readonly OpenApiScheme[])[]

/** What an operation asks, else the document; nothing where neither does. */
export function requirementsOf(document: OpenApiDocument, node: unknown): Requirements {
  const own = listOf(node) ?? listOf(document.root) ?? []
  return own
    .filter(isObject)
    .map((requirement) => Object.entries(requirement).map(([name, scopes]) => schemeOf(document, name, scopes)))
}

const listOf = (node: unknown): readonly unknown[] | undefined =>
  own(node, 'security') === undefined ? undefined : listIn(node, 'security')

function schemeOf(document: OpenApiDocument, name: string, scopes: unknown): OpenApiScheme {
  const node = follow(document, own(own(own(document.root, 'components'), 'securitySchemes'), name))
  return {
    name,
    type: textIn(node, 'type') ?? 'unknown',
    in: textIn(node, 'in'),
    parameter: textIn(node, 'name'),
    scheme: textIn(node, 'scheme')?.toLowerCase(),
    scopes: Array.isArray(scopes) ? scopes.filter((scope) => typeof scope === 'string') : [],
  }
}

/** All schemes that the document describes. */
export const schemesOf = (document: OpenApiDocument): readonly OpenApiScheme[] =>
  Object.keys(own(own(document.root, 'components'), 'securitySchemes') ?? {}).map((name) =>
    schemeOf(document, name, []),
  )

/**
 * How to sign a request: by the first alternative whose schemes all have credentials. In words, which schemes would do,
 * where none has.
 */
export async function chooseAuth(
  requirements: Requirements,
  auth: OpenApiAuth,
  operation: OpenApiOperation,
): Promise<readonly RestAuth[] | string> {
  for (const schemes of requirements) {
    const found: (RestAuth | undefined)[] = []
    for (const scheme of schemes) found.push(restAuth(scheme, await credentialFor(scheme, auth, operation)))
    if (found.every((one) => one !== undefined)) return found as readonly RestAuth[]
  }
  if (requirements.length === 0) return []
  const ways = requirements.map((schemes) => schemes.map(({ name }) => `"${name}"`).join(' with '))
  return `There are no credentials for this operation: it needs ${ways.join(' or ')}`
}

async function credentialFor(
  scheme: OpenApiScheme,
  auth: OpenApiAuth,
  operation: OpenApiOperation,
): Promise<OpenApiCredential | undefined> {
  if (typeof auth !== 'function') return own(auth, scheme.name) as OpenApiCredential | undefined
  try {
    return await auth(scheme, operation)
  } catch (cause) {
    // Its words may hold a secret.
    throw new SameloopError('source-failed', `Cannot resolve credentials for "${scheme.name}"`, { cause })
  }
}

/** The scheme with its credential; `undefined` where they do not go together. */
function restAuth(scheme: OpenApiScheme, credential: OpenApiCredential | undefined): RestAuth | undefined {
  if (credential === undefined) return undefined
  if (typeof credential === 'object')
    return scheme.type === 'http' && scheme.scheme === 'basic' ? { type: 'basic', ...credential } : undefined
  switch (scheme.type) {
    case 'apiKey':
      return apiKey(scheme, credential)
    case 'http':
      return scheme.scheme === 'bearer' ? { type: 'bearer', token: credential } : undefined
    case 'oauth2':
    case 'openIdConnect':
      return { type: 'bearer', token: credential }
    default:
      return undefined
  }
}

function apiKey({ in: place, parameter: name }: OpenApiScheme, value: Secret): RestAuth | undefined {
  if (name === undefined) return undefined
  return place === 'header' || place === 'query' || place === 'cookie' ? { type: place, name, value } : undefined
}

/** What all of them add to a request. */
export async function signWith(auths: readonly RestAuth[], request: UnsignedRequest): Promise<Credentials> {
  const all = await Promise.all(auths.map((auth) => credentials(auth, request)))
  const cookies = all.flatMap(({ headers }) => (headers['cookie'] === undefined ? [] : [headers['cookie']]))
  return {
    headers: {
      ...Object.assign({}, ...all.map(({ headers }) => headers)),
      ...(cookies.length > 0 ? { cookie: cookies.join('; ') } : {}),
    },
    query: Object.assign({}, ...all.map(({ query }) => query)) as Record<string, string>,
    secrets: all.flatMap(({ secrets }) => secrets),
  }
}

/** That credentials go with what the document asks, and can be had. */
export async function checkAuth(document: OpenApiDocument, auth: OpenApiAuth | undefined): Promise<void> {
  if (typeof auth !== 'object') return
  const schemes = schemesOf(document)
  for (const [name, credential] of Object.entries(auth)) {
    const scheme = schemes.find((one) => one.name === name)
    const wrong = (problem: string): SameloopError =>
      new SameloopError('config-invalid', `Cannot use auth "${name}": ${problem}`)
    if (!scheme) throw wrong(`the document has ${schemes.map((one) => `"${one.name}"`).join(', ') || 'no schemes'}`)
    const signing = restAuth(scheme, credential)
    if (!signing) throw wrong(`its type is "${scheme.scheme ?? scheme.type}", for which this is no credential`)
    await credentials(signing, { method: 'GET', url: new URL('https://server.invalid'), body: undefined })
  }
}
