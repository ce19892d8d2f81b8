// `restServer()`: the routes of one HTTP API as tools.
import { amounts } from '../error/amount.ts'
import { SameloopError } from '../error/error.ts'
import type { Fetch } from '../host/host.ts'
import type { Json } from '../json/value.ts'
import type { Preview } from '../message/decision.ts'
import type { StandardSchema } from '../schema/schema.ts'
import { toSchema } from '../schema/standard.ts'
import type { ToolContext } from '../tool/context.ts'
import { tool as defineTool } from '../tool/define.ts'
import type { ToolSource } from '../tool/source.ts'
import type { Tool, ToolOptions } from '../tool/tool.ts'
import { credentials } from './auth.ts'
import type { RestAuth } from './auth.ts'
import { fillRequest, restShape } from './parameter.ts'
import type { ParameterTarget } from './parameter.ts'
import { resolveSecret } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'
import { pathOf, sendRest } from './send.ts'
import type { RestTarget } from './send.ts'

export interface RestServerOptions {
  /** Of the source: tools are `rest://name.tool`. */
  readonly name: string
  /** Where all paths begin, for example `https://api.example.com/v1`. */
  readonly url: string
  /** Sent with every request. A function is asked each time. */
  readonly headers?: Readonly<Record<string, Secret>> | undefined
  readonly auth?: RestAuth | undefined
  /** Default: `ctx.fetch` of the call, which the policy guards. A fetch given here is not guarded by it. */
  readonly fetch?: Fetch | undefined
  /** The largest answer. Default 2 MiB. */
  readonly maxResponseBytes?: number | undefined
}

export type RestMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

type AnySchema = StandardSchema<unknown, unknown> | undefined

/** A tool of `sameloop`, with a route in the place of `execute`. */
export type RestToolOptions<In extends AnySchema, Out extends AnySchema> = Omit<ToolOptions<In, Out>, 'execute'> & {
  /** Default GET. */
  readonly method?: RestMethod | undefined
  /** With `{name}` for what comes from the input. Default: the tool's name. */
  readonly path?: string | undefined
  /**
   * Where parameters travel, for those that do not go where they would: into the path where the template names them,
   * else into the body of POST, PUT and PATCH and into the query of the rest.
   */
  readonly params?: Readonly<Record<string, ParameterTarget>> | undefined
  /** Sends the call's idempotency key in this header, for example `Idempotency-Key`. Default: not sent. */
  readonly idempotencyHeader?: string | undefined
}

export interface RestServer extends ToolSource {
  readonly scheme: 'rest'
  /** Adds a route. Throws `config-invalid` where path and input do not go together. */
  tool<const In extends AnySchema = undefined, const Out extends AnySchema = undefined>(
    options: RestToolOptions<In, Out>,
  ): RestServer
}

/**
 * An API whose routes are tools: `registry.addSource(restServer({ name: 'shop', url, auth }).tool({ … }))`. Secrets are
 * resolved for each request and never shown: not to the model, not in events, not in errors.
 */
export function restServer(options: RestServerOptions): RestServer {
  const { name, headers = {}, auth, fetch } = options
  const { maxResponseBytes } = amounts(options, { maxResponseBytes: 2 ** 21 })
  const target: RestTarget = { name, base: baseUrl(options), headers, auth, fetch, maxResponseBytes }
  const tools: Tool[] = []
  const server: RestServer = {
    scheme: 'rest',
    name,
    tool({ method = 'GET', path, params, idempotencyHeader, ...definition }) {
      const {
        input,
        effect = effects[method],
        describeCall = preview,
      } = definition as ToolOptions<StandardSchema, AnySchema>
      const template = path ?? `/${definition.name}`
      const shape = restShape({ method, path: template, params }, input && toSchema(input, 'input').json)
      const route = { target, shape, idempotencyHeader }
      function preview(given: Json): Preview {
        const filled = fillRequest(shape, given)
        const where = typeof filled === 'string' ? { path: template, query: '' } : filled
        const query = String(where.query)
        const path = pathOf(target, where.path)
        return { summary: `${method} ${path}${query && `?${query}`}`, host: target.base.host }
      }
      const execute = (value: unknown, context: ToolContext): Promise<unknown> => sendRest(route, value, context)
      if (tools.some((one) => one.name === definition.name))
        throw new SameloopError('config-duplicate-tool', `Server "${name}" has a tool "${definition.name}" already`)
      tools.push(defineTool({ ...definition, effect, describeCall, execute } as never))
      return server
    },
    async connect() {
      for (const [header, value] of Object.entries(headers)) await resolveSecret(value, `the header "${header}"`)
      // A function signs a request that is not there yet.
      if (typeof auth === 'object')
        await credentials(auth, { method: 'GET', url: new URL(target.base), body: undefined })
    },
    list: () => tools,
  }
  return server
}

/** What RFC 9110 §9.2 says of each method, for recovery after a crash. */
const effects = {
  GET: 'read',
  HEAD: 'read',
  PUT: 'idempotent',
  DELETE: 'idempotent',
  POST: 'unsafe',
  PATCH: 'unsafe',
} as const

function baseUrl({ name, url }: RestServerOptions): URL {
  const wrong = (problem: string): SameloopError =>
    new SameloopError('config-invalid', `Cannot use the REST server "${name}": ${problem}`)
  if (!/^[a-zA-Z0-9_-]+$/.test(name)) throw wrong('wanted a name of letters, digits, "_" and "-"')
  let parsed: URL
  try {
    parsed = new URL(url)
  } catch {
    throw wrong('its url is not a URL')
  }
  if (!/^https?:$/.test(parsed.protocol)) throw wrong(`wanted an http or https url, got "${parsed.protocol}"`)
  if (parsed.username || parsed.password) throw wrong('its url holds a user name or password: use auth')
  if (parsed.search || parsed.hash) throw wrong('its url ends in a query or fragment: use headers or auth')
  return parsed
}
