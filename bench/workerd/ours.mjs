// sameloop in a worker: what a user would write, bundled from the built entry points.
import { agent, tool } from 'sameloop'
import { jsonSchema } from 'sameloop/json-schema'
import { openaiChat } from 'sameloop/openai'
import { description, inputSchema, instructions, question } from '../scenario.mjs'

export async function load() {
  const input = jsonSchema(inputSchema)
  return async (_scenario, { fetch, onText, work }) => {
    const assistant = agent({
      model: openaiChat({ model: 'gpt-4o', apiKey: 'key', baseUrl: 'http://provider.invalid/v1', fetch }),
      tools: [tool({ name: 'work', description, input, effect: 'read', execute: (given) => work(given) })],
      instructions,
    })
    const run = assistant.run(question)
    for await (const event of run) if (event.type === 'text-delta') onText(event.delta)
    const { status, error } = await run.result
    if (status !== 'done') throw error ?? new Error(`The run ended "${status}"`)
  }
}
