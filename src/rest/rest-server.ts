// `restServer()`: the routes of one HTTP API as tools.
import { amounts } from '../error/amount.ts'
import { SameloopError } from '../error/error.ts'
import type { Fetch } from '../host/host.ts'
import type { Json } from '../json/value.ts'
import { serverAddress, sourceNameProblem } from '../http/address.ts'
import { effectOf } from '../http/method.ts'
import type { Preview } from '../message/decision.ts'
import type { StandardSchema } from '../schema/schema.ts'
import { toSchema } from '../schema/standard.ts'
import type { ToolContext } from '../tool/context.ts'
import { tool as defineTool } from '../tool/define.ts'
import type { ToolSource } from '../tool/source.ts'
import { fail } from '../tool/tool.ts'
import type { Tool, ToolAnswer, ToolOptions } from '../tool/tool.ts'
import { credentials } from './auth.ts'
import type { Credentials, RestAuth, UnsignedRequest } from './auth.ts'
import { fillRequest, restShape } from './parameter.ts'
import type { ParameterTarget } from './parameter.ts'
import { resolveSecret } from '../http/secret.ts'
import type { Secret } from '../http/secret.ts'
import { previewOf, send } from './send.ts'
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
  const target: RestTarget = { name, base: baseUrl(options), headers, fetch, maxResponseBytes }
  const tools: Tool[] = []
  const server: RestServer = {
    scheme: 'rest',
    name,
    tool({ method = 'GET', path, params, idempotencyHeader, ...definition }) {
      const {
        input,
        effect = effectOf(method),
        describeCall = preview,
      } = definition as ToolOptions<StandardSchema, AnySchema>
      const template = path ?? `/${definition.name}`
      const shape = restShape({ method, path: template, params }, input && toSchema(input, 'input').json)
      function preview(given: Json): Preview {
        const filled = fillRequest(shape, given)
        return previewOf(target, method, typeof filled === 'string' ? { path: template, query: '' } : filled)
      }
      const sign = (request: UnsignedRequest): Promise<Credentials> => credentials(auth, request)
      const execute = async (value: unknown, context: ToolContext): Promise<ToolAnswer> => {
        const filled = fillRequest(shape, value)
        if (typeof filled === 'string') return fail(filled)
        return send(target, { method, filled, idempotencyHeader, sign }, context)
      }
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

/** Where all paths begin. Throws `config-invalid` for a name or a URL that cannot be used. */
export function baseUrl({ name, url }: Pick<RestServerOptions, 'name' | 'url'>): URL {
  const wrong = (problem: string): SameloopError =>
    new SameloopError('config-invalid', `Cannot use the REST server "${name}": ${problem}`)
  const nameProblem = sourceNameProblem(name)
  if (nameProblem !== undefined) throw wrong(nameProblem)
  const address = serverAddress(url)
  if (typeof address === 'string') throw wrong(address)
  if (address.search || address.hash) throw wrong('its url ends in a query or fragment: use headers or auth')
  return address
}
