// Events keep their order, whatever observers do while they are made.
import { describe, expect, it } from 'vitest'
import { calls, eventsOf, made, pause, rig } from './rig.ts'

describe('a reader gets events in the order of seq', () => {
  it('when onEvent decides', async () => {
    let decide: (callId: string) => void = () => {}
    const { assistant } = rig([calls('pay'), 'done'], {
      tools: [made('pay', () => 1, { approval: true })],
      hooks: {
        onEvent: (event) => {
          if (event.type === 'approval-request') decide(event.callId)
        },
      },
    })
    const run = assistant.run('go')
    decide = (callId) => void run.decide({ callId, decision: 'approve' })
    const seqs = (await eventsOf(run)).map(({ seq }) => seq)
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
  })
  it('when onEvent throws', async () => {
    const run = rig(['done'], {
      hooks: {
        onEvent: () => {
          throw new Error('no')
        },
      },
    }).assistant.run('go')
    const seqs = (await eventsOf(run)).map(({ seq }) => seq)
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
  })
  it('when onEvent aborts', async () => {
    let abort = (): void => {}
    const run = rig([calls('a', 'b'), 'done'], {
      tools: [made('a', () => pause(50)), made('b', () => pause(50))],
      hooks: {
        onEvent: ({ type }) => {
          if (type === 'tool-start') abort()
        },
      },
    }).assistant.run('go')
    abort = () => run.abort()
    const seqs = (await eventsOf(run)).map(({ seq }) => seq)
    expect(seqs).toEqual([...seqs].sort((a, b) => a - b))
  })
})

it('progress of a call that is over is not shown', async () => {
  const late = made('a', (_, ctx) => {
    setTimeout(() => ctx.progress('late'), 20)
    return 1
  })
  const run = rig([calls('a'), [{ wait: 60 }, 'done']], { tools: [late] }).assistant.run('go')
  const events = await eventsOf(run)
  const end = events.findIndex(({ type }) => type === 'tool-end')
  expect(events.slice(end).some(({ type }) => type === 'tool-progress')).toBe(false)
})

it('an undefined limit of a run does not lift the limit of its agent', async () => {
  const turns = Array.from({ length: 30 }, () => calls('a'))
  let n = 0
  const { assistant } = rig(turns, { tools: [made('a', () => ++n)], limits: { steps: 2 } })
  expect(await assistant.run('go', { limits: { steps: undefined } }).result).toMatchObject({ stop: 'steps', steps: 2 })
})

it('a part that a tool returned and changes later changes nothing in the transcript', async () => {
  const part = { type: 'file', mediaType: 'text/plain', data: 'AAAA' }
  const { assistant } = rig([calls('a'), 'done'], { tools: [made('a', () => [part])] })
  const { messages } = await assistant.run('go').result
  part.data = 'BBBB'
  expect(JSON.stringify(messages)).toContain('AAAA')
})
