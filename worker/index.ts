// The edge deployment: the API of agent sessions, their tools by the Model Context Protocol, and the page beside them.
import { Hono } from 'hono/tiny'
import { agentObject, agentRoutes, cloudflare } from '../adapters/cloudflare/index.ts'
import type { AccessVariables, AgentObjectClass, ObjectSession } from '../adapters/cloudflare/index.ts'
import { instructions } from '../demo/assistant.ts'
import { agent } from '../src/index.ts'
import { toolRegistry } from '../src/registry.ts'
import { mcpHandler } from '../src/serve.ts'
import { builtinTools } from '../src/tools.ts'
import { modelOf, offeredModels } from './model.ts'
import type { ModelVariables } from './model.ts'

/** Secrets and variables, and the bindings of wrangler.toml. */
export interface Env extends AccessVariables, ModelVariables {
  readonly SESSION: DurableObjectNamespace
  readonly ASSETS: Fetcher
  /** Origins of pages from elsewhere, separated by commas. */
  readonly ALLOWED_ORIGINS?: string | undefined
}

const onError = (thrown: unknown): void => console.error(thrown)

/** One session: an agent over its own files. A run that asks suspends at once, and its question survives a restart. */
export const SessionObject: AgentObjectClass<Env> = agentObject<Env>(
  (env, { state, fs, model }) => {
    const environment = cloudflare(state, env, { fs })
    const tools = builtinTools({ env: environment })
    return agent({ model: modelOf(env, model), env: environment, tools, instructions, approvalWaitMs: 0 })
  },
  { mcp: mcpOf, onError },
)

/** The tools of the session's agent, for clients that bring a model of their own. Who asks was checked before. */
function mcpOf(env: Env, { id, state, fs }: ObjectSession): (request: Request) => Promise<Response> {
  const environment = cloudflare(state, env, { fs })
  const registry = toolRegistry({ env: environment }).register(builtinTools({ env: environment }))
  return mcpHandler(registry, {
    name: 'sameloop',
    sessions: true,
    // What was approved for the files of one session is not for those of another.
    auth: () => ({ principal: id }),
    ...(env.SESSION_SECRET !== undefined && { secret: env.SESSION_SECRET }),
    onError,
  })
}

const api = agentRoutes<Env>({
  object: (env) => env.SESSION,
  models: offeredModels,
  mcp: '/mcp',
  onError,
  cors: ({ ALLOWED_ORIGINS = '' }) =>
    ALLOWED_ORIGINS.split(',')
      .map((origin) => origin.trim())
      .filter(Boolean),
})

const app: Hono<{ Bindings: Env }> = new Hono<{ Bindings: Env }>()
app.all('/api/*', (context) => api(context.req.raw, context.env))
app.all('/mcp', (context) => api(context.req.raw, context.env))
app.all('*', (context) => context.env.ASSETS.fetch(context.req.raw))

export default app
