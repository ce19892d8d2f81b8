import { describe, expect, it } from 'vitest'
import { approveTools } from '../../src/approval/approvers.ts'
import { toolRegistry } from '../../src/catalog/tool-registry.ts'
import { webHost } from '../../src/host/web-host.ts'
import { gateModels } from '../../src/middleware/gate-models.ts'
import { kit } from '../../src/testing/kit.ts'
import { calls, eventsOf, made, results, rig } from '../agent/rig.ts'

const asking = (name: string, ran: string[]) => made(name, () => void ran.push(name), { approval: true })
const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

describe('approveTools()', () => {
  it.each([
    [['fs_*'], {}, ['fs_read'], 'suspended'],
    [['fs_*'], { otherwise: 'deny' }, ['fs_read'], 'done'],
    [['*'], {}, ['fs_read', 'shell'], 'done'],
    [[], { otherwise: 'deny' }, [], 'done'],
  ] as const)('%j %j approves %j', async (patterns, options, expected, status) => {
    const ran: string[] = []
    const tools = [asking('fs_read', ran), asking('shell', ran)]
    const approve = approveTools(patterns, options)
    const { assistant } = rig([calls('fs_read', 'shell'), 'done'], { tools, approve })
    expect((await assistant.run('x').result).status).toBe(status)
    expect(ran).toEqual(expected)
  })

  it('knows a tool by its registered name and its URI too', async () => {
    for (const pattern of ['fs.read', 'fs.*', 'fn://fs.read', 'fs_read']) {
      const ran: string[] = []
      const registry = toolRegistry().register(asking('read', ran), { name: 'fs.read' })
      const { assistant } = rig([calls('fs_read'), 'done'], { registry, approve: approveTools([pattern]) })
      await assistant.run('x').result
      expect([pattern, ran]).toEqual([pattern, ['read']])
    }
  })

  it('leaves a question for a result to a person', async () => {
    const tools = [made('ask', undefined as never)]
    const { assistant } = rig([calls('ask')], { tools, approve: approveTools(['*']) })
    expect(await assistant.run('x').result).toMatchObject({ status: 'suspended', stop: 'client-tool' })
  })
})

describe('a question that expires', () => {
  it('is denied when its time is over, while somebody still watches', async () => {
    const { host, clock } = kit({ timer: webHost.timer })
    const ran: string[] = []
    const options = { approvalExpiryMs: 60_000, approvalWaitMs: Infinity, env: { host } }
    const { assistant } = rig([calls('pay'), 'done'], { tools: [asking('pay', ran)], ...options })
    const begun = clock.now()
    const run = assistant.run('x')
    const events = await eventsOf(run)
    const { messages } = await run.result
    expect(results(messages)).toMatchObject([
      { reason: 'denied', text: expect.stringContaining('The question expired') },
    ])
    expect(events.find(({ type }) => type === 'approval-request')).toMatchObject({ expiresAt: begun + 60_000 })
    expect([ran, clock.now() - begun]).toEqual([[], 60_000])
  })

  it('is denied when its run is resumed too late, whatever was decided', async () => {
    const ran: string[] = []
    let now = 1000
    const env = { host: { ...webHost, now: () => now } }
    const build = () => rig([calls('pay')], { tools: [asking('pay', ran)], approvalExpiryMs: 500, env }).assistant
    const { snapshot } = await build().run('x').result
    const approve = [{ callId: 'call_1', decision: 'approve' } as const]
    const resumed = () =>
      rig(['done'], { tools: [asking('pay', ran)], env }).assistant.resume(copied(snapshot), approve)
    now = 1400
    await (
      await resumed()
    ).result
    expect(ran).toEqual(['pay'])
    now = 2000
    const { messages } = await (await resumed()).result
    expect(ran).toEqual(['pay'])
    expect(results(messages)[0]?.text).toContain('The question expired')
  })

  it('does not outlive its run', async () => {
    const open = new Set<number>()
    const host = {
      ...webHost,
      timer: (ms: number, then: () => void) => {
        open.add(ms)
        const over = () => void open.delete(ms)
        const stop = webHost.timer(ms, () => (over(), then()))
        return () => (over(), stop())
      },
    }
    const options = { approvalExpiryMs: 3_600_000, env: { host } }
    const { assistant } = rig([calls('pay')], { tools: [asking('pay', [])], ...options })
    await assistant.run('x').result
    expect([...open]).toEqual([])
  })
})

describe('gateModels()', () => {
  it('is asked before every model call, and a refusal keeps the work', async () => {
    const seen: number[] = []
    let budget = 1
    const gate = gateModels(({ messages }) => {
      seen.push(messages.length)
      return --budget >= 0 || 'the budget is used up'
    })
    const options = { tools: [made('t', () => 'x')], middleware: [gate] }
    const { assistant } = rig([calls('t'), 'done'], options)
    const { status, error, messages, snapshot } = await assistant.run('x').result
    expect([status, error?.code, error?.message]).toEqual([
      'failed',
      'model-denied',
      'The model call was refused: the budget is used up',
    ])
    expect([seen, messages.length]).toEqual([[1, 3], 3])
    budget = 1
    expect(await (await assistant.resume(snapshot)).result).toMatchObject({ status: 'done', text: 'done' })
  })

  it('refuses where it throws', async () => {
    const throwing = gateModels(() => {
      throw new Error('x')
    })
    expect(await rig(['hi'], { middleware: [throwing] }).assistant.run('x').result).toMatchObject({
      status: 'failed',
      error: { message: 'The model call was refused: the gate failed' },
    })
  })
})
