import { MessageChannel } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { SameloopError } from '../../src/error/error.ts'
import { vfsContract } from '../../src/testing/contract/vfs.ts'
import { vfsError } from '../../src/vfs/error.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { intercept } from '../../src/wrapper/intercept.ts'
import { remote } from '../../src/remote/remote.ts'
import { serve } from '../../src/remote/serve.ts'
import { trusted } from '../../src/wrapper/trusted.ts'
import { holds } from '../contract-tests.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (data: Uint8Array): string => new TextDecoder().decode(data)

const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

function channel(): MessageChannel {
  const made = new MessageChannel()
  open.push(() => made.port1.close())
  return made
}

async function across(vfs: Vfs): Promise<Vfs> {
  const { port1, port2 } = channel()
  serve(vfs, port1)
  return remote(port2)
}

/** Files of which one operation is as given. */
const withOne = (operations: Partial<Vfs>): Vfs => ({ ...memoryFiles({ files: { '/a': 'text' } }), ...operations })

describe('the vfs contract over a MessageChannel', () => {
  holds(vfsContract(() => across(memoryFiles())))
})

describe('the vfs contract over a MessageChannel of the web', () => {
  const make = (): Promise<Vfs> => {
    const { port1, port2 } = new globalThis.MessageChannel()
    open.push(() => port1.close())
    serve(memoryFiles(), port1)
    return remote(port2)
  }
  holds(vfsContract(make))
})

