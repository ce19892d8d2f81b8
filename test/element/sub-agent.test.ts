import { describe, expect, it } from 'vitest'
import { transcript } from '../../element/view/entries.ts'
import { foldRecord } from '../../element/view/transcript.ts'
import { agent } from '../../src/agent/agent.ts'
import type { RunEvent } from '../../src/message/event.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { call, calls, made, rig } from '../agent/rig.ts'
import { runRecords } from './events.ts'

describe('the cards of a sub-agent', () => {
  it('stand beside that of the agent that was called, each with its own outcome and question', async () => {
    const tools = [made('look', () => 'seen'), made('pay', () => 'paid', { approval: true })]
    const inner = agent({ model: scriptedModel([calls('look', 'pay'), 'It is done.']), tools })
    const outer = [inner.asTool({ name: 'research', description: 'x' })]
    const { assistant } = rig([call('research', { task: 'x' }), 'done'], { tools: outer })
    const run = assistant.run('go')
    const events: RunEvent[] = []
    const asked = transcript()
    for await (const event of run) {
      events.push(event)
      if (event.type !== 'approval-request') continue
      for (const record of runRecords('r', events as never)) foldRecord(asked, record)
      run.decide({ callId: event.callId, decision: 'approve' })
    }
    const cards = (into: ReturnType<typeof transcript>) =>
      into.entries.flatMap((entry) => (entry.kind === 'tool' ? [[entry.callId, entry.name, entry.state]] : []))
    expect(cards(asked)).toEqual([
      ['call_1', 'research', 'running'],
      ['call_1/call_1', 'look', 'done'],
      ['call_1/call_2', 'pay', 'waiting'],
    ])
    const whole = transcript()
    for (const record of runRecords('r', events as never)) foldRecord(whole, record)
    expect(cards(whole).map(([, name, state]) => [name, state])).toEqual([
      ['research', 'done'],
      ['look', 'done'],
      ['pay', 'done'],
    ])
  })
})
