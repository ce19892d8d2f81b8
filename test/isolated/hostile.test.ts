// A Worker that says whatever it likes: what it may not say ends it, and no one who asked is left waiting.
import { describe, expect, it } from 'vitest'
import { SameloopError } from '../../src/error/error.ts'
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { Told, WorkerPort } from '../../src/isolated/worker-message.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { toyFacts } from '../confined/toy.ts'

type Say = (message: unknown) => void
type Script = (told: Told, say: Say) => void

interface Played {
  readonly start: () => WorkerPort
  /** Workers that were begun and ended. */
  readonly count: { begun: number; ended: number }
  readonly told: Told[]
}

/** Workers that say they are ready and then answer each message by a script. */
function play(script: Script): Played {
  const count = { begun: 0, ended: 0 }
  const told: Told[] = []
  const start = (): WorkerPort => {
    count.begun++
    let listener: Say = () => {}
    const say: Say = (message) => queueMicrotask(() => listener(message))
    say({ type: 'ready' })
    return {
      postMessage: (message) => {
        told.push(message as Told)
        script(message as Told, say)
      },
      onMessage: (given) => {
        listener = given
      },
      onError: () => {},
      terminate: () => void count.ended++,
    }
  }
  return { start, count, told }
}

/** Says this when a program is to run; the second program, in another Worker, ends well. */
function once(messages: (id: number) => readonly unknown[]): Played {
  let runs = 0
  return play((told, say) => {
    if (told.type !== 'run') return
    const { id } = told
    for (const message of runs++ === 0 ? messages(id) : [{ type: 'end', id, ending: { exitCode: 0 } }]) say(message)
  })
}

const end = (id: number, ending: unknown): unknown => ({ type: 'end', id, ending })
const lies: Readonly<Record<string, (id: number) => readonly unknown[]>> = {
  nothing: () => [undefined],
  'a text': () => ['end'],
  'an unknown type': (id) => [{ type: 'exit', id }],
  'no number': () => [{ type: 'end', id: '1', ending: { exitCode: 0 } }],
  'an inherited ending': (id) => [Object.create(end(id, { exitCode: 0 }) as object)],
  'an exit code that is none': (id) => [end(id, { exitCode: 0.5 })],
  'a directory that is none': (id) => [end(id, { exitCode: 0, cwd: {} })],
  'output of another stream': (id) => [{ type: 'output', id, pieces: [['stdin', 'x']] }],
  'output that is no text': (id) => [{ type: 'output', id, pieces: [['stdout', { length: 3 }]] }],
  'too many pieces': (id) => [{ type: 'output', id, pieces: Array.from({ length: 1025 }, () => ['stdout', 'x']) }],
  'a wish for nothing': (id) => [{ type: 'wish', id, request: 1, wish: { type: 'eval' } }],
  'a request without a method': (id) => [
    {
      type: 'wish',
      id,
      request: 1,
      wish: { type: 'fetch', sent: { url: 'https://a.test', headers: [], redirect: 'follow' } },
    },
  ],
  'the same number twice': (id) =>
    [1, 1].map((request) => ({ type: 'wish', id, request, wish: { type: 'call', name: 'a', input: '1' } })),
  'more wishes than there may be': (id) =>
    Array.from({ length: 65 }, (_, request) => ({
      type: 'wish',
      id,
      request,
      wish: { type: 'call', name: 'a', input: '1' },
    })),
  'that it is broken': () => [{ type: 'broken' }],
  'a flood for commands that are over': (id) =>
    Array.from({ length: 10_000 }, () => ({ type: 'cancel', id: id + 1, request: 1 })),
  'files that are no message': (id) => [
    { type: 'files', id, message: { files: 'call', id: 1, operation: 'format', path: '/' } },
  ],
}