describe('remote()', () => {
  it('waits for an end that comes later', async () => {
    const { port1, port2 } = channel()
    const files = remote(port2)
    await new Promise((resolve) => setTimeout(resolve, 20))
    serve(memoryFiles({ files: { '/a': 'text' } }), port1)
    expect(decode(await (await files).read('/a'))).toBe('text')
  })

  it('says what the files can do, and where relative paths count from', async () => {
    const below = memoryFiles()
    const files = await across({ ...below, capabilities: { ...below.capabilities, root: '/work', readOnly: true } })
    expect(files.capabilities).toEqual({ ...below.capabilities, root: '/work', readOnly: true, name: 'remote(memory)' })
  })

  it('has no watch where the files have none', async () => {
    const { watch: _, ...below } = memoryFiles()
    expect((await across(below)).watch).toBeUndefined()
  })

  it('gives errors their code, path, errno and words, and none of those of an engine', async () => {
    const files = await across(
      withOne({
        stat: () => Promise.reject(vfsError('EACCES', '/x', { action: 'look at', reason: 'the policy protects it' })),
        list: () => Promise.reject(new SameloopError('tool-denied', 'Not today', { data: { n: 1 }, retryable: true })),
        rm: () => Promise.reject(new TypeError('secret of an engine')),
      }),
    )
    await expect(files.stat('/x')).rejects.toMatchObject({
      code: 'vfs-denied',
      message: 'Cannot look at "/x": the policy protects it',
      data: { errno: 'EACCES', path: '/x' },
    })
    await expect(files.list('/')).rejects.toMatchObject({
      code: 'tool-denied',
      message: 'Not today',
      data: { n: 1 },
      retryable: true,
    })
    const error: unknown = await files.rm('/a').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'vfs-failed', data: { errno: 'EIO', path: '/a' } })
    expect(JSON.stringify(error) + String((error as Error).cause)).not.toContain('secret')
  })

  it('lets an abort cross, and rejects at once with its reason', async () => {
    let seen: AbortSignal | undefined
    const files = await across(
      withOne({
        read: (_, options) => {
          seen = options?.signal
          return new Promise(() => {})
        },
      }),
    )
    const control = new AbortController()
    const read = files.read('/a', { signal: control.signal })
    await files.stat('/')
    expect(seen?.aborted).toBe(false)
    control.abort('enough')
    await expect(read).rejects.toBe('enough')
    await files.stat('/')
    expect(seen?.aborted).toBe(true)
  })

  it('detaches no buffer of a caller, and takes along nothing around a view', async () => {
    const pool = encode('0123456789')
    const files = await across(withOne({ read: async () => pool.subarray(2, 5) }))
    await files.write('/b', pool)
    expect(pool).toHaveLength(10)
    const read = await files.read('/b')
    expect([decode(read), read.buffer.byteLength, pool.length]).toEqual(['234', 3, 10])
  })

  it('takes bytes as they were when it was called', async () => {
    const files = await across(memoryFiles())
    const data = encode('before')
    const written = files.write('/b', data)
    data.fill(0)
    await written
    expect(decode(await files.read('/b'))).toBe('before')
  })

  it('has no more than 64 operations under way, all the same does all, and forgets those that are aborted', async () => {
    let now = 0
    let most = 0
    const below = memoryFiles()
    const files = await across(
      intercept(below, {
        around: async (_, next) => {
          most = Math.max(most, ++now)
          await new Promise((resolve) => setTimeout(resolve, 1))
          now--
          return next()
        },
      }),
    )
    const control = new AbortController()
    const aborted = Array.from({ length: 500 }, (_, index) =>
      files.write(`/x${index}`, encode('x'), { signal: control.signal }).catch(() => 'aborted'),
    )
    control.abort()
    expect(new Set(await Promise.all(aborted))).toEqual(new Set(['aborted']))
    await Promise.all(Array.from({ length: 500 }, (_, index) => files.write(`/${index}`, encode('x'))))
    const names = (await below.list('/')).entries.map(({ name }) => name)
    expect([most, names.filter((name) => !name.startsWith('x')).length]).toEqual([64, 500])
  })

  it('rejects everything, now and later, when the other end stops', async () => {
    const { port1, port2 } = channel()
    const stop = serve(withOne({ read: () => new Promise(() => {}) }), port1)
    const files = await remote(port2)
    const read = files.read('/a')
    await files.stat('/a')
    stop()
    await expect(read).rejects.toMatchObject({ code: 'vfs-failed' })
    await expect(files.stat('/a')).rejects.toMatchObject({ code: 'vfs-failed' })
  })

  it('rejects everything when the port of the other end is closed, even before it answered', async () => {
    const { port1, port2 } = channel()
    const files = remote(port2)
    port1.close()
    await expect(files).rejects.toMatchObject({ code: 'vfs-failed' })
  })

  it('gives up waiting for an answer with its signal', async () => {
    await expect(remote(channel().port2, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough')
  })

  it('tells the other end when it is disposed of, which ends what is under way', async () => {
    const { port1, port2 } = channel()
    let seen: AbortSignal | undefined
    let isClosed = false
    port1.on('close', () => (isClosed = true))
    serve(
      withOne({
        read: (_, options) => {
          seen = options?.signal
          return new Promise(() => {})
        },
      }),
      port1,
    )
    const files = await remote(port2)
    files.read('/a').catch(() => {})
    await files.stat('/a')
    await files.dispose!()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([seen?.aborted, isClosed]).toEqual([true, true])
  })

  it('survives answers of every shape', async () => {
    const { port1, port2 } = channel()
    const answers: unknown[] = [{}, null, 'text', { entries: [{ name: 1 }] }, { type: 'file' }, 17]
    port1.on('message', ({ files, id }: { files: string; id: number }) => {
      const { capabilities } = memoryFiles()
      if (files === 'hello') port1.postMessage({ files: 'welcome', capabilities })
      for (const junk of [null, 7, {}, { files: 'done' }, { files: 'done', id: 'x' }, { files: 'failed', id: -1 }])
        port1.postMessage(junk)
      if (files === 'call') port1.postMessage({ files: 'done', id, value: answers.shift() })
    })
    const files = await remote(port2)
    for (const work of [
      () => files.stat('/a'),
      () => files.stat('/a'),
      () => files.read('/a'),
      () => files.list('/'),
      () => files.write('/a', encode('x')),
      () => files.rm('/a'),
    ])
      await expect(work()).rejects.toMatchObject({ code: 'vfs-failed' })
  })
})

