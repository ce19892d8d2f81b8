// The scenarios: what the model says in each, and what a right run of it gives.

const answer = 'All done: the answer is 42.'

/** Text that compresses and repeats as little as prose does, always the same. */
export function filler(length) {
  const words = []
  for (let size = 0, index = 0; size < length; index++) {
    const word = `item${(index * 7919) % 1000} `
    words.push(word)
    size += word.length
  }
  return words.join('').slice(0, length)
}

/** What a family's number means; sizes are in thousands of characters for text and in KiB for arguments. */
const families = {
  /** N steps with one tool call each, then a short answer. */
  loop: (steps) => ({ steps }),
  /** One step with N tool calls, then a short answer. */
  par: (parallel) => ({ steps: 1, parallel }),
  /** No tools: N thousand characters of answer. */
  text: (thousands) => ({ steps: 0, text: filler(thousands * 1000), textDelta: 50 }),
  /** One tool call whose argument has N KiB, in deltas of four characters. */
  args: (kib) => ({ steps: 1, argument: filler(kib * 1024), argumentDelta: 4 }),
  /** N earlier messages, then two steps. */
  hist: (history) => ({ steps: 2, history }),
}

const suffixes = {
  /** The response comes in pieces of 16 KiB in the place of one event per piece. */
  '16k': { pieceBytes: 16_384 },
  /** Ours keeps a partial view of the arguments as they stream. */
  live: { live: true },
  /** Ours has a run store. */
  log: { log: true },
}

/**
 * A scenario by its name: family, number, suffixes, wire, for example `loop100`, `text1000-16k`, `args64-live`,
 * `loop100@anthropic`.
 */
export function scenario(name) {
  const [, family, number, options, wire = 'openai'] = /^([a-z]+)(\d+)((?:-[a-z0-9]+)*)(?:@([a-z]+))?$/.exec(name) ?? []
  const chosen = (options ?? '').split('-').filter((option) => option !== '')
  const isKnown = Object.hasOwn(families, family ?? '') && chosen.every((option) => Object.hasOwn(suffixes, option))
  if (!isKnown || !['openai', 'anthropic'].includes(wire)) throw new Error(`Unknown scenario "${name}"`)
  const made = families[family](Number(number))
  return {
    parallel: 1,
    text: answer,
    textDelta: 6,
    argument: 'x',
    argumentDelta: 8,
    history: 0,
    ...made,
    ...Object.assign({}, ...chosen.map((option) => suffixes[option])),
    name,
    wire,
  }
}

/** The calls of a step, as the model makes them: each differs, so no peer takes them for a loop. */
export const callsOf = ({ parallel, argument }, step) =>
  Array.from({ length: parallel }, (_, place) => {
    const index = step * parallel + place
    return { id: `call_${step}_${place}`, input: { i: index, s: argument } }
  })

/** About how many events the model sends in one run. */
export const eventsOf = ({ steps, parallel, argument, argumentDelta, text, textDelta }) =>
  steps * parallel * (2 + argument.length / argumentDelta) + text.length / textDelta + 3 * (steps + 1)

export const question = 'go'
export const instructions = 'You are a test agent.'
export const description = 'Do a unit of work.'
export const inputSchema = {
  type: 'object',
  properties: { i: { type: 'number' }, s: { type: 'string' } },
  required: ['i', 's'],
  additionalProperties: false,
}

/** The conversation before the answer, as plain role and text. */
export const conversation = ({ history }) => [
  ...Array.from({ length: history }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `message ${index}: ${'lorem ipsum dolor '.repeat(7)}`,
  })),
  { role: 'user', content: question },
]

/**
 * Counts what a peer does in one run. `onText` and `work` are what the peer calls; `check()` throws unless text, calls
 * and argument sizes are those of the scenario.
 */
export function witness({ text, steps, parallel, argument }, provider) {
  const calls = steps * parallel
  const seen = { length: 0, tail: '', calls: 0, sum: 0, firstTextAt: undefined }
  return {
    seen,
    onText(delta) {
      seen.firstTextAt ??= performance.now()
      seen.length += delta.length
      seen.tail = delta
    },
    work({ i, s }) {
      seen.calls++
      seen.sum += i
      if (s.length !== argument.length)
        throw new Error(`Argument: wanted ${argument.length} characters, got ${s.length}`)
      return `ok ${i}`
    },
    check() {
      const wanted = [text.length, calls, (calls * (calls - 1)) / 2, steps + 1]
      const got = [seen.length, seen.calls, seen.sum, provider.requests]
      const isRight = wanted.every((value, index) => value === got[index]) && text.endsWith(seen.tail)
      if (!isRight) throw new Error(`Text length, calls, sum of calls, requests: wanted ${wanted}, got ${got}`)
    },
  }
}
