import * as v from 'valibot'
import { describe, expect, it, vi } from 'vitest'
import { grants } from '../../src/approval/grants.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { ApprovalRequest } from '../../src/message/decision.ts'
import { retryTools } from '../../src/middleware/retry-tools.ts'
import { limitToolCalls } from '../../src/middleware/limits.ts'
import { denyTools } from '../../src/middleware/tool-lists.ts'
import { policy } from '../../src/policy/policy.ts'
import { tool } from '../../src/tool/valibot-tool.ts'

const sent: string[] = []
const send = tool({
  name: 'send',
  description: 'Sends a text.',
  input: v.object({ text: v.string() }),
  approval: true,
  describeCall: (input) => ({ summary: `Send ${JSON.stringify(input)}` }),
  execute({ text }) {
    sent.push(text)
    return 'sent'
  },
})

describe('a call by code', () => {
  it('asks whom it brought, with a preview, and runs what was approved', async () => {
    const asked: ApprovalRequest[] = []
    const registry = toolRegistry().register(send)
    const outcome = await registry.invoke(
      'send',
      { text: 'hello' },
      {
        approve(request) {
          asked.push(request)
          return 'approve'
        },
      },
    )
    expect(outcome).toMatchObject({ ok: true, value: { result: 'sent' } })
    expect(asked).toMatchObject([
      { name: 'send', input: { text: 'hello' }, preview: { summary: 'Send {"text":"hello"}' } },
    ])
    expect(sent.splice(0)).toEqual(['hello'])
  })

  it.each([
    ['deny', 'denied'],
    ['defer', 'pending'],
    [undefined, 'pending'],
    ['retry', 'pending'],
    [{ decision: 'edit', input: { text: 1 } }, 'pending'],
    [() => Promise.reject(new Error('away')), 'pending'],
  ])('that is answered %j does not run', async (answer, reason) => {
    const approve = (typeof answer === 'function' ? answer : () => answer) as never
    const outcome = await toolRegistry().register(send).invoke('send', { text: 'no' }, { approve })
    expect(outcome).toMatchObject({ ok: false, reason })
    expect(sent).toEqual([])
  })

  it('runs with what a person made of its input, validated again', async () => {
    const approve = () => ({ decision: 'edit', input: { text: 'better' } }) as const
    await toolRegistry().register(send).invoke('send', { text: 'worse' }, { approve })
    expect(sent.splice(0)).toEqual(['better'])
  })

  it('needs no second answer for what was approved for the session, if it brings the grants again', async () => {
    const approve = vi.fn(() => 'approve-session' as const)
    const registry = toolRegistry().register(send)
    const held = grants()
    for (const text of ['a', 'a', 'b']) await registry.invoke('send', { text }, { approve, grants: held })
    await registry.invoke('send', { text: 'a' }, { approve })
    expect(approve).toHaveBeenCalledTimes(3)
    expect(sent.splice(0)).toEqual(['a', 'a', 'b', 'a'])
  })

  it('is aborted with its signal, and a tool that goes on is left behind', async () => {
    const slow = tool({ name: 'slow', description: 'Never ends.', execute: () => new Promise(() => {}) })
    const leaving = new AbortController()
    const outcome = toolRegistry().register(slow).invoke('slow', {}, { signal: leaving.signal })
    leaving.abort()
    expect(await outcome).toMatchObject({ ok: false, reason: 'aborted' })
  })

  it('is aborted with its signal while a person thinks', async () => {
    const leaving = new AbortController()
    const approve = () => {
      leaving.abort()
      return new Promise<never>(() => {})
    }
    const registry = toolRegistry().register(send)
    const { signal } = leaving
    expect(await registry.invoke('send', { text: 'x' }, { signal, approve })).toMatchObject({ reason: 'aborted' })
    expect(await registry.invoke('send', { text: 'x' }, { signal })).toMatchObject({ reason: 'aborted' })
  })

  it('hears the progress of its tool', async () => {
    const counting = tool({
      name: 'counting',
      description: 'Counts.',
      async *execute(_, context) {
        context.progress({ at: 1 })
        yield 2
        return 'done'
      },
    })
    const heard: unknown[] = []
    await toolRegistry()
      .register(counting)
      .invoke('counting', {}, { onProgress: (value) => heard.push(value) })
    expect(heard).toEqual([{ at: 1 }, 2])
  })

  it('has dependencies and a session of its own', async () => {
    const who = tool({
      name: 'who',
      description: 'Tells.',
      execute: (_, { deps, run }) => `${String(deps)} ${run.session}`,
    })
    const registry = toolRegistry({ deps: 'ann' }).register(who)
    expect(await registry.call('who', {}, { session: 's1' })).toEqual({ result: 'ann s1' })
    expect(await registry.call('who', {}, { deps: 'bob' })).toEqual({ result: 'bob undefined' })
  })

  it('is not run when the tool was taken away while a person thought', async () => {
    const registry = toolRegistry().register(send)
    const approve = () => {
      registry.unregister('send')
      return 'approve' as const
    }
    expect(await registry.invoke('send', { text: 'x' }, { approve })).toMatchObject({ reason: 'not-found' })
    expect(sent).toEqual([])
  })
})

describe('the middleware of a registry', () => {
  it('wraps its calls, and a fork adds its own', async () => {
    let tries = 0
    const flaky = tool({
      name: 'flaky',
      description: 'Fails once.',
      effect: 'read',
      execute() {
        if (++tries === 1) throw new Error('not yet')
        return tries
      },
    })
    const registry = toolRegistry({ middleware: [retryTools({ delayMs: 1 })] }).register(flaky)
    expect(await registry.call('flaky')).toEqual({ result: 2 })
    const fork = registry.fork({ middleware: [denyTools(['flaky'])] })
    expect(await fork.invoke('flaky')).toMatchObject({ reason: 'denied' })
    expect(fork.definitions()).toEqual([])
    expect(registry.definitions()).toHaveLength(1)
    tries = 0
    expect(await registry.fork().call('flaky')).toEqual({ result: 2 })
  })

  it('is refused where it counts by the steps of a run', () => {
    expect(() => toolRegistry({ middleware: [limitToolCalls(3)] })).toThrow(/by the steps of a run/)
  })
})

describe('what a server is told', () => {
  it('depends on who asks, and leaves out aliases and what is hidden', () => {
    const plain = (name: string) => tool({ name, description: name, execute: () => name })
    const registry = toolRegistry({ policy: policy({ tools: { deny: ['hidden'] } }) })
      .register([plain('one'), plain('two'), plain('hidden')])
      .alias('uno', 'one')
      .allow(({ name }, { deps }) => name === 'one' || deps === 'ann')
    const names = (deps: unknown) => registry.served.list({ deps }).map(({ definition }) => definition.name)
    expect(names('ann')).toEqual(['one', 'two'])
    expect(names('bob')).toEqual(['one'])
    expect(registry.served.find('two', { deps: 'ann' })?.name).toBe('two')
    for (const name of ['two', 'uno', 'hidden', 'fn://one', '__proto__', 'constructor'])
      expect(registry.served.find(name, { deps: 'bob' })).toBeUndefined()
  })
})
