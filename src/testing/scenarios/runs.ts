// Guarantees about a run as a whole: limits, broken streams, steering, reading, settings per step.
import type { Message } from '../../message/part.ts'
import { jsonSchema } from '../../schema/check.ts'
import { tool } from '../../tool/define.ts'
import type { Scenario } from '../kit.ts'
import { add, cast, echo, lastResults, noteResult, play } from './cast.ts'

const broken = { code: 'model-connection', message: 'The connection broke', retryable: true } as const
const say = (text: string): { calls: { name: string; input: { text: string } }[] } => ({
  calls: [{ name: 'echo', input: { text } }],
})

export const runScenarios: readonly Scenario[] = [
  {
    name: 'a stream that fails after output began is reset and repeated, and half an answer never shows twice',
    run: async (kit) => {
      const actors = cast(kit, [['Hal', { error: broken }], ['Half', { error: broken }], 'Half and whole'])
      const { result, events } = await play(kit, actors)
      kit.equal([result.status, result.text], ['done', 'Half and whole'])
      kit.equal(events.filter(({ type }) => type === 'step-reset').length, 2)
      kit.equal(result.added.length, 1)
    },
  },
  {
    name: 'a stream that keeps failing fails the run after two resets, and the run can be resumed',
    run: async (kit) => {
      const half = ['Half', { error: broken }] as const
      const actors = cast(kit, [half, half, half, 'whole'])
      const { result } = await play(kit, actors)
      kit.equal(
        [result.status, result.error?.code, result.text, result.messages.length],
        ['failed', 'model-connection', 'Half', 1],
      )
      const run = await actors.assistant.resume(result.snapshot)
      await kit.trace(run)
      kit.equal(await run.text, 'whole')
    },
  },
  {
    name: 'an error that would only come again is not repeated and cannot be resumed',
    run: async (kit) => {
      const actors = cast(kit, [['Ha', { error: { code: 'model-request', message: 'The request is invalid' } }], 'x'])
      const { result } = await play(kit, actors)
      kit.equal([result.status, actors.model.requests.length], ['failed', 1])
      await kit.throws(() => actors.assistant.resume(result.snapshot), 'run-invalid-snapshot')
    },
  },
  {
    name: 'calls of a stream that broke never run',
    run: async (kit) => {
      let ran = 0
      const act = tool({ name: 'act', description: 'Acts.', execute: () => void ran++ })
      const actors = cast(kit, [[{ calls: [{ name: 'act' }] }, { error: { ...broken, retryable: false } }]], {
        tools: [act],
      })
      const { result } = await play(kit, actors)
      kit.equal([result.status, ran, result.messages.length], ['failed', 0, 1])
    },
  },
  {
    name: 'steering enters after the results of the step, or makes one more turn',
    run: async (kit) => {
      const { assistant, model } = cast(kit, [say('x'), [{ wait: 20 }, 'first answer'], 'second answer'], {
        tools: [echo],
      })
      const run = assistant.run('go')
      run.steer('also this')
      kit.host.timer(10, () => run.steer('and that'))
      await kit.trace(run)
      const result = await run.result
      noteResult(kit, result)
      kit.equal(result.text, 'second answer')
      kit.equal(
        model.requests.map(({ messages }) => messages.length),
        [1, 4, 6],
      )
    },
  },
  {
    name: 'events can be read once; the stream and the iterator are the same events',
    run: async (kit) => {
      const { assistant } = cast(kit, ['one', 'two'])
      const run = assistant.run('go')
      const reader = run.events.getReader()
      await kit.throws(() => run[Symbol.asyncIterator](), 'run-already-read')
      const seen: string[] = []
      for (;;) {
        const { done, value } = await reader.read()
        if (done) break
        seen.push(value.type)
      }
      const iterated: string[] = []
      for await (const event of assistant.run('go')) {
        kit.clock.touch()
        iterated.push(event.type)
      }
      kit.equal(seen, iterated)
      kit.equal(seen.at(-1), 'run-end')
    },
  },
  {
    name: 'a reader that leaves aborts the run unless it is detached',
    run: async (kit) => {
      for (const detached of [false, true]) {
        const { assistant } = cast(kit, [['One ', { wait: 50 }, 'two']])
        const run = assistant.run('go', { detached })
        for await (const event of run) {
          kit.clock.touch()
          if (event.type === 'text-delta') break
        }
        kit.equal((await run.result).status, detached ? 'done' : 'aborted')
      }
    },
  },
  {
    name: 'unread events are joined and then dropped, with one warning, and the messages stay whole',
    run: async (kit) => {
      const long = 'x'.repeat(3_000_000)
      const { assistant } = cast(kit, [[long]])
      const run = assistant.run('go')
      const result = await run.result
      const events = await kit.trace(run)
      kit.equal(result.text.length, long.length)
      const dropped = events.filter((event) => event.type === 'warning' && event.code === 'events-dropped')
      kit.equal(dropped.length, 1)
      const seqs = events.map(({ seq }) => seq)
      kit.check(
        seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0)),
        'seq still counts up',
      )
    },
  },
  {
    name: 'a fast model waits for a slow reader',
    run: async (kit) => {
      let told = 0
      const chatty = async function* () {
        yield [{ type: 'text-start', id: 't' } as const]
        for (; told < 5000; told++) yield [{ type: 'text-delta', id: 't', delta: 'x' } as const]
        yield [{ type: 'text-end', id: 't' } as const, { type: 'finish', reason: 'stop', usage: {} } as const]
      }
      const { assistant } = cast(kit, [], {
        model: { id: 'chatty', provider: 'test', capabilities: {}, stream: chatty },
      })
      const run = assistant.run('go')
      let most = 0
      let read = 0
      for await (const event of run) {
        kit.clock.touch()
        if (event.type === 'text-delta') most = Math.max(most, told - ++read)
        if (read === 10) await kit.sleep(100)
      }
      kit.check(most < 1500, 'the model is at most some hundred events ahead')
      kit.equal((await run.result).text.length, 5000)
    },
  },
  {
    name: 'prepareStep changes model, settings, tools and instructions of a step',
    run: async (kit) => {
      const other = cast(kit, ['from the other'])
      const actors = cast(kit, [say('x')], {
        tools: [echo, add],
        instructions: ({ step }) => `step ${step}`,
        prepareStep: ({ step }) =>
          step === 1
            ? { activeTools: ['echo'], settings: { temperature: 0 } }
            : { model: other.model, instructions: 'other' },
      })
      const { result } = await play(kit, actors)
      const [first] = actors.model.requests
      kit.equal(
        [first?.tools.map(({ name }) => name), first?.settings.temperature, first?.instructions],
        [['echo'], 0, 'step 1'],
      )
      kit.equal([other.model.requests[0]?.instructions, result.text], ['other', 'from the other'])
    },
  },
  {
    name: 'structured output is checked and repaired once',
    run: async (kit) => {
      const output = jsonSchema<{ n: number }>({
        type: 'object',
        properties: { n: { type: 'number' } },
        required: ['n'],
      })
      const good = await play(kit, cast(kit, ['not json', '```json\n{"n":"4"}\n```'], { output }))
      kit.equal([good.result.status, good.result.output], ['done', { n: 4 }])
      const bad = await play(kit, cast(kit, ['{}', '{"n":"x"}'], { output }))
      kit.equal([bad.result.status, bad.result.error?.code], ['failed', 'schema-mismatch'])
    },
  },
  {
    name: 'reasoning and provider data stay on their parts and travel with the transcript',
    run: async (kit) => {
      const signature = { test: { signature: 'EqQB+/==' } }
      const turn = [
        { reasoning: 'I need it', providerData: signature },
        { calls: [{ name: 'echo', input: { text: 'x' }, providerData: { test: { item: 'i1' } } }] },
      ] as const
      const actors = cast(kit, [turn, 'ok'], { tools: [echo] })
      await play(kit, actors)
      const [, said] = actors.model.requests[1]?.messages ?? []
      const [reasoning, call] = said?.content ?? []
      kit.equal(
        [reasoning?.type, reasoning?.providerData, call?.providerData],
        ['reasoning', signature, { test: { item: 'i1' } }],
      )
    },
  },
  {
    name: 'the transcript a model sees is one array that only grows, and tools stay identical between steps',
    run: async (kit) => {
      const seen: (readonly Message[])[] = []
      const tools: unknown[] = []
      const actors = cast(kit, [say('a'), say('b'), 'ok'], { tools: [echo] })
      const { stream } = actors.model
      const spied = cast(kit, [], {
        tools: [echo],
        model: {
          ...actors.model,
          stream: (request, call) => (seen.push(request.messages), tools.push(request.tools), stream(request, call)),
        },
      })
      await play(kit, spied)
      kit.equal([new Set(seen).size, new Set(tools).size, seen.length], [1, 1, 3])
    },
  },
  {
    name: 'two runs of one agent do not mix',
    run: async (kit) => {
      const slow = tool({
        name: 'slow',
        description: 'Slow.',
        effect: 'read',
        execute: async (_, { deps }) => {
          await kit.sleep(10)
          return deps as string
        },
      })
      const { assistant } = cast(kit, [{ calls: [{ name: 'slow' }] }, { calls: [{ name: 'slow' }] }, 'one', 'two'], {
        tools: [slow],
      })
      const runs = ['first', 'second'].map((deps) => assistant.run(deps, { deps }))
      const results = await Promise.all(runs.map((run) => run.result))
      kit.equal(
        results.map(({ messages }) => lastResults(messages)[0]?.text),
        ['first', 'second'],
      )
      kit.equal(new Set(results.map(({ snapshot }) => snapshot.run)).size, 2)
    },
  },
  {
    name: 'wrong input is refused with its place before anything runs',
    run: async (kit) => {
      const { assistant, model } = cast(kit, ['x'])
      const wrong: readonly unknown[] = [
        5,
        [null],
        [{ role: 'boss', content: [] }],
        [{ role: 'user', content: 'text' }],
        [{ role: 'user', content: [{ type: 'toString' }] }],
        [{ role: 'user', content: [{ type: 'text' }] }],
      ]
      for (const input of wrong) {
        const error = await kit.throws(() => assistant.run(input as string), 'run-invalid-input')
        kit.note('refused', error.message)
      }
      kit.equal(model.requests.length, 0)
    },
  },
]
