// A document made of a few operations, and what its server was asked.
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { ToolRegistry } from '../../src/catalog/tool-registry.ts'
import type { Fetch } from '../../src/host/host.ts'
import type { Json } from '../../src/json/value.ts'
import { openApi } from '../../src/openapi/open-api.ts'
import type { OpenApi, OpenApiOptions } from '../../src/openapi/open-api.ts'

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: unknown
}

/** What a document has beside its operation. */
export type Extra = Readonly<Record<string, unknown>>

export const document = (paths: object, extra: Extra = {}): object => ({
  openapi: '3.0.3',
  info: { title: 'Test', version: '1' },
  servers: [{ url: 'https://api.example/v1' }],
  paths,
  ...extra,
})

export interface Rig {
  readonly asked: Asked[]
  readonly source: OpenApi
  readonly registry: ToolRegistry
  /** The value of a call. */
  call(name: string, input?: Json): Promise<unknown>
  /** What the model reads of a call that failed. */
  failure(name: string, input?: Json): Promise<string>
}

export function rig(
  given: string | object,
  {
    answer = () => Response.json({ ok: true }),
    env,
    ...options
  }: Partial<OpenApiOptions> & { readonly answer?: (asked: Asked) => Response; readonly env?: object } = {},
): Rig {
  const asked: Asked[] = []
  const fetch: Fetch = async (url, { method = 'GET', headers, body } = {}) => {
    const one = { method, url: String(url), headers: Object.fromEntries(new Headers(headers)), body }
    asked.push(one)
    return answer(one)
  }
  const source = openApi({ name: 'api', document: given, fetch, checkResponses: false, ...options })
  const registry = toolRegistry({ env: env as never }).addSource(source)
  return {
    asked,
    source,
    registry,
    call: (name, input = {}) => registry.call(`openapi://api.${name}`, input),
    async failure(name, input = {}) {
      const outcome = await registry.invoke(`openapi://api.${name}`, input)
      if (outcome.ok) throw new Error(`Wanted a failure, got ${JSON.stringify(outcome.value)}`)
      return `${outcome.reason}: ${outcome.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}`
    },
  }
}
