// `agentRoutes`: the HTTP API before the objects. It lets in, limits and names; what a request means is the object's to say.
import { webHost } from '../../../src/host/web-host.ts'
import type { Host } from '../../../src/host/host.ts'
import { checkedOrigins } from '../../../src/http/origin.ts'
import {
  methodHeader,
  nameHeader,
  sessionHeader as mcpSessionHeader,
  versionHeader,
} from '../../../src/mcp-protocol/wire.ts'
import { bearerAuth, sessionIds, sessionSecret } from './access.ts'
import type { Access, AccessVariables, Auth } from './access.ts'
import { drain, limitedBody } from './body.ts'
import { mcpPath, sessionHeader, sessionMethods } from './object-routes.ts'
import { originHeaders, preflightHeaders } from './origin.ts'
import { answer, isRefusal, refusalOf, secured } from './response.ts'
import type { OnError, Refusal } from '../refusal.ts'

/** A model that clients may ask for by its id. */
export interface OfferedModel {
  readonly id: string
  readonly label: string
  /** False for a planner by rules. */
  readonly ai: boolean
}

export interface AgentRoutesOptions<Env> {
  /** The binding of the class that `agentObject` made. */
  readonly object: (env: Env) => DurableObjectNamespace
  /** Default: bearer tokens from AGENT_TOKEN; refuses all without them, but in development (DEV = "1", on loopback). */
  readonly auth?: Auth<Env> | undefined
  /** Origins of pages from elsewhere that may use the API. Default: none. There is no `*`. */
  readonly cors?: readonly string[] | ((env: Env) => readonly string[]) | undefined
  /** Default: none are told. */
  readonly models?: ((env: Env) => readonly OfferedModel[]) | undefined
  /** Where the API begins. Default `/api`. */
  readonly prefix?: string | undefined
  /**
   * Where the servers of the Model Context Protocol are that `agentObject(…, { mcp })` makes, for example `/mcp`: with
   * `?session=` that of a session, without it one that all clients of a tenant share. Default: nowhere.
   */
  readonly mcp?: string | undefined
  readonly host?: Host | undefined
  /** Told of what is answered with status 500, and of a `cors` list that cannot be used. Must not throw. */
  readonly onError?: OnError | undefined
}

const maxBodyBytes = 2 ** 20
/** Of a file that is put. */
const maxFileBytes = 2 ** 23

type Routes<Env> = (request: Request, env: Env) => Promise<Response>

/**
 * The API of sessions as a plain `Request → Response` handler, for a worker of its own or in any router. It answers
 * `GET /health`, `POST /sessions` and, below `/sessions/:session`, `POST /runs /decisions /stop`, `GET / /events /files
 * /file` and `PUT /file`. Bodies have at most 1 MiB, files 8 MiB. Errors are `{ error: { code, message } }`. Session ids are made here
 * and signed with SESSION_SECRET: others are answered 404 before any object is touched. Throws `config-invalid` for an
 * origin that is none.
 */
export function agentRoutes<Env extends AccessVariables>(options: AgentRoutesOptions<Env>): Routes<Env> {
  const { cors = [], host = webHost } = options
  if (typeof cors !== 'function') checkedOrigins(cors)
  const api: Api<Env> = { ...options, host, auth: options.auth ?? bearerAuth(host), secret: sessionSecret(host) }
  const respond: Routes<Env> = async (request, env) => {
    try {
      const origins = typeof cors === 'function' ? configuredOrigins(() => cors(env), options.onError) : cors
      if (isRefusal(origins)) return secured(answer(origins))
      const headers = originHeaders(request, origins)
      if (headers === undefined) return secured(answer(foreign), { vary: 'Origin' })
      if (request.method === 'OPTIONS')
        return secured(new Response(null, { status: 204 }), { ...headers, ...preflightHeaders })
      return secured(answer(await route(api, request, env)), headers)
    } catch (thrown) {
      return secured(answer(refusalOf(thrown, options.onError)))
    }
  }
  return async (request, env) => {
    const response = await respond(request, env)
    await drain(request)
    return response
  }
}

