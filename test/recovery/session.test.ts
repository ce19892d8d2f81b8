import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { webHost } from '../../src/host/web-host.ts'
import { readLog } from '../../src/journal/log.ts'
import { memoryStore } from '../../src/journal/memory-store.ts'
import { messageText } from '../../src/message/text.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import type { ScriptedTurn } from '../../src/model/scripted-model.ts'
import { fork } from '../../src/recovery/fork.ts'
import { recover } from '../../src/recovery/recover.ts'
import { session } from '../../src/recovery/session.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { made } from '../agent/rig.ts'

const chat = (turns: readonly ScriptedTurn[], tools: readonly Tool[] = []) =>
  agent({ model: scriptedModel(turns), tools, env: { host: webHost } })

describe('a session', () => {
  it('is new, talks, and is there again after a reload', async () => {
    const store = memoryStore()
    const first = await session({ agent: chat(['Hello', 'Again']), store, id: 'talk' })
    expect([first.status, first.messages]).toEqual(['new', []])
    expect((await (await first.send('Hi')).result).text).toBe('Hello')
    expect((await (await first.send('And?')).result).text).toBe('Again')
    const reloaded = await session({ agent: chat(['Still here']), store, id: 'talk' })
    expect(reloaded.status).toBe('done')
    expect(reloaded.messages.map(messageText)).toEqual(['Hi', 'Hello', 'And?', 'Again'])
    expect(reloaded.messages).toEqual(first.messages)
    const { messages } = await (await reloaded.send('There?')).result
    expect(messages.map(messageText)).toEqual(['Hi', 'Hello', 'And?', 'Again', 'There?', 'Still here'])
  })

  it('keeps an open question over a reload, and goes on when it is decided', async () => {
    const store = memoryStore()
    let paid = 0
    const pay = made('pay', () => ++paid, { approval: true })
    const first = await session({ agent: chat([{ calls: [{ name: 'pay' }] }], [pay]), store, id: 's' })
    expect((await (await first.send('Pay')).result).status).toBe('suspended')
    const second = await session({ agent: chat(['Paid'], [pay]), store, id: 's' })
    expect(second.pending).toMatchObject([{ name: 'pay', callId: 'call_1' }])
    const run = await second.decide({ callId: 'call_1', decision: 'approve' })
    expect(await run.text).toBe('Paid')
    expect([paid, second.pending, second.status]).toEqual([1, [], 'done'])
  })

  it('remembers what was approved for the session, over reloads', async () => {
    const store = memoryStore()
    let paid = 0
    const pay = made('pay', () => ++paid, { approval: true })
    const turns: readonly ScriptedTurn[] = [{ calls: [{ name: 'pay', callId: null }] }, 'Paid']
    const first = await session({ agent: chat(turns, [pay]), store, id: 's' })
    const { pending } = await (await first.send('Pay')).result
    await (
      await first.decide({ callId: pending[0]!.callId, decision: 'approve-session' })
    ).result
    const second = await session({ agent: chat(turns, [pay]), store, id: 's' })
    expect((await (await second.send('Again')).result).status).toBe('done')
    expect(paid).toBe(2)
  })

  it('hears what is said while it works', async () => {
    let go = (): void => {}
    const slow = made('slow', () => new Promise((resolve) => (go = () => resolve('slow'))))
    const talk = await session({
      agent: chat([{ calls: [{ name: 'slow' }] }, ({ messages }) => `heard ${messages.length}`], [slow]),
      store: memoryStore(),
      id: 's',
    })
    const run = await talk.send('Go')
    while (talk.status !== 'working') await Promise.resolve()
    expect(await talk.send('And this')).toBe(run)
    await new Promise((resolve) => setTimeout(resolve, 5))
    go()
    expect(await run.text).toBe('heard 4')
  })

  it('that two programs work on belongs to the one that took it last, and an unsafe tool runs once', async () => {
    const store = memoryStore()
    let sent = 0
    let release = (): void => {}
    const waiting = new Promise<void>((resolve) => (release = resolve))
    const send = made('send', async () => {
      sent++
      await waiting
      return 'sent'
    })
    const one = await session({ agent: chat([{ calls: [{ name: 'send' }] }, 'one'], [send]), store, id: 's' })
    const run = await one.send('Go')
    await new Promise((resolve) => setTimeout(resolve, 10))
    const two = await session({ agent: chat(['two'], [send]), store, id: 's' })
    expect(two.status).toBe('cut-off')
    const taken = await two.resume()
    const { pending } = await taken.result
    expect(pending).toMatchObject([{ why: 'unknown-outcome', name: 'send' }])
    release()
    expect(await run.result).toMatchObject({ status: 'failed', error: { code: 'journal-conflict' } })
    const again = await two.decide({ callId: 'call_1', result: 'it went out' })
    expect(await again.text).toBe('two')
    expect(sent).toBe(1)
  })
})

