// Programs in a real Worker of Node, with network and tools of this thread.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { nodeWorker } from '../../adapters/node/worker.ts'
import { SameloopError } from '../../src/error/error.ts'
import { inWorker } from '../../src/isolated/in-worker.ts'
import type { InWorkerOptions } from '../../src/isolated/in-worker.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { bundle } from '../confined/bundle.ts'
import type { Bundle } from '../confined/bundle.ts'
import { toyFacts } from '../confined/toy.ts'

let script: Bundle
const open: Sandbox[] = []
beforeAll(async () => {
  script = await bundle(['toy-worker.ts'])
})
afterEach(() => Promise.all(open.splice(0).map((sandbox) => sandbox.dispose())))
afterAll(() => script.remove())

function make(options: Partial<InWorkerOptions> = {}): Sandbox {
  const start = () => nodeWorker(script.url('toy-worker.mjs'), { memoryMb: 64 })
  const sandbox = inWorker({ ...toyFacts, start, ...options })
  open.push(sandbox)
  return sandbox
}

describe('a program in a Worker', () => {
  it('asks the network of this thread, which sees the whole request', async () => {
    const seen: unknown[] = []
    const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const request = new Request(input, init)
      seen.push([request.url, request.method, request.headers.get('x-toy'), await request.text()])
      return new Response('made here', { status: 201, headers: { 'x-answer': 'yes' } })
    }
    const { stdout } = await make().exec({ command: 'fetch https://a.test/b body', fetch })
    expect(seen).toEqual([['https://a.test/b', 'POST', 'yes', 'body']])
    expect(stdout).toBe('201 yes  made here\n')
  })

  it('hears in words why a request or a call was refused', async () => {
    const refuse = async (): Promise<never> => {
      throw new SameloopError('tool-denied', 'Cannot reach "a.test": not allowed')
    }
    const { stderr, exitCode } = await make().exec({ command: 'fetch https://a.test/', fetch: refuse })
    expect([exitCode, stderr]).toEqual([1, 'fetch: Cannot reach "a.test": not allowed\n'])
    const called = await make().exec({ command: 'call add 1', call: refuse })
    expect(called.stderr).toBe('call: Cannot reach "a.test": not allowed\n')
  })

  it('hears nothing of what an engine says where something failed that should not', async () => {
    const broken = async (): Promise<never> => {
      throw new TypeError('secrets of the thread')
    }
    const { stderr } = await make().exec({ command: 'call add 1', call: broken })
    expect(stderr).not.toContain('secrets')
  })

  it('calls tools of this thread', async () => {
    const call = async (name: string, input: unknown): Promise<unknown> => ({ name, input })
    const { stdout } = await make().exec({ command: 'call add {"a":1}', call })
    expect(stdout).toBe('{"name":"add","input":{"a":1}}\n')
  })

  it('that goes on after its command changes no file of it', async () => {
    const fs = memoryFiles()
    const sandbox = make()
    await sandbox.exec({ command: 'later /late', fs })
    await sandbox.exec({ command: 'sleep 50' })
    expect(await fs.stat('/late')).toBeUndefined()
  })

  it('whose Worker dies ends, and the next has another', async () => {
    const sandbox = make()
    const { stopped, exitCode } = await sandbox.exec({ command: 'allocate', timeoutMs: 60_000 })
    expect([stopped, exitCode]).toEqual(['crash', 126])
    expect((await sandbox.exec({ command: 'print on' })).stdout).toBe('on\n')
  })

  it('whose script is not there says that it cannot be loaded, each time anew', async () => {
    const sandbox = make({ start: () => nodeWorker(script.url('none.mjs'), { memoryMb: 64 }) })
    for (let time = 0; time < 2; time++) {
      const { stopped, stderr } = await sandbox.exec({ command: 'print on' })
      expect([stopped, stderr]).toEqual(['crash', 'toy: the interpreter could not be loaded\n'])
    }
    await expect(sandbox.warm?.()).rejects.toMatchObject({ code: 'sandbox-failed', retryable: true })
  })

  it('starts no Worker before it is needed', async () => {
    let begun = 0
    const sandbox = make({
      start: () => {
        begun++
        return nodeWorker(script.url('toy-worker.mjs'), { memoryMb: 64 })
      },
    })
    expect([sandbox.kind, sandbox.hardKill, begun]).toEqual(['toy', true, 0])
    await sandbox.exec({ command: 'print on' })
    await sandbox.exec({ command: 'print on' })
    expect(begun).toBe(1)
  })
})
