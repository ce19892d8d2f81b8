// sameloop, as a user has it: built entry points, one checked tool, every event read.
import { entry, sourceModule } from '../library.mjs'
import { conversation, description, inputSchema, instructions } from '../scenario.mjs'

const baseUrl = 'http://provider.invalid/v1'

async function modelFactory(wire) {
  if (wire === 'openai') {
    const { openaiChat } = await entry('./openai')
    return (fetch) => openaiChat({ model: 'gpt-4o', apiKey: 'key', baseUrl, fetch })
  }
  const { anthropic } = await entry('./anthropic')
  return (fetch) => anthropic({ model: 'claude-test', apiKey: 'key', baseUrl, fetch })
}

/**
 * Imports what an agent needs, once, as a program does at its top, and returns a factory: a new tool, model and agent
 * for each call. `input` is a schema in the place of the scenarios', `store` a run store.
 */
export async function agentFactory(wire = 'openai') {
  const { agent, tool } = await entry('.')
  const { jsonSchema } = await entry('./json-schema')
  const makeModel = await modelFactory(wire)
  const shared = jsonSchema(inputSchema)
  return ({ fetch, work, input = shared, store }) =>
    agent({
      model: makeModel(fetch),
      tools: [tool({ name: 'work', description, input, effect: 'read', execute: (given) => work(given) })],
      instructions,
      limits: { steps: 1e6, repeatedCalls: 1e9 },
      concurrency: 64,
      ...(store === undefined ? {} : { env: { store } }),
    })
}

/** The conversation of a scenario in our messages. */
export const messagesOf = (scenario) =>
  conversation(scenario).map(({ role, content }) => ({ role, content: [{ type: 'text', text: content }] }))

/** How often the live view is looked at: more often than a page draws. */
const deltasPerLook = 64

/** Keeps what is known of the arguments while they stream. */
function liveView(partialJson) {
  let reader = partialJson()
  let count = 0
  return (event) => {
    if (event.type === 'tool-input-start') reader = partialJson()
    if (event.type !== 'tool-input-delta') return
    reader.feed(event.delta)
    if (++count % deltasPerLook === 0) reader.value()
  }
}

/** `live` keeps a partial view of arguments, `log` gives the run a store. */
export async function load(wire, { live, log } = {}) {
  const makeAgent = await agentFactory(wire)
  const partialJson = live ? (await sourceModule('src/stream/partial-json.ts')).partialJson : undefined
  const memoryStore = log ? (await entry('./journal')).memoryStore : undefined
  return async (scenario, { fetch, onText, work }) => {
    const run = makeAgent({ fetch, work, store: memoryStore?.() }).run(messagesOf(scenario))
    const look = partialJson === undefined ? undefined : liveView(partialJson)
    for await (const event of run) {
      if (event.type === 'text-delta') onText(event.delta)
      look?.(event)
    }
    const { status, error } = await run.result
    if (status !== 'done') throw error ?? new Error(`The run ended "${status}"`)
  }
}

/** The core alone, without a provider or a schema package. */
export const loadCore = () => entry('.')
