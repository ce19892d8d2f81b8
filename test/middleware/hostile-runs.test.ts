// Middleware under runs that hang, fail, run at once and nest.
import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { textMessage } from '../../src/message/text.ts'
import { repairTranscript } from '../../src/message/transcript.ts'
import { compact } from '../../src/middleware/compact.ts'
import { gateModels } from '../../src/middleware/gate-models.ts'
import { injectContext } from '../../src/middleware/inject-context.ts'
import { patchToolCalls } from '../../src/middleware/patch-tool-calls.ts'
import { redact } from '../../src/middleware/redact.ts'
import { retryTools } from '../../src/middleware/retry-tools.ts'
import { allowTools, denyTools } from '../../src/middleware/tool-lists.ts'
import { trim } from '../../src/middleware/trim.ts'
import type { ModelRequest } from '../../src/model/model.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { anyObject, call, calls, eventsOf, made, pause, results, rig, within } from '../agent/rig.ts'

const engine = (): never => {
  throw new TypeError('engine words')
}

describe('compact()', () => {
  it('ends with its run while it summarises', async () => {
    const model = {
      ...scriptedModel([]),
      stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
    }
    const middleware = [compact({ maxTokens: 250, keepTokens: 100, model: model as never })]
    const run = rig(['1'], { middleware }).assistant.run(['a', 'b', 'c'].map((x) => textMessage('user', x.repeat(400))))
    await pause(10)
    run.abort()
    expect(await within(run.result)).toMatchObject({ status: 'aborted' })
  })
})

describe('a window', () => {
  it.each([() => trim({ maxTokens: 100 }), () => compact({ maxTokens: 100 })])(
    'sends one giant message all the same (%#)',
    async (window) => {
      const file = { type: 'file', mediaType: 'image/png', data: 'a'.repeat(1e6) } as const
      const message = { role: 'user', content: [file, { type: 'text', text: 'x'.repeat(1e6) }] } as const
      const { assistant, model } = rig(['done'], { middleware: [window()] })
      expect(await assistant.run([message]).result).toMatchObject({ status: 'done' })
      expect(model.requests[0]?.messages).toEqual([message])
    },
  )

  it('keeps runs at once apart, and each transcript valid', async () => {
    const turn = ({ messages, settings }: ModelRequest): ScriptedTurn =>
      settings.toolChoice === 'none' ? 'summary' : { calls: [{ name: 't', input: { n: messages.length } }] }
    const model = scriptedModel(Array.from({ length: 300 }, () => turn))
    const answer = (input: unknown) => `${JSON.stringify(input)} ada@example.com`.repeat(50)
    const tools = [made('t', answer, { input: anyObject, repeatable: true })]
    const middleware = [redact(), compact({ maxTokens: 2000 }), trim({ maxTokens: 1500 })]
    const { run } = agent({ model, tools, limits: { steps: 12 }, middleware })
    const all = await Promise.all(['1', '2', '3'].map((input) => run(input).result))
    expect(all.map(({ steps }) => steps)).toEqual([12, 12, 12])
    for (const { messages } of [...all, ...model.requests]) expect(repairTranscript(messages).repairs).toEqual([])
    expect(JSON.stringify(model.requests.map(({ messages }) => messages))).not.toContain('ada@')
  })
})

describe('middleware around models', () => {
  it('redacts the context that was injected before it', async () => {
    const middleware = [injectContext(() => 'I am ada@example.com'), redact()]
    const { assistant, model } = rig(['done'], { middleware })
    await assistant.run('x').result
    expect(JSON.stringify(model.requests[0]?.messages.at(-1))).toContain('[email-1]')
  })

  it.each([
    () => injectContext(engine),
    () => patchToolCalls(engine),
    () => patchToolCalls((() => undefined) as never),
    () => patchToolCalls((() => ({ name: 5, text: 7 })) as never),
  ])('says nothing of the engine where a function of yours fails (%#)', async (one) => {
    const run = rig([calls('t'), 'done'], { tools: [made('t', () => 1)], middleware: [one()] }).assistant.run('x')
    const events = await eventsOf(run)
    expect(JSON.stringify([events, (await run.result).messages])).not.toMatch(/engine words|destructure/)
    expect(events.at(-1)).toMatchObject({ type: 'run-end' })
  })

  it('leaves a gate that hangs, and takes only true for yes', async () => {
    const run = rig(['done'], { middleware: [gateModels(() => new Promise(() => {}))] }).assistant.run('x')
    await pause(5)
    run.abort()
    expect(await within(run.result)).toMatchObject({ status: 'aborted' })
    for (const verdict of [undefined, null, 0, 1, '', 'no', {}]) {
      const { assistant } = rig(['done'], { middleware: [gateModels(() => verdict as never)] })
      expect(await assistant.run('x').result).toMatchObject({ status: 'failed', error: { code: 'model-denied' } })
    }
  })
})

describe('retryTools()', () => {
  it('tries a generator again from its start', async () => {
    let tries = 0
    async function* execute() {
      yield ++tries
      if (tries < 3) throw new Error('no')
      return 'ok'
    }
    const tools = [made('t', execute as never, { effect: 'read' })]
    const { assistant } = rig([calls('t'), 'done'], { tools, middleware: [retryTools({ delayMs: 1 })] })
    expect(results((await assistant.run('x').result).messages)).toMatchObject([{ ok: true, text: 'ok' }])
  })
})

describe('what an agent may not use', () => {
  it.each([() => denyTools(['danger']), () => denyTools(['fn://danger']), () => allowTools(['child', 'via'])])(
    'is not used by its sub-agents, by aliases in forks, by URIs or by other tools (%#)',
    async (one) => {
      let ran = 0
      const danger = made('danger', () => void ran++)
      const fork = toolRegistry().register(danger).fork()
      fork.alias('nice', 'danger')
      const child = agent({ model: scriptedModel([calls('danger', 'nice'), 'done']), registry: fork })
      const via = made('via', async (_, { call: run }) => {
        for (const name of ['danger', 'fn://danger']) await run(name, {}).catch(() => undefined)
        return 'tried'
      })
      const tools = [child.asTool({ name: 'child', description: 'c' }), via, danger]
      const turns = [call('child', { task: 'x' }), calls('via', 'danger'), 'done']
      const { messages } = await rig(turns, { tools, middleware: [one()] }).assistant.run('x').result
      expect(results(messages).map(({ ok }) => ok)).toEqual([true, true, false])
      expect(ran).toBe(0)
    },
  )
})
