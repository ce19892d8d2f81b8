import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { python } from '../../../adapters/node/python.ts'
import { frameOf, frameReader } from '../../../adapters/node/python/frame.ts'
import { nodeScript } from './node-script.ts'
import type { Script } from './node-script.ts'

const limitMs = 60_000
const flag = process.allowedNodeEnvironmentFlags.has('--permission') ? '--permission' : '--experimental-permission'

describe('python() of Node', () => {
  let script: Script
  beforeAll(async () => {
    script = await nodeScript('../../../adapters/node/python-worker.ts')
  })
  afterAll(() => script.remove())

  it('runs a program in a process that sees nothing of this one', { timeout: limitMs }, async () => {
    const sandbox = python({ workerUrl: script.url })
    process.env.SAMELOOP_SECRET = 'secret'
    const { exitCode, stdout, stderr } = await sandbox.exec({ command: 'import os\nprint("hello")\nlen(os.environ)' })
    delete process.env.SAMELOOP_SECRET
    expect([exitCode, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/^hello\n\d+\n$/)
    await sandbox.dispose()
  })

  it('says what to install, and where it looked', () => {
    expect(() => python({ indexUrl: '/nowhere' })).toThrow('it is not in "/nowhere"; run "npm install pyodide"')
    expect(() => python({ indexUrl: 'https://a.test/' })).toThrow('wanted a file URL or a path')
    for (const memoryMb of [0, 63, 4096, NaN, '256' as never]) expect(() => python({ memoryMb })).toThrow('memoryMb')
  })

  it('cannot load what has no script, and says so in band', async () => {
    const sandbox = python({ workerUrl: new URL('none.js', script.url) })
    const { exitCode, stopped } = await sandbox.exec({ command: '1' })
    expect([exitCode, stopped]).toEqual([126, 'crash'])
  })
})

describe('sealProcess()', () => {
  it('leaves no way out, even to who kept all of Node from before', { timeout: limitMs }, async () => {
    const script = await nodeScript('./sealed-program.ts')
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    })
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const path = fileURLToPath(script.url)
    const run = (args: readonly string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const all = [...args, path, String(port), join(path, '../none.sock')]
        execFile(process.execPath, all, (error, stdout) => (error ? reject(error) : resolve(stdout)))
      })
    expect(await run([flag, `--allow-fs-read=${path}`, '--no-warnings'])).toBe('[]')
    expect(connections).toBe(0)
    server.close()
    script.remove()
  })
})

describe('frames', () => {
  const message = { type: 'a', data: new Uint8Array([0, 255, 7]), inner: [{ more: new Uint8Array(0) }, 'ü'] }

  it('come out as they went in, however they are cut', () => {
    const bytes = frameOf(message)
    const twice = new Uint8Array([...bytes, ...bytes])
    for (const size of [1, 7, 1000]) {
      const reader = frameReader()
      const out: unknown[] = []
      for (let at = 0; at < twice.length; at += size) out.push(...(reader.push(twice.subarray(at, at + size)) ?? []))
      expect(out).toEqual([message, message])
    }
  })

  it('that are none, or too long, are refused', () => {
    expect(frameReader().push(new Uint8Array([255, 255, 255, 255, 0, 0, 0, 0]))).toBeUndefined()
    expect(frameReader().push(new Uint8Array([0, 0, 0, 1, 0, 0, 0, 0, 123]))).toBeUndefined()
  })

  it('give plain data, whatever names it has', () => {
    const [said] = frameReader().push(frameOf(JSON.parse('{"__proto__":{"x":1},"a":{"$bytes":9}}'))) ?? []
    expect((said as { x?: unknown }).x).toBeUndefined()
    expect((said as { a: unknown }).a).toEqual(new Uint8Array())
  })
})
