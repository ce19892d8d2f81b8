// A worker built from agentObject and agentRoutes, with a model that says what the user's message tells it to: a JSON list
// of turns, so that a test writes the script and every process that resumes the run reads the same.
import { agentObject, agentRoutes, cloudflare } from '../../../adapters/cloudflare/index.ts'
import type { AccessVariables } from '../../../adapters/cloudflare/index.ts'
import { agent, tool } from '../../../src/index.ts'
import { SameloopError } from '../../../src/error/error.ts'
import { jsonSchema } from '../../../src/json-schema.ts'
import type { Json } from '../../../src/json/value.ts'
import type { Message } from '../../../src/message/part.ts'
import type { Model, ModelCall } from '../../../src/model/model.ts'
import type { ModelEvent } from '../../../src/message/model-event.ts'
import { sleep } from '../../../src/stream/signal.ts'
import { readText, writeText } from '../../../src/vfs/text.ts'

interface Turn {
  readonly text?: string
  /** The text comes in as many pieces, each after `wait` milliseconds. */
  readonly pieces?: number
  readonly wait?: number
  /** Asks a server first and says what it answers. */
  readonly fetch?: string
  readonly calls?: readonly { readonly name: string; readonly input: Json; readonly callId?: string }[]
}

interface Env extends AccessVariables {
  readonly SESSION: DurableObjectNamespace
  readonly MODEL_KEY?: string
}

const textOf = (message: Message | undefined): string =>
  message?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''

/** The turn that answers these messages: as many answers were given since the last user message. */
function turnOf(messages: readonly Message[]): Turn {
  const from = messages.map(({ role }) => role).lastIndexOf('user')
  const answered = messages.slice(from).filter(({ role }) => role === 'assistant').length
  const text = textOf(messages[from])
  if (!text.startsWith('[')) return { text: `${messages.length} messages` }
  return (JSON.parse(text) as readonly Turn[])[answered] ?? { text: 'end of script' }
}

async function* say(turn: Turn, call: ModelCall, key: string): AsyncGenerator<readonly ModelEvent[]> {
  const { pieces = 1, wait = 0, calls = [] } = turn
  let { text = '' } = turn
  if (turn.fetch !== undefined) {
    const response = await call.host.fetch(turn.fetch, { headers: { authorization: `Bearer ${key}` } })
    text += await response.text()
  }
  if (text !== '') {
    yield [{ type: 'text-start', id: '0' }]
    const size = Math.ceil(text.length / pieces)
    for (let at = 0; at < text.length; at += size) {
      if (wait > 0) await sleep(call.host, wait, call.signal)
      yield [{ type: 'text-delta', id: '0', delta: text.slice(at, at + size) }]
    }
    yield [{ type: 'text-end', id: '0' }]
  }
  for (const [index, { name, input, callId }] of calls.entries()) {
    yield [
      { type: 'tool-input-start', index, name, callId },
      { type: 'tool-input-delta', index, delta: JSON.stringify(input) },
    ]
  }
  yield [{ type: 'finish', reason: calls.length > 0 ? 'tool-calls' : 'stop', usage: {} }]
}

const model = (key: string): Model => ({
  id: 'script',
  provider: 'script',
  capabilities: {},
  stream: ({ messages }, call) => say(turnOf(messages), call, key),
})

const object = <Shape>(properties: Readonly<Record<string, Json>>) =>
  jsonSchema<Shape>({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false })

const save = tool({
  name: 'save',
  description: 'Appends a line to a file',
  approval: true,
  input: object<{ readonly path: string; readonly text: string }>({
    path: { type: 'string' },
    text: { type: 'string' },
  }),
  execute: async ({ path, text }, { fs }) => {
    await writeText(fs, path, `${text}\n`, { mode: 'append', parents: true })
    return `saved ${path}`
  },
})

const show = tool({
  name: 'show',
  description: 'Reads a file',
  effect: 'read',
  input: object<{ readonly path: string }>({ path: { type: 'string' } }),
  execute: ({ path }, { fs }) => readText(fs, path),
})