describe('remote() and serve() with an end that makes mistakes, or is hostile', () => {
  it('trusts no file because the other end says so', async () => {
    const files = await across(trusted(memoryFiles({ files: { '/a': 'text' } })))
    expect((await files.stat('/a'))?.trusted).toBeUndefined()
  })

  /** The other end of files: what it says to a call is up to the test. */
  async function against(say: (port: MessagePort, id: number) => void): Promise<Vfs> {
    const { port1, port2 } = channel()
    port1.on('message', ({ files, id }: { files: string; id: number }) => {
      if (files === 'hello') port1.postMessage({ files: 'welcome', capabilities: memoryFiles().capabilities })
      if (files === 'call') say(port1, id)
    })
    return remote(port2)
  }

  it('refuses an end that cannot say what its files can do', async () => {
    const { port1, port2 } = channel()
    port1.on('message', () => port1.postMessage({ files: 'welcome', capabilities: { name: 'half' } }))
    await expect(remote(port2)).rejects.toMatchObject({ code: 'vfs-failed' })
  })

  it.each([
    { what: 'a mode', options: { mode: 'link' } },
    { what: 'an etag', options: { ifMatch: 'x'.repeat(2 ** 17) } },
    { what: 'a flag', options: { parents: 'yes' } },
  ])('refuses $what that the other end would not take, and goes on', async ({ options }) => {
    const files = await across(memoryFiles())
    const write = files.write('/a', encode('x'), options as never)
    await expect(write).rejects.toMatchObject({ code: 'vfs-invalid' })
    expect(await files.stat('/a')).toBeUndefined()
  })

  it.each([
    { what: 'is far too long', path: 'x'.repeat(2 ** 17) },
    { what: 'has a NUL in it', path: '/a\0b' },
    { what: 'has a name that is too long', path: `/${'x'.repeat(256)}` },
  ])('refuses a path that $what, and goes on', async ({ path }) => {
    const files = await across(memoryFiles())
    await expect(files.read(path)).rejects.toMatchObject({ code: 'vfs-invalid' })
    await expect(files.rename('/a', path)).rejects.toMatchObject({ code: 'vfs-invalid' })
    expect(() => files.watch!(path, () => {})).toThrow(expect.objectContaining({ code: 'vfs-invalid' }))
    expect(await files.stat('/')).toMatchObject({ type: 'dir' })
  })

  it('refuses numbers that are no amounts as the files do, and takes options that it does not know for none', async () => {
    const below = memoryFiles({ files: { '/a': 'text', '/b': 'more' } })
    const files = await across(below)
    for (const range of [{ offset: -3 }, { offset: NaN }, { length: -1 }])
      for (const one of [files, below])
        await expect(one.read('/a', range)).rejects.toMatchObject({ code: 'vfs-invalid' })
    for (const limit of [-1, NaN])
      for (const one of [files, below])
        await expect(one.list('/', { limit })).rejects.toMatchObject({ code: 'vfs-invalid' })
    for (const range of [{ offset: 2 }, { offset: Infinity }, { length: 1.5 }])
      expect([range, decode(await files.read('/a', range))]).toEqual([range, decode(await below.read('/a', range))])
    expect((await files.list('/', { limit: 0 })).entries).toHaveLength(1)
    const more: object = { onProgress: () => {} }
    expect(decode(await files.read('/a', more))).toBe('text')
  })

  it('says of an answer that cannot be sent that it cannot, and waits for it no longer', async () => {
    const odd = { path: '/a', type: 'file', size: 1, mtime: 0, toJSON: () => {} } as const
    const memory = new WebAssembly.Memory({ initial: 1 })
    const files = await across(
      withOne({ stat: async () => odd, write: async () => odd, read: async () => new Uint8Array(memory.buffer) }),
    )
    await expect(files.stat('/a')).rejects.toMatchObject({ code: 'vfs-failed' })
    await expect(files.write('/a', encode('x'))).rejects.toMatchObject({ code: 'vfs-failed' })
    expect(await files.read('/a')).toHaveLength(2 ** 16)
  })

  it('has capabilities that cannot be sent left out', async () => {
    const below = memoryFiles()
    const more = { ...below.capabilities, measure: () => {} }
    expect((await across({ ...below, capabilities: more })).capabilities).not.toHaveProperty('measure')
  })

  it('refuses the 257th watch, keeps the others, and has room for one when one ends', async () => {
    const below = memoryFiles()
    const files = await across(below)
    const ends = Array.from({ length: 256 }, () => files.watch!('/', () => {}))
    expect(() => files.watch!('/', () => {})).toThrow(expect.objectContaining({ code: 'vfs-busy' }))
    ends[0]!()
    const seen = new Promise((resolve) => files.watch!('/', resolve))
    await files.write('/a', encode('x'))
    expect(await seen).toEqual({ type: 'add', path: '/a' })
  })

  it.each(['"."', '".."', '""', '"a/b"', '"/"', '"a\\u0000"'])('takes no listing with the name %s', async (json) => {
    const name: unknown = JSON.parse(json)
    const files = await against((port, id) =>
      port.postMessage({ files: 'done', id, value: { entries: [{ name, type: 'dir' }] } }),
    )
    await expect(files.list('/')).rejects.toMatchObject({ code: 'vfs-failed' })
  })

  it('counts the first of many answers, and none to what was not asked', async () => {
    const stat = (path: string) => ({ path, type: 'dir', size: 0, mtime: 0 })
    const files = await against((port, id) => {
      for (const other of [id + 1, id - 1, -id, 2 ** 53]) port.postMessage({ files: 'done', id: other, value: 'no' })
      port.postMessage({ files: 'done', id, value: stat('/first') })
      port.postMessage({ files: 'failed', id, error: null })
      port.postMessage({ files: 'done', id, value: stat('/second') })
    })
    for (let round = 0; round < 3; round++) expect(await files.stat('/a')).toMatchObject({ path: '/first' })
  })

  it('ends thousands of calls that wait with an error when the other end goes', async () => {
    const { port1, port2 } = channel()
    serve(withOne({ stat: () => new Promise(() => {}) }), port1)
    const files = await remote(port2)
    const calls = Array.from({ length: 10_000 }, () => files.stat('/a').catch((error: SameloopError) => error.code))
    port1.close()
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['vfs-failed']))
  })

  it('takes errors of any shape', async () => {
    const errors: unknown[] = [
      null,
      'x',
      { errno: '__proto__' },
      { errno: 'ENOENT', path: 7, action: {}, reason: [] },
      { code: 'constructor', message: 'm' },
      { code: 'vfs-failed', message: 5, data: [] },
    ]
    const files = await against((port, id) => port.postMessage({ files: 'failed', id, error: errors.shift() }))
    while (errors.length > 0) expect(await files.stat('/a').catch((error: unknown) => error)).toBeInstanceOf(Error)
  })
})

