// The AI SDK: `streamText` with its loop over tools, and its own providers.
import { conversation, description, instructions } from '../scenario.mjs'

globalThis.AI_SDK_LOG_WARNINGS = false

const baseURL = 'http://provider.invalid/v1'

async function modelFactory(wire) {
  if (wire === 'openai') {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    return (fetch) =>
      createOpenAICompatible({ name: 'test', baseURL, apiKey: 'key', fetch, includeUsage: true })('gpt-4o')
  }
  const { createAnthropic } = await import('@ai-sdk/anthropic')
  return (fetch) => createAnthropic({ baseURL, apiKey: 'key', fetch })('claude-test')
}

export async function load(wire) {
  const { isStepCount, streamText, tool } = await import('ai')
  const z = await import('zod')
  const makeModel = await modelFactory(wire)
  const inputSchema = z.object({ i: z.number(), s: z.string() })
  return async (scenario, { fetch, onText, work }) => {
    let failure
    const { textStream } = streamText({
      model: makeModel(fetch),
      instructions,
      messages: conversation(scenario),
      tools: { work: tool({ description, inputSchema, execute: async (input) => work(input) }) },
      stopWhen: isStepCount(scenario.steps + 2),
      onError: ({ error }) => {
        failure ??= error
      },
    })
    for await (const delta of textStream) onText(delta)
    if (failure !== undefined) throw failure
  }
}