describe('a Worker that says', () => {
  it.each(Object.entries(lies))('%s is ended, the command too, and the next one has another', async (_, messages) => {
    const { start, count } = once(messages)
    const sandbox = inWorker({ ...toyFacts, start })
    const call = (): Promise<never> => new Promise(() => {})
    const first = await sandbox.exec({ command: 'x', call, timeoutMs: 5000 })
    expect([first.stopped, first.exitCode]).toEqual(['crash', 126])
    expect(first.stderr).toMatch(/^toy: /)
    expect(await sandbox.exec({ command: 'x' })).toMatchObject({ exitCode: 0 })
    expect(count).toEqual({ begun: 2, ended: 1 })
    await sandbox.dispose()
    expect(count.ended).toBe(2)
  })

  it('what nobody waits for changes nothing', async () => {
    const { start, count } = once((id) => [
      ...Array.from({ length: 2000 }, () => ({ type: 'ready' })),
      { type: 'cancel', id, request: 7 },
      { type: 'cancel', id, request: -(2 ** 53) + 1 },
      { type: 'files', id, message: null },
      { type: 'files', id, message: { files: 'abort', id: 9 } },
      { type: 'files', id, message: { files: 'unwatch', id: 9 } },
      { type: 'files', id: id + 1, message: { files: 'call' } },
      { type: 'output', id, pieces: [] },
      { type: 'output', id, pieces: [['stdout', '']] },
      { type: 'output', id: id + 1, pieces: [['stdout', 'of another command']] },
      end(id, { exitCode: -1, cwd: '/a\0b', stopped: undefined, changes: [{ type: 'delete', path: '/' }] }),
      end(id, { exitCode: 0 }),
    ])
    const sandbox = inWorker({ ...toyFacts, start })
    const result = await sandbox.exec({ command: 'x' })
    expect(result).toEqual({ exitCode: 255, stdout: '', stderr: '', durationMs: expect.any(Number) })
    expect(await sandbox.exec({ command: 'x' })).toMatchObject({ exitCode: 0 })
    expect(count).toEqual({ begun: 1, ended: 0 })
  })

  it('a tool name of a prototype finds no tool', async () => {
    const asked: string[] = []
    const { start, told } = once((id) =>
      ['__proto__', 'constructor', 'toString'].map((name, request) => ({
        type: 'wish',
        id,
        request,
        wish: { type: 'call', name, input: '{"__proto__":{"a":1}}' },
      })),
    )
    const call = async (name: string, input: unknown): Promise<never> => {
      asked.push(`${name} ${JSON.stringify(input)}`)
      throw new SameloopError('tool-not-found', 'There is no such tool')
    }
    const { stopped } = await inWorker({ ...toyFacts, start }).exec({ command: 'x', call, timeoutMs: 50 })
    expect([stopped, Object.hasOwn(Object.prototype, 'a')]).toEqual(['timeout', false])
    expect(asked).toHaveLength(3)
    expect(told.filter(({ type }) => type === 'refusal')).toHaveLength(3)
  })

  it('an end of another command changes nothing', async () => {
    const { start } = once((id) => [end(id + 1, { exitCode: 9 }), end(id, { exitCode: 4 })])
    expect((await inWorker({ ...toyFacts, start }).exec({ command: 'x' })).exitCode).toBe(4)
  })

  it('a directory outside is taken as a path of the files, and is none', async () => {
    const { start, told } = play((message, say) => {
      if (message.type === 'run') say(end(message.id, { exitCode: 0, cwd: '/../../etc' }))
    })
    const sandbox = inWorker({ ...toyFacts, start })
    const fs = memoryFiles()
    await sandbox.exec({ command: 'x', fs })
    await sandbox.exec({ command: 'x', fs })
    expect(told.flatMap((message) => (message.type === 'run' ? [message.cwd] : []))).toEqual(['/', '/'])
  })
})

describe('a Worker that asks', () => {
  const wish = (asked: unknown): Played => {
    let id = 0
    return play((told, say) => {
      if (told.type === 'run') say({ type: 'wish', id: (id = told.id), request: 1, wish: asked })
      else if (told.type === 'answer') say(end(id, { exitCode: 0 }))
      else if (told.type === 'refusal') say(end(id, { exitCode: 1 }))
    })
  }
  const refusals: readonly (readonly [string, unknown, object])[] = [
    ['a tool where there is none', { type: 'call', name: 'a', input: '{}' }, { code: 'config-missing-capability' }],
    ['a tool with input that is no JSON', { type: 'call', name: 'a', input: '{' }, { code: 'tool-invalid-input' }],
    [
      'the network where there is none',
      {
        type: 'fetch',
        sent: { url: 'https://a.test', method: 'GET', headers: [], body: undefined, redirect: 'follow' },
      },
      { code: 'config-missing-capability' },
    ],
  ]
  it.each(refusals)('for %s is refused in words', async (what, asked, error) => {
    const { start, told } = wish(asked)
    const call = what.includes('no JSON') ? async () => 'never' : undefined
    expect((await inWorker({ ...toyFacts, start }).exec({ command: 'x', call })).exitCode).toBe(1)
    expect(told.find((message) => message.type === 'refusal')).toMatchObject({ error })
  })

  it('for a tool has its result as JSON text, and no answer when the command is over', async () => {
    const { start, told } = wish({ type: 'call', name: 'add', input: '{"a":1}' })
    const calls: unknown[] = []
    const call = async (name: string, input: unknown): Promise<unknown> => {
      calls.push([name, input])
      return { sum: 2 }
    }
    await inWorker({ ...toyFacts, start }).exec({ command: 'x', call })
    expect(calls).toEqual([['add', { a: 1 }]])
    expect(told.find((message) => message.type === 'answer')).toMatchObject({ value: '{"sum":2}' })
  })
})