describe('serve()', () => {
  const good = { files: 'call', id: 1, operation: 'stat', path: '/a', to: '/', data: encode(''), options: {} }

  it.each([
    { what: 'no message of the protocol', message: { files: 'other', id: 1 } },
    { what: 'a number that is none', message: { ...good, id: '1' } },
    { what: 'an operation that nobody has', message: { ...good, operation: 'dispose' } },
    { what: 'an inherited operation', message: { ...good, operation: 'constructor' } },
    { what: 'a path that is no text', message: { ...good, path: ['/a'] } },
    { what: 'an option of another type', message: { ...good, options: { recursive: 'yes' } } },
    { what: 'a negative offset', message: { ...good, operation: 'read', options: { offset: -1 } } },
    { what: 'a mode that nobody knows', message: { ...good, operation: 'write', options: { mode: 'link' } } },
    { what: 'data that is none', message: { ...good, operation: 'write', data: [1, 2] } },
    {
      what: 'memory that somebody else goes on writing',
      message: { ...good, operation: 'write', data: new Uint8Array(new SharedArrayBuffer(4)) },
    },
  ])('cuts off who sends $what, and touches no file', async ({ message }) => {
    const { port1, port2 } = channel()
    const touched: string[] = []
    const vfs = intercept(memoryFiles(), {
      around: ({ operation }, next) => {
        touched.push(operation)
        return next()
      },
    })
    const isBroken = new Promise((resolve) => serve(vfs, port1, { onBroken: () => resolve('broken') }))
    const files = await remote(port2)
    port2.postMessage(message)
    expect(await isBroken).toBe('broken')
    await expect(files.stat('/')).rejects.toMatchObject({ code: 'vfs-failed' })
    expect(touched).toEqual([])
  })

  it('leaves messages alone that are not for it', async () => {
    const { port1, port2 } = channel()
    serve(memoryFiles(), port1, { onBroken: () => port1.close() })
    const files = await remote(port2)
    for (const other of [null, undefined, 1, 'text', [], { type: 'other' }]) port2.postMessage(other)
    expect(await files.stat('/')).toMatchObject({ type: 'dir' })
  })

  it('cuts off who has more under way than is allowed', async () => {
    const { port1, port2 } = channel()
    let calls = 0
    const vfs = withOne({
      stat: () => {
        calls++
        return new Promise(() => {})
      },
    })
    const isBroken = new Promise((resolve) => serve(vfs, port1, { onBroken: () => resolve('broken') }))
    for (let id = 0; id < 1000; id++) port2.postMessage({ ...good, id })
    expect([await isBroken, calls]).toEqual(['broken', 256])
  })
})