describe('recover', () => {
  it('gives up after three tries that got nowhere, and says so in the log', async () => {
    const store = memoryStore()
    const dies = agent({
      model: {
        id: 'dies',
        provider: 'x',
        capabilities: {},
        stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
      },
    })
    dies.run('go', { id: 'r', store })
    await new Promise((resolve) => setTimeout(resolve, 5))
    for (let tries = 0; tries < 3; tries++) await recover(dies, { store, run: 'r' })
    await expect(recover(dies, { store, run: 'r' })).rejects.toMatchObject({ code: 'journal-exhausted' })
    expect((await readLog(store, 'r')).at(-1)).toMatchObject({ type: 'run-end', data: { status: 'failed' } })
  })

  it('does not revive what was aborted', async () => {
    const store = memoryStore()
    const waits = made('waits', () => new Promise(() => {}))
    const one = chat([{ calls: [{ name: 'waits' }] }, 'never'], [waits])
    const run = one.run('go', { id: 'r', store })
    await new Promise((resolve) => setTimeout(resolve, 10))
    run.abort()
    await run.result
    // The log of a process that died between the wish and the end.
    const log = await readLog(store, 'r')
    const cut = memoryStore()
    const { epoch } = await cut.lease('r')
    const until = log.findIndex(({ type }) => type === 'journal-abort') + 1
    const rows = log.slice(0, until).map(({ seq, type, data }) => ({ seq, type, data: JSON.stringify(data) }))
    await cut.append('r', rows, { expectSeq: 0, epoch })
    const again = await recover(chat(['revived'], [waits]), { store: cut, run: 'r' })
    const { status, messages } = await again.result
    expect(status).toBe('aborted')
    expect(messages.at(-1)?.content).toMatchObject([{ type: 'tool-result', ok: false }])
  })

  it('refuses a log with a gap, without a beginning, of a newer version, and of nobody', async () => {
    const store = memoryStore()
    await chat(['Hello']).run('Hi', { id: 'r', store }).result
    const log = await readLog(store, 'r')
    const rows = log.map(({ seq, type, data }) => ({ seq, type, data: JSON.stringify(data) }))
    const over = (records: typeof rows) => ({
      ...store,
      async *read() {
        yield* records
      },
    })
    const refusal = (records: typeof rows) =>
      recover(chat([]), { store: over(records), run: 'r' }).catch(({ code }: { code: string }) => code)
    expect(await refusal(rows.filter(({ seq }) => seq !== 3))).toBe('journal-invalid')
    expect(await refusal(rows.slice(1).map((row, index) => ({ ...row, seq: index + 1 })))).toBe('journal-invalid')
    const newer = { ...log[0]!.data, version: 2 }
    expect(await refusal([{ ...rows[0]!, data: JSON.stringify(newer) }, ...rows.slice(1)])).toBe('journal-version')
    expect(await refusal([{ ...rows[0]!, data: '{"half' }])).toBe('journal-invalid')
    expect(await refusal([])).toBe('journal-unknown-run')
  })
})

describe('fork', () => {
  it('goes on from an earlier step with another result, another model and another prompt', async () => {
    const store = memoryStore()
    const look = made('look', () => 'red')
    const turns: readonly ScriptedTurn[] = [{ calls: [{ name: 'look' }] }, 'It is red']
    await chat(turns, [look]).run('What colour?', { id: 'r', store }).result
    const log = await readLog(store, 'r')
    const { seq } = log.find(({ type }) => type === 'step-end')!.data as { seq: number }
    const answer: ScriptedTurn = ({ messages }) => `I read ${JSON.stringify(messages.at(-1)?.content)}`
    const results = { call_1: { content: [{ type: 'text', text: 'blue' }] as const } }
    const other = await fork(chat([answer], [look]), log, seq, { results })
    expect(await other.text).toContain('"blue"')
    expect(other.id).not.toBe('r')
    const asked = await fork(chat([answer]), log, Infinity, { input: 'Sure?' })
    expect(await asked.text).toContain('Sure?')
    expect(await (await fork(chat(['It is crimson'], [look]), log, Infinity)).text).toBe('It is crimson')
    await expect(fork(chat([]), log, 2, { results })).rejects.toMatchObject({ code: 'run-unknown-call' })
  })
})
