// The hand-written loop: fetch, parse, call, again. No validation, events, limits, retries or snapshot.
import { conversation, description, inputSchema, instructions } from '../scenario.mjs'
import { payloads } from './sse.mjs'

async function openai(scenario, { fetch, onText, work }) {
  const messages = [{ role: 'system', content: instructions }, ...conversation(scenario)]
  const tools = [{ type: 'function', function: { name: 'work', description, parameters: inputSchema } }]
  const headers = { 'content-type': 'application/json', authorization: 'Bearer key' }
  for (;;) {
    const request = { model: 'gpt-4o', messages, tools, stream: true, stream_options: { include_usage: true } }
    const response = await fetch('http://provider.invalid/v1/chat/completions', {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    })
    let text = ''
    const calls = []
    for await (const { choices } of payloads(response.body)) {
      const delta = choices[0]?.delta
      if (delta?.content) {
        text += delta.content
        onText(delta.content)
      }
      for (const { index, id, function: part } of delta?.tool_calls ?? []) {
        if (id) calls[index] = { id, type: 'function', function: { name: part.name, arguments: '' } }
        calls[index].function.arguments += part.arguments
      }
    }
    if (calls.length === 0) return
    messages.push({ role: 'assistant', content: text || null, tool_calls: calls })
    const results = await Promise.all(calls.map(async (call) => work(JSON.parse(call.function.arguments))))
    results.forEach((content, index) => messages.push({ role: 'tool', tool_call_id: calls[index].id, content }))
  }
}

async function anthropic(scenario, { fetch, onText, work }) {
  const messages = conversation(scenario)
  const tools = [{ name: 'work', description, input_schema: inputSchema }]
  const headers = { 'content-type': 'application/json', 'x-api-key': 'key', 'anthropic-version': '2023-06-01' }
  for (;;) {
    const request = { model: 'claude-test', max_tokens: 8192, system: instructions, messages, tools, stream: true }
    const response = await fetch('http://provider.invalid/v1/messages', {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    })
    const blocks = []
    const inputs = []
    for await (const event of payloads(response.body)) {
      const { type, index, delta } = event
      if (type === 'content_block_start') {
        blocks[index] = event.content_block
        inputs[index] = ''
      } else if (type === 'content_block_delta' && delta.type === 'text_delta') {
        blocks[index].text += delta.text
        onText(delta.text)
      } else if (type === 'content_block_delta') inputs[index] += delta.partial_json
      else if (type === 'content_block_stop' && inputs[index] !== '') blocks[index].input = JSON.parse(inputs[index])
    }
    const calls = blocks.filter((block) => block.type === 'tool_use')
    if (calls.length === 0) return
    messages.push({ role: 'assistant', content: blocks })
    const results = await Promise.all(
      calls.map(async ({ id, input }) => ({ type: 'tool_result', tool_use_id: id, content: work(input) })),
    )
    messages.push({ role: 'user', content: results })
  }
}

export const load = async (wire) => ({ openai, anthropic })[wire]
