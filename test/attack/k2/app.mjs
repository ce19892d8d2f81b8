// The worker that the attacks run against: a model that says what the message of the user tells it to (a JSON list of turns),
// with call ids of any kind, and tools whose effects can be counted. Plain JavaScript, as it is bundled for workerd.
import { agentObject, agentRoutes, cloudflare } from '../../../adapters/cloudflare/index.ts'
import { agent, tool } from '../../../src/index.ts'
import { SameloopError } from '../../../src/error/error.ts'
import { jsonSchema } from '../../../src/json-schema.ts'
import { sleep } from '../../../src/stream/signal.ts'
import { readText, writeText } from '../../../src/vfs/text.ts'
const textOf = (message) => message?.content.map((part) => (part.type === 'text' ? part.text : '')).join('') ?? ''
function turnOf(messages) {
  const from = messages.map(({ role }) => role).lastIndexOf('user')
  const answered = messages.slice(from).filter(({ role }) => role === 'assistant').length
  const text = textOf(messages[from])
  if (!text.startsWith('[')) return { text: `${messages.length} messages` }
  return JSON.parse(text)[answered] ?? { text: 'end of script' }
}
async function* say(turn, call, key) {
  const { pieces = 1, wait = 0, calls = [] } = turn
  let { text = '' } = turn
  if (turn.fetch !== void 0) {
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
      { type: 'tool-input-start', index, name, ...(callId === void 0 ? {} : { callId }) },
      { type: 'tool-input-delta', index, delta: JSON.stringify(input) },
    ]
  }
  yield [{ type: 'finish', reason: calls.length > 0 ? 'tool-calls' : 'stop', usage: {} }]
}
const model = (key) => ({
  id: 'script',
  provider: 'script',
  capabilities: {},
  stream: ({ messages }, call) => say(turnOf(messages), call, key),
})
const object = (properties) =>
  jsonSchema({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false })
const save = tool({
  name: 'save',
  description: 'Appends a line to a file',
  approval: true,
  input: object({
    path: { type: 'string' },
    text: { type: 'string' },
  }),
  execute: async ({ path, text }, { fs }) => {
    await writeText(
      fs,
      path,
      `${text}
`,
      { mode: 'append', parents: true },
    )
    return `saved ${path}`
  },
})
const show = tool({
  name: 'show',
  description: 'Reads a file',
  effect: 'read',
  input: object({ path: { type: 'string' } }),
  execute: ({ path }, { fs }) => readText(fs, path),
})
const work = tool({
  name: 'work',
  description: 'Takes its time, and appends a line to work.log when it begins and when it ends',
  input: object({ milliseconds: { type: 'number' } }),
  execute: async ({ milliseconds }, { fs, signal }) => {
    await writeText(fs, '/work.log', 'begun\n', { mode: 'append' })
    await new Promise((resolve) => {
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
  maxOutputChars: 4e6,
  input: object({ characters: { type: 'number' } }),
  execute: ({ characters }) => '\xE9'.repeat(characters),
})
const sum = tool({
  name: 'sum',
  description: 'Adds numbers, after a person was asked',
  approval: true,
  input: object({ numbers: { type: 'array', items: { type: 'number' } } }),
  execute: async ({ numbers }, { fs }) => {
    await writeText(fs, '/sums.log', 'added\n', { mode: 'append' })
    return String(numbers.length)
  },
})
const stubborn = tool({
  name: 'stubborn',
  description: 'Takes its time, whatever its signal says',
  input: object({ milliseconds: { type: 'number' } }),
  execute: ({ milliseconds }) => new Promise((resolve) => setTimeout(() => resolve('over'), milliseconds)),
})
const waits = { script: 0, patient: 6e5 }
export const SessionObject = agentObject((env, session) => {
  const { state, fs, model: wanted = 'script' } = session
  const approvalWaitMs = waits[wanted]
  if (approvalWaitMs === void 0) throw new SameloopError('config-invalid', `There is no model "${wanted}"`)
  return agent({
    model: model(env.MODEL_KEY ?? ''),
    tools: [save, show, work, large, sum, stubborn],
    env: cloudflare(state, env, { fs }),
    approvalWaitMs,
  })
})
const routes = agentRoutes({
  object: (env) => env.SESSION,
  cors: ['https://page.example'],
  models: () => [{ id: 'script', label: 'Script', ai: false }],
})
export default { fetch: (request, env) => routes(request, env) }
