import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import type { Json } from '../../src/json/value.ts'
import { contentText } from '../../src/message/text.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { copied, made } from '../agent/rig.ts'

const tools = builtinTools({ env: {}, include: ['todo'] })

async function told(input: Json): Promise<string> {
  const outcome = await toolRegistry().register(tools).invoke('todo', input)
  const text = contentText(outcome.parts)
  return outcome.ok ? text : `${outcome.reason}: ${text}`
}

const task = (status: string, text = 'Buy milk'): Json => ({ task: text, status })

describe('todo', () => {
  it('gives the list back, for the model and for a page', async () => {
    const tasks = [task('done'), task('in-progress', 'Pay'), task('pending', 'Go home')]
    expect(JSON.parse(await told({ tasks }))).toEqual({ tasks })
    expect(await told({ tasks: [] })).toBe('{"tasks":[]}')
  })

  it('says what a list may not be', async () => {
    expect(await told({ tasks: [task('in-progress'), task('in-progress')] })).toBe(
      'failed: Expected at most one task in progress, got 2',
    )
    expect(await told({ tasks: Array.from({ length: 51 }, () => task('done')) })).toBe(
      'failed: Expected at most 50 tasks, got 51',
    )
    expect(await told({ tasks: [task('pending', ' ')] })).toBe(
      'failed: Expected tasks of 1 to 300 characters, got one of 1',
    )
    expect(await told({ tasks: [task('pending', 'x'.repeat(301))] })).toContain('got one of 301')
    expect(await told({ tasks: [task('begun')] })).toMatch(/^invalid-input: .*"pending" or "in-progress" or "done"/)
    expect(await told({ tasks: [{ task: 'x', status: 'done', by: 'me' }] })).toMatch(/^invalid-input: /)
  })

  it('is in the conversation of a run that was suspended, and of the agent that resumes it', async () => {
    const list = (status: string): Json => ({ tasks: [task(status)] })
    const pay = made('pay', () => 'paid', { approval: true })
    const first = agent({
      model: scriptedModel([{ calls: [{ name: 'todo', input: list('in-progress') }, { name: 'pay' }] }]),
      tools: [...tools, pay],
    })
    const suspended = await first.run('Shop').result
    const second = agent({
      model: scriptedModel([{ calls: [{ name: 'todo', input: list('done') }] }, 'Bought']),
      tools: [...builtinTools({ env: {}, include: ['todo'] }), pay],
    })
    const [call] = suspended.pending
    const resumed = await second.resume(copied(suspended.snapshot), [{ callId: call!.callId, decision: 'approve' }])
    const { messages } = await resumed.result
    const lists = messages.flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === 'tool-result' && part.name === 'todo' ? [contentText(part.content)] : [],
      ),
    )
    expect(lists.map((text) => JSON.parse(text) as unknown)).toEqual([list('in-progress'), list('done')])
  })
})
