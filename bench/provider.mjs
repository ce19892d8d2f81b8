// A model provider without a network: a `fetch` that plays a scenario over server-sent events, on either wire.
import { callsOf } from './scenario.mjs'

const encoder = new TextEncoder()

function pieces(text, length) {
  const found = []
  for (let from = 0; from < text.length; from += length) found.push(text.slice(from, from + length))
  return found
}

/** The events of one response of chat completions. */
function openaiEvents(scenario, step) {
  const base = {
    id: `chatcmpl-${scenario.name}-${step}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o',
  }
  const event = (more) => `data: ${JSON.stringify({ ...base, ...more })}\n\n`
  const said = (delta, finish = null) => event({ choices: [{ index: 0, delta, finish_reason: finish }] })
  const events = []
  const hasCalls = step < scenario.steps
  if (hasCalls) {
    callsOf(scenario, step).forEach(({ id, input }, index) => {
      const start = { index, id, type: 'function', function: { name: 'work', arguments: '' } }
      events.push(said({ ...(index === 0 ? { role: 'assistant', content: null } : {}), tool_calls: [start] }))
      for (const text of pieces(JSON.stringify(input), scenario.argumentDelta)) {
        events.push(said({ tool_calls: [{ index, function: { arguments: text } }] }))
      }
    })
  } else {
    events.push(said({ role: 'assistant', content: '' }))
    for (const content of pieces(scenario.text, scenario.textDelta)) events.push(said({ content }))
  }
  events.push(said({}, hasCalls ? 'tool_calls' : 'stop'))
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }
  events.push(`${event({ choices: [], usage })}data: [DONE]\n\n`)
  return events
}

/** The events of one response of messages. */
function anthropicEvents(scenario, step) {
  const event = (type, more = {}) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
  const block = (index, start, deltas) => [
    event('content_block_start', { index, content_block: start }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
  const hasCalls = step < scenario.steps
  const blocks = hasCalls
    ? callsOf(scenario, step).flatMap(({ id, input }, index) => {
        const texts = pieces(JSON.stringify(input), scenario.argumentDelta)
        const deltas = texts.map((text) => ({ type: 'input_json_delta', partial_json: text }))
        return block(index, { type: 'tool_use', id, name: 'work', input: {} }, deltas)
      })
    : block(
        0,
        { type: 'text', text: '' },
        pieces(scenario.text, scenario.textDelta).map((text) => ({ type: 'text_delta', text })),
      )
  const message = {
    id: `msg_${scenario.name}_${step}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-test',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  }
  const ending = { stop_reason: hasCalls ? 'tool_use' : 'end_turn', stop_sequence: null }
  return [
    event('message_start', { message }),
    ...blocks,
    event('message_delta', { delta: ending, usage: { output_tokens: 10 } }),
    event('message_stop'),
  ]
}

const eventsOn = { openai: openaiEvents, anthropic: anthropicEvents }

/** All bytes of the events, cut anew every `length` bytes. */
function recut(chunks, length) {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  const cut = []
  for (let from = 0; from < whole.length; from += length) cut.push(whole.slice(from, from + length))
  return cut
}

/** Made once per scenario and step, so that a measurement pays for the stream alone. */
const prepared = new Map()

function chunksOf(scenario, step) {
  const key = `${scenario.name} ${step}`
  let chunks = prepared.get(key)
  if (chunks === undefined) {
    chunks = eventsOn[scenario.wire](scenario, step).map((text) => encoder.encode(text))
    if (scenario.pieceBytes !== undefined) chunks = recut(chunks, scenario.pieceBytes)
    prepared.set(key, chunks)
  }
  return chunks
}

function body(chunks) {
  let next = 0
  return new ReadableStream(
    {
      pull(controller) {
        if (next < chunks.length) controller.enqueue(chunks[next++])
        else controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}

/**
 * One conversation: request n gets the response of step n, one event per piece unless the scenario says otherwise.
 * `gate(step)` may hold a response back; `inspect(body, step)` sees each request.
 */
export function provider(scenario, { gate, inspect } = {}) {
  const state = {
    requests: 0,
    firstRequestAt: undefined,
    async fetch(_url, init) {
      const step = state.requests++
      inspect?.(init.body, step)
      if (gate !== undefined) await gate(step)
      const chunks = chunksOf(scenario, step)
      state.firstRequestAt ??= performance.now()
      return new Response(body(chunks), { status: 200, headers: { 'content-type': 'text/event-stream' } })
    },
  }
  return state
}
