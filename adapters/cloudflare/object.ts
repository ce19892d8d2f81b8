// `agentObject`: a Durable Object that holds one session and is the only writer of its log, runs, decisions and files.
import type { Agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Host } from '../../src/host/host.ts'
import { serial } from '../../src/stream/serial.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import type { Conversation } from './session/conversation.ts'
import { wake } from './runs/live-run.ts'
import { sessionLog } from './event-log/log.ts'
import { revive } from './runs/revive.ts'
import { serveSession, sessionHeader } from './http/object-routes.ts'
import type { SessionServer } from './http/object-routes.ts'
import { answer, refusalOf } from './http/response.ts'
import { readMeta, writeMeta } from './files/meta.ts'
import type { OnError } from './refusal.ts'
import { sessionTables } from './session/tables.ts'
import { sqliteFiles } from './files/vfs.ts'
import { sqliteStore } from './store.ts'

/** What the function that makes an agent is told. */
export interface ObjectSession {
  readonly id: string
  readonly state: DurableObjectState
  /** The session's files, which the API lists and changes: give them to the agent's environment as `fs`. */
  readonly fs: Vfs
  /** The model a client asked for, if it did. Throw `config-invalid` for one that is not offered. */
  readonly model: string | undefined
}

export interface AgentObjectOptions<Env> {
  /** Default: `sqliteFiles` in the object itself. */
  readonly files?: ((state: DurableObjectState, env: Env) => Vfs) | undefined
  /**
   * Serves the session by the Model Context Protocol, where `agentRoutes({ mcp })` says: `mcpHandler(registry, …)` with tools
   * over the session's files. Called once, when somebody first asks. Who may ask was decided before.
   */
  readonly mcp?: ((env: Env, session: ObjectSession) => (request: Request) => Promise<Response>) | undefined
  readonly host?: Host | undefined
  /** Told of what is answered with status 500, and of a run that could not be written down. Must not throw. */
  readonly onError?: OnError | undefined
}

export type AgentObjectClass<Env> = new (state: DurableObjectState, env: Env) => DurableObject

type MakeAgent<Env> = (env: Env, session: ObjectSession) => Agent

/**
 * A Durable Object class (with SQLite) to export, that runs an agent for one session behind `agentRoutes`. `make` is
 * called once for each model that clients ask for. Use a finite, small `approvalWaitMs`: a run that waits for a person
 * then suspends, and its snapshot survives eviction, restarts and deployments.
 *
 * Persistent: events, messages, decisions, approvals for the session, runs and files. What a crash interrupts goes on at
 * the next start, within half a minute: results that were written down are not made again, half an answer is asked for
 * anew, and a call that had started runs again only where its effect allows it, else a person is asked what became of it
 * (`unknown-outcome`). With the files of the object, what a tool with the effect `local` does to them happens once. A run
 * that cannot go on is closed with the error `run-interrupted`; its finished steps stay.
 */
export function agentObject<Env = unknown>(
  make: MakeAgent<Env>,
  options: AgentObjectOptions<Env> = {},
): AgentObjectClass<Env> {
  return class SessionObject {
    readonly #open: (id: string | undefined) => SessionServer

    constructor(state: DurableObjectState, env: Env) {
      let server: SessionServer | undefined
      this.#open = (id) => (server ??= openSession(id, state, { env, make, options }))
    }

    async fetch(request: Request): Promise<Response> {
      try {
        const server = this.#open(request.headers.get(sessionHeader) ?? undefined)
        return answer(await serveSession(server, request))
      } catch (thrown) {
        return answer(refusalOf(thrown, options.onError))
      }
    }

    /** Rings while a run is live. In an object that is new, opening it goes on with the run its last process left. */
    async alarm(): Promise<void> {
      const { conversation } = this.#open(undefined)
      await conversation.serially(async () => {
        if (conversation.live !== undefined) wake(conversation)
      })
    }
  }
}

interface Makers<Env> {
  readonly env: Env
  readonly make: MakeAgent<Env>
  readonly options: AgentObjectOptions<Env>
}

/** Opens the tables and goes on with what a crash cut off. Without an id it is the one of before. */
function openSession<Env>(given: string | undefined, state: DurableObjectState, makers: Makers<Env>): SessionServer {
  const { storage } = state
  const { env, make, options } = makers
  const { host = webHost, onError } = options
  sessionTables(storage.sql)
  const id = given ?? readMeta(storage.sql, 'session') ?? ''
  writeMeta(storage.sql, 'session', id)
  const log = sessionLog(storage, onError)
  let made: Vfs | undefined
  const files = (): Vfs => (made ??= options.files?.(state, env) ?? sqliteFiles(storage, { now: host.now }))
  const agents = new Map<string | undefined, Agent>()
  const agentOf = (model: string | undefined): Agent => {
    const agent = agents.get(model) ?? make(env, { id, state, fs: files(), model })
    agents.set(model, agent)
    return agent
  }
  const conversation: Conversation = {
    storage,
    log,
    // Files of another place cannot change together with the log.
    store: sqliteStore(storage, options.files ? {} : { files: files() }),
    host,
    session: id,
    agentOf,
    onError,
    serially: serial(),
    live: undefined,
  }
  void conversation.serially(() => revive(conversation)).catch((thrown: unknown) => onError?.(thrown))
  let serving: ((request: Request) => Promise<Response>) | undefined
  const { mcp } = options
  return {
    conversation,
    files,
    streams: new Set(),
    mcp: mcp && (() => (serving ??= mcp(env, { id, state, fs: files(), model: undefined }))),
  }
}