const work = tool({
  name: 'work',
  description: 'Takes its time, and appends a line to work.log when it begins and when it ends',
  input: object<{ readonly milliseconds: number }>({ milliseconds: { type: 'number' } }),
  execute: async ({ milliseconds }, { fs, signal }) => {
    await writeText(fs, '/work.log', 'begun\n', { mode: 'append' })
    await new Promise<void>((resolve) => {
      const handle = setTimeout(resolve, milliseconds)
      signal.addEventListener('abort', () => {
        clearTimeout(handle)
        resolve()
      })
    })
    await writeText(fs, '/work.log', 'ended\n', { mode: 'append' })
    return 'worked'
  },
})

const large = tool({
  name: 'large',
  description: 'Answers with many characters',
  effect: 'read',
  maxOutputChars: 4_000_000,
  input: object<{ readonly characters: number }>({ characters: { type: 'number' } }),
  execute: ({ characters }) => 'é'.repeat(characters),
})

const sum = tool({
  name: 'sum',
  description: 'Adds numbers, after a person was asked',
  approval: true,
  input: object<{ readonly numbers: readonly number[] }>({ numbers: { type: 'array', items: { type: 'number' } } }),
  execute: async ({ numbers }, { fs }) => {
    await writeText(fs, '/sums.log', 'added\n', { mode: 'append' })
    return String(numbers.length)
  },
})

const stubborn = tool({
  name: 'stubborn',
  description: 'Takes its time, whatever its signal says',
  input: object<{ readonly milliseconds: number }>({ milliseconds: { type: 'number' } }),
  execute: ({ milliseconds }) => new Promise<string>((resolve) => setTimeout(() => resolve('over'), milliseconds)),
})

/** How many more rows of which table cannot be written, by session. */
const failures = new Map<string, { readonly table: string; readonly left: number }>()

const fill = (session: string) =>
  tool({
    name: 'fill',
    description: 'Fills the disk: so many of the next events or decisions cannot be written',
    input: jsonSchema<Readonly<Record<string, number>>>({ type: 'object' }),
    execute: (input) => {
      for (const [table, left] of Object.entries(input)) failures.set(session, { table, left })
    },
  })

/** The object's storage, whose disk is full for as many rows as its session was told. */
function fillable(state: DurableObjectState, name: () => string): DurableObjectState {
  const { storage } = state
  const { sql } = storage
  const exec: SqlStorage['exec'] = (query, ...bindings) => {
    const { table, left } = failures.get(name()) ?? { table: '', left: 0 }
    if (left > 0 && query.startsWith(`INSERT INTO ${table} `)) {
      failures.set(name(), { table, left: left - 1 })
      throw new Error('The disk is full')
    }
    return sql.exec(query, ...bindings)
  }
  return {
    id: state.id,
    storage: {
      sql: { exec },
      sync: () => storage.sync(),
      transactionSync: <Value>(work: () => Value) => storage.transactionSync(work),
      setAlarm: (at: number) => storage.setAlarm(at),
      deleteAlarm: () => storage.deleteAlarm(),
    },
  } as unknown as DurableObjectState
}

const waits: Readonly<Record<string, number>> = { script: 0, patient: 600_000 }

const Session = agentObject<Env>((env, session) => {
  const { state, fs, model: wanted = 'script' } = session
  const approvalWaitMs = waits[wanted]
  if (approvalWaitMs === undefined) throw new SameloopError('config-invalid', `There is no model "${wanted}"`)
  return agent({
    model: model(env.MODEL_KEY ?? ''),
    tools: [save, show, work, large, sum, stubborn, fill(state.id.toString())],
    env: cloudflare(state, env, { fs }),
    approvalWaitMs,
  })
})

export class SessionObject extends Session {
  readonly #state: DurableObjectState

  constructor(state: DurableObjectState, env: Env) {
    super(
      fillable(state, () => state.id.toString()),
      env,
    )
    this.#state = state
  }

  /** A file of this name is SQL for the object's own tables, after which the object begins anew. */
  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname !== '/file' || searchParams.get('path') !== '/tamper.sql') return super.fetch!(request)
    this.#state.storage.sql.exec(await request.text())
    await this.#state.storage.sync()
    this.#state.abort('It was tampered with')
    return new Response()
  }
}

const routes = agentRoutes<Env>({
  object: (env) => env.SESSION,
  cors: ['https://page.example'],
  models: () => [{ id: 'script', label: 'Script', ai: false }],
})

export default { fetch: (request: Request, env: Env): Promise<Response> => routes(request, env) }
