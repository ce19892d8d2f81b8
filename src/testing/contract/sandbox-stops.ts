// How commands end that are ended, and what that leaves of their changes.
import { webHost } from '../../host/web-host.ts'
import { memoryFiles } from '../../vfs/memory.ts'
import { readText, writeText } from '../../vfs/text.ts'
import { check, equal, throws } from '../assertion.ts'
import { ended, survives, trimmed } from './sandbox-case.ts'
import type { Case } from './sandbox-case.ts'

const pause = (ms: number): Promise<void> => new Promise((resolve) => void webHost.timer(ms, resolve))

const stopping: readonly Case[] = [
  {
    name: 'does not begin what is aborted already',
    needs: ['write'],
    check: async (sandbox, text) => {
      const fs = memoryFiles()
      const signal = AbortSignal.abort()
      equal(ended(await sandbox.exec({ command: text('write')('/made', 'x'), fs, signal })), [130, 'abort'])
      equal((await fs.stat('/made')) === undefined, true, 'Whether nothing was done')
    },
  },
  {
    name: 'ends what waits, when its time is over or when it is aborted',
    needs: ['wait', 'hello'],
    check: async (sandbox, text) => {
      const late = await survives(sandbox, { command: text('wait'), timeoutMs: 300 }, text('hello'))
      equal(ended(late), [124, 'timeout'])
      const control = new AbortController()
      const aborted = survives(sandbox, { command: text('wait'), signal: control.signal }, text('hello'))
      await pause(300)
      control.abort()
      equal(ended(await aborted), [130, 'abort'])
    },
  },
  {
    name: 'lets a command that is aborted while it waits for its turn go at once',
    needs: ['wait', 'hello'],
    check: async (sandbox, text) => {
      const [first, second] = [new AbortController(), new AbortController()]
      let isRunning = true
      const running = sandbox.exec({ command: text('wait'), signal: first.signal }).then((result) => {
        isRunning = false
        return result
      })
      const waiting = sandbox.exec({ command: text('hello'), signal: second.signal })
      const third = sandbox.exec({ command: text('hello') })
      await pause(50)
      second.abort()
      equal([...ended(await waiting), isRunning], [130, 'abort', true])
      first.abort()
      equal(ended(await running), [130, 'abort'])
      equal(trimmed(await third), [0, 'hello'])
    },
  },
  {
    name: 'ends what computes for ever; what it wrote and printed before is there',
    needs: ['loop', 'write', 'read', 'hello'],
    check: async (sandbox, text) => {
      const fs = memoryFiles()
      const command = [text('hello'), text('write')('/kept', 'before'), text('loop')].join('\n')
      await sandbox.warm?.()
      const late = await survives(sandbox, { command, fs, timeoutMs: 1000 }, text('hello'))
      equal([...ended(late), late.stdout.trim()], [124, 'timeout', 'hello'])
      check(late.durationMs < 10_000, 'an end soon after its time')
      equal(trimmed(await sandbox.exec({ command: text('read')('/kept'), fs })), [0, 'before'])
    },
  },
  {
    name: 'ends what computes for ever when it is aborted',
    needs: ['loop', 'hello'],
    check: async (sandbox, text) => {
      const control = new AbortController()
      await sandbox.warm?.()
      const result = survives(sandbox, { command: text('loop'), signal: control.signal }, text('hello'))
      await pause(500)
      control.abort()
      equal(ended(await result), [130, 'abort'])
    },
  },
  {
    name: 'survives what calls itself for ever',
    needs: ['recurse', 'hello'],
    check: async (sandbox, text) => {
      await survives(sandbox, { command: text('recurse'), timeoutMs: 20_000 }, text('hello'))
    },
  },
  {
    name: 'survives what takes memory for ever',
    needs: ['allocate', 'hello'],
    check: async (sandbox, text) => {
      await survives(sandbox, { command: text('allocate'), timeoutMs: 20_000 }, text('hello'))
    },
  },
  {
    name: 'ends what runs and what waits when it is disposed of, and runs nothing after',
    needs: ['wait', 'hello'],
    check: async (sandbox, text) => {
      const running = sandbox.exec({ command: text('wait') })
      const waiting = sandbox.exec({ command: text('hello') })
      await pause(200)
      await sandbox.dispose()
      equal([(await running).stopped, (await waiting).stopped], ['killed', 'killed'])
      await sandbox.dispose()
      await throws(() => sandbox.exec({ command: text('hello') }), 'sandbox-failed')
    },
  },
]

const atomic: readonly Case[] = [
  {
    name: 'makes all changes of an atomic command that ends well, and tells them',
    needs: ['write', 'read'],
    check: async (sandbox, text) => {
      const fs = memoryFiles({ files: { '/old': 'old' } })
      const command = [text('write')('/new', 'a'), text('write')('/old', 'b'), text('read')('/new')].join('\n')
      const { changes, ...result } = await sandbox.exec({ command, fs, atomic: true })
      equal(trimmed(result), [0, 'a'])
      equal(changes, [
        { type: 'add', path: '/new' },
        { type: 'modify', path: '/old' },
      ])
      equal([(await readText(fs, '/new')).trim(), (await readText(fs, '/old')).trim()], ['a', 'b'])
    },
  },
  {
    name: 'makes none of the changes of an atomic command that fails',
    needs: ['write', 'fail'],
    check: async (sandbox, text) => {
      const fs = memoryFiles({ files: { '/old': 'old' } })
      const command = [text('write')('/new', 'a'), text('write')('/old', 'b'), text('fail')].join('\n')
      const { exitCode, changes } = await sandbox.exec({ command, fs, atomic: true })
      equal([exitCode, changes], [3, []])
      equal([await fs.stat('/new'), await readText(fs, '/old')], [undefined, 'old'])
    },
  },
  {
    name: 'makes none of the changes of an atomic command that is ended',
    needs: ['write', 'wait'],
    check: async (sandbox, text) => {
      const fs = memoryFiles()
      const command = [text('write')('/new', 'a'), text('wait')].join('\n')
      const { stopped, changes } = await sandbox.exec({ command, fs, atomic: true, timeoutMs: 500 })
      equal([stopped, changes, await fs.stat('/new')], ['timeout', [], undefined])
    },
  },
  {
    name: 'makes no change of an atomic command over those of somebody else',
    needs: ['write', 'hello'],
    check: async (sandbox, text) => {
      const fs = memoryFiles({ files: { '/old': 'old' } })
      const command = [text('write')('/old', 'ours'), text('write')('/new', 'ours'), text('hello')].join('\n')
      const result = await sandbox.exec({
        command,
        fs,
        atomic: true,
        onOutput: () => void writeText(fs, '/old', 'theirs'),
      })
      check(result.exitCode !== 0 && result.stderr !== '', 'a failure in words')
      equal([result.changes, await fs.stat('/new'), await readText(fs, '/old')], [[], undefined, 'theirs'])
    },
  },
]

export const stopCases: readonly Case[] = [...stopping, ...atomic]