interface Api<Env> extends AgentRoutesOptions<Env> {
  readonly host: Host
  readonly auth: Auth<Env>
  readonly secret: ReturnType<typeof sessionSecret>
}

function configuredOrigins(cors: () => readonly string[], onError: OnError | undefined): readonly string[] | Refusal {
  try {
    return checkedOrigins(cors())
  } catch (thrown) {
    onError?.(thrown)
    return { status: 503, code: 'not-configured', message: 'The list of allowed origins cannot be used' }
  }
}

const foreign: Refusal = { status: 403, code: 'forbidden-origin', message: 'This page may not use the API' }
const nothing: Refusal = { status: 404, code: 'not-found', message: 'There is nothing here' }
const unknownSession: Refusal = { status: 404, code: 'unknown-session', message: 'There is no such session' }

const wrongMethod = (allowed: readonly string[]): Response => {
  const response = answer({ status: 405, code: 'method-not-allowed', message: `Wanted ${allowed.join(' or ')}` })
  response.headers.set('allow', allowed.join(', '))
  return response
}

async function route<Env extends AccessVariables>(api: Api<Env>, request: Request, env: Env): Promise<object> {
  const access = await api.auth(request, env)
  if (isRefusal(access)) return access
  const { prefix = '/api' } = api
  const { pathname } = new URL(request.url)
  if (pathname === api.mcp) return toMcp(api, request, env, access)
  if (!pathname.startsWith(`${prefix}/`)) return nothing
  const [collection, session, ...rest] = pathname.slice(prefix.length + 1).split('/')
  if (collection === 'health' && session === undefined) {
    if (request.method !== 'GET') return wrongMethod(['GET'])
    return { ok: true, name: 'sameloop', models: api.models?.(env) ?? [] }
  }
  if (collection !== 'sessions') return nothing
  const secret = api.secret(request, env)
  if (isRefusal(secret)) return secret
  const ids = sessionIds(secret, api.host)
  if (session === undefined) {
    return request.method === 'POST' ? { session: await ids.make(access.tenant) } : wrongMethod(['POST'])
  }
  const name = await ids.objectName(access.tenant, session)
  if (name === undefined) return unknownSession
  const path = `/${rest.join('/')}`
  const methods = sessionMethods(path)
  if (methods.length === 0) return nothing
  if (!methods.includes(request.method)) return wrongMethod(methods)
  return forward(api.object(env), request, { name, session, path })
}

/** To the MCP server of a session, or of the object that all clients of a tenant share. */
async function toMcp<Env extends AccessVariables>(
  api: Api<Env>,
  request: Request,
  env: Env,
  { tenant }: Access,
): Promise<Response | Refusal> {
  const secret = api.secret(request, env)
  if (isRefusal(secret)) return secret
  const session = new URL(request.url).searchParams.get('session')
  const shared = `${tenant}:mcp`
  const name = session === null ? shared : await sessionIds(secret, api.host).objectName(tenant, session)
  if (name === undefined) return unknownSession
  return forward(api.object(env), request, { name, session: session ?? 'mcp', path: mcpPath })
}

interface Target {
  readonly name: string
  readonly session: string
  readonly path: string
}

const apiHeaders = ['idempotency-key', 'if-match', 'last-event-id']
const mcpHeaders = ['accept', 'content-type', methodHeader, nameHeader, mcpSessionHeader, versionHeader]

/** To the object of the session, with a body that was counted and only the headers that it knows. */
async function forward(objects: DurableObjectNamespace, request: Request, target: Target): Promise<Response | Refusal> {
  const { method } = request
  const hasBody = method === 'POST' || method === 'PUT'
  const body = hasBody ? await limitedBody(request, method === 'PUT' ? maxFileBytes : maxBodyBytes) : null
  if (isRefusal(body)) return body
  const headers = new Headers({ [sessionHeader]: target.session })
  for (const name of target.path === mcpPath ? mcpHeaders : apiHeaders) {
    const value = request.headers.get(name)
    if (value !== null) headers.set(name, value)
  }
  const url = new URL(`https://session${target.path}`)
  url.search = new URL(request.url).search
  return objects.get(objects.idFromName(target.name)).fetch(url.href, { method, headers, body })
}
