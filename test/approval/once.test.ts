// Once asked, once approved, once run: over reloads, later messages and double clicks.
import { describe, expect, it } from 'vitest'
import { anyObject, call, made, results, rig } from '../agent/rig.ts'

const copied = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value))

function remover(ran: unknown[]) {
  const remove = made('remove', (input) => void ran.push(input), { input: anyObject, approval: () => 'It is for ever' })
  return (turns: Parameters<typeof rig>[0], tools = [remove]) => rig(turns, { tools })
}

describe('an approval that outlives its process', () => {
  it('is listed with tool, arguments, call and reason, as plain JSON, and runs once with those arguments', async () => {
    const ran: unknown[] = []
    const build = remover(ran)
    const { snapshot } = await build([call('remove', { p: '/a' })]).assistant.run('go').result
    const kept = copied(snapshot)
    expect(kept).toEqual(JSON.parse(JSON.stringify(kept)))
    expect(kept.pending).toMatchObject([
      { name: 'remove', input: { p: '/a' }, callId: 'call_1', reason: 'It is for ever', wants: 'decision' },
    ])
    const run = await build(['done']).assistant.resume(kept, [{ callId: 'call_1', decision: 'approve' }])
    expect((await run.result).status).toBe('done')
    expect(ran).toEqual([{ p: '/a' }])
  })

  it('is refused for a version that is not known, and for a tool that is gone', async () => {
    const build = remover([])
    const { snapshot } = await build([call('remove', { p: '/a' })]).assistant.run('go').result
    const approve = [{ callId: 'call_1', decision: 'approve' } as const]
    await expect(
      build([]).assistant.resume({ ...copied(snapshot), version: 9 as never }, approve),
    ).rejects.toMatchObject({
      code: 'run-invalid-snapshot',
    })
    await expect(build([], []).assistant.resume(copied(snapshot), approve)).rejects.toMatchObject({
      code: 'run-tool-changed',
      message: expect.stringContaining('"remove"'),
    })
  })

  it('is for that call alone: the next one is asked about, and a snapshot goes on once', async () => {
    const ran: unknown[] = []
    const build = remover(ran)
    const first = build([call('remove', { p: '/a' }), 'removed', call('remove', { p: '/b' }), 'removed too'])
    const { snapshot } = await first.assistant.run('go').result
    const approve = (callId: string) => [{ callId, decision: 'approve' } as const]
    const done = await (await first.assistant.resume(snapshot, approve('call_1'))).result
    await expect(first.assistant.resume(snapshot, approve('call_1'))).rejects.toMatchObject({
      code: 'run-snapshot-used',
    })
    const next = [...done.messages, { role: 'user', content: [{ type: 'text', text: 'and b' }] } as const]
    const second = await first.assistant.run(next).result
    expect([second.status, ran]).toEqual(['suspended', [{ p: '/a' }]])
    const last = await (await first.assistant.resume(second.snapshot, approve(second.pending[0]!.callId))).result
    expect(ran).toEqual([{ p: '/a' }, { p: '/b' }])
    expect(results(last.messages).map(({ ok }) => ok)).toEqual([true, true])
  })
})
