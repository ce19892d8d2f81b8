// What commands do that end by themselves, and what is said of those that cannot run.
import { isSameloopError } from '../../error/error.ts'
import type { ExecRequest } from '../../sandbox/sandbox.ts'
import { memoryFiles } from '../../vfs/memory.ts'
import { readText } from '../../vfs/text.ts'
import type { Vfs } from '../../vfs/vfs.ts'
import { check, equal, includes } from '../assertion.ts'
import { survives, trimmed } from './sandbox-case.ts'
import type { Case } from './sandbox-case.ts'

const failing = (): Vfs => {
  const fail = (): Promise<never> => Promise.reject(new TypeError('words of an engine'))
  return { ...memoryFiles(), list: fail, read: fail, write: fail, mkdir: fail, rm: fail, rename: fail }
}

const plain: readonly Case[] = [
  {
    name: 'gives what a program printed, and its exit code',
    needs: ['hello', 'fail'],
    check: async (sandbox, text) => {
      const good = await sandbox.exec({ command: text('hello') })
      equal([...trimmed(good), good.stderr], [0, 'hello', ''])
      check(good.durationMs >= 0, 'a duration')
      equal([good.stopped, good.truncated, good.changes].filter(Boolean), [], 'What is said only of others')
      const bad = await sandbox.exec({ command: text('fail') })
      equal([bad.exitCode, bad.stdout], [3, ''])
      includes(bad.stderr, 'oh', 'The standard error')
    },
  },
  {
    name: 'reads and writes the files that a command brings',
    needs: ['read', 'write'],
    check: async (sandbox, text) => {
      const fs = memoryFiles({ files: { '/in/a.txt': 'from outside' } })
      equal(trimmed(await sandbox.exec({ command: text('read')('/in/a.txt'), fs })), [0, 'from outside'])
      equal((await sandbox.exec({ command: text('write')('/in/b.txt', 'inside'), fs })).exitCode, 0)
      equal((await readText(fs, '/in/b.txt')).trim(), 'inside')
      check((await sandbox.exec({ command: text('read')('/none'), fs })).exitCode !== 0, 'a failure without the file')
    },
  },
  {
    name: 'has files of its own that last as long as it',
    needs: ['read', 'write'],
    check: async (sandbox, text) => {
      await sandbox.exec({ command: text('write')('/kept', 'text1') })
      await sandbox.exec({ command: text('write')('/kept', 'text2'), fs: memoryFiles() })
      equal(trimmed(await sandbox.exec({ command: text('read')('/kept') })), [0, 'text1'])
    },
  },
  {
    name: 'shows no command the files of another',
    needs: ['read', 'write'],
    check: async (sandbox, text) => {
      const [left, right] = [memoryFiles(), memoryFiles()]
      await Promise.all([
        sandbox.exec({ command: text('write')('/same', 'left'), fs: left }),
        sandbox.exec({ command: text('write')('/same', 'right'), fs: right }),
        sandbox.exec({ command: text('write')('/only', 'left'), fs: left }),
      ])
      equal([(await readText(left, '/same')).trim(), (await readText(right, '/same')).trim()], ['left', 'right'])
      check((await sandbox.exec({ command: text('read')('/only'), fs: right })).exitCode !== 0, 'no file of the other')
    },
  },
  {
    name: 'runs one command after the other, in the order they came',
    needs: ['read', 'write'],
    check: async (sandbox, text) => {
      const fs = memoryFiles()
      const ends: number[] = []
      const commands = Array.from({ length: 6 }, (_, index) => text('write')('/last', `text${index}`))
      const results = await Promise.all(
        [...commands, text('read')('/last')].map(async (command, index) => {
          const result = await sandbox.exec({ command, fs })
          ends.push(index)
          return result
        }),
      )
      equal(
        [ends, trimmed(results.at(-1)!)],
        [
          [0, 1, 2, 3, 4, 5, 6],
          [0, 'text5'],
        ],
      )
    },
  },
  {
    name: 'passes environment and standard input on, for one command',
    needs: ['variable', 'echo'],
    check: async (sandbox, text) => {
      const asked = text('variable')('COLOUR')
      equal(trimmed(await sandbox.exec({ command: asked, env: { COLOUR: 'red' } })), [0, 'red'])
      equal((await sandbox.exec({ command: asked })).stdout.trim(), '')
      equal(trimmed(await sandbox.exec({ command: text('echo'), stdin: 'wörds' })), [0, 'wörds'])
      equal(trimmed(await sandbox.exec({ command: text('echo'), stdin: new Uint8Array([97, 98]) })), [0, 'ab'])
    },
  },
  {
    name: 'keeps the working directory, unless a command brings one, or it is gone',
    needs: ['where', 'go'],
    check: async (sandbox, text) => {
      const fs = memoryFiles({ files: { '/a/b/c': '', '/d/e': '' } })
      const where = async (request: Partial<ExecRequest> = {}): Promise<string> =>
        (await sandbox.exec({ command: text('where'), fs, ...request })).stdout.trim()
      equal(await where(), '/')
      await sandbox.exec({ command: text('go')('/a/b'), fs })
      equal([await where(), await where({ cwd: '/d' })], ['/a/b', '/d'])
      await sandbox.exec({ command: text('go')('/a/b'), fs })
      await fs.rm('/a', { recursive: true })
      equal(await where(), '/')
    },
  },
  {
    name: 'does not begin where a command wants to and there is nothing',
    needs: ['write'],
    check: async (sandbox, text) => {
      const fs = memoryFiles()
      const result = await sandbox.exec({ command: text('write')('/made', 'x'), cwd: '/none', fs })
      check(result.exitCode !== 0 && result.stderr !== '', 'a failure in words')
      equal((await fs.stat('/made')) === undefined, true, 'Whether nothing was done')
    },
  },
]

const printing: readonly Case[] = [
  {
    name: 'tells what is printed as it comes, to a listener that may throw',
    needs: ['hello'],
    check: async (sandbox, text) => {
      let heard = ''
      const onOutput: ExecRequest['onOutput'] = (chunk) => {
        if (chunk.stream === 'stdout') heard += chunk.text
        throw new Error('a listener that is broken')
      }
      const { exitCode, stdout } = await sandbox.exec({ command: text('hello'), onOutput })
      equal([exitCode, heard], [0, stdout])
      equal(heard.trim(), 'hello')
    },
  },
  {
    name: 'keeps head and tail of much output, and the whole in a file',
    needs: ['chars', 'hello'],
    check: async (sandbox, text) => {
      const fs = memoryFiles()
      const count = 3_000_000
      const { exitCode, stdout, truncated } = await sandbox.exec({
        command: `${text('hello')}\n${text('chars')(count)}\n${text('hello')}`,
        fs,
      })
      equal(exitCode, 0)
      const cut = truncated?.stdout ?? 0
      check(cut > 0 && stdout.length < count, 'less in the result than was printed')
      check(stdout.startsWith('hello') && stdout.trimEnd().endsWith('hello'), 'both head and tail in the result')
      includes(stdout, String(cut), 'The note of how much is left out')
      const whole = await readText(fs, truncated?.spilledTo ?? '')
      check(whole.startsWith('hello') && whole.replace(/[^x]/g, '').length === count, 'the whole in the file')
      includes(truncated?.spilledTo ?? '', '.tool-results/')
    },
  },
  {
    name: 'ends what prints for ever, and keeps some of it',
    needs: ['flood', 'hello'],
    check: async (sandbox, text) => {
      const fs = memoryFiles()
      const result = await survives(sandbox, { command: text('flood'), fs, timeoutMs: 20_000 }, text('hello'))
      check(result.stopped === 'limit' || result.stopped === 'timeout', 'a reason why it was stopped')
      check(result.stdout.length > 0 && result.stdout.length < 2 ** 21, 'a bounded output')
    },
  },
]

const calm: readonly Case[] = [
  {
    name: 'never rejects for what a command says, or for files that fail',
    needs: ['hello', 'write', 'read'],
    check: async (sandbox, text) => {
      for (const command of ['', '\0', '"(', '\ud800', '}'.repeat(10_000)])
        await sandbox.exec({ command, timeoutMs: 5000 })
      for (const command of [text('write')('/a', 'b'), text('read')('/a')])
        await survives(sandbox, { command, fs: failing(), timeoutMs: 5000 }, text('hello'))
    },
  },
  {
    name: 'refuses in words what is too long, and rejects what makes no sense',
    needs: ['hello'],
    check: async (sandbox, text) => {
      const long = await survives(sandbox, { command: ' '.repeat(2 ** 20 + 1) }, text('hello'))
      check(long.exitCode === 126 && long.stderr !== '', 'a refusal in words')
      const input = await survives(sandbox, { command: text('hello'), stdin: 'x'.repeat(2 ** 24 + 1) }, text('hello'))
      check(input.exitCode === 126 && input.stderr !== '', 'a refusal in words')
      for (const request of [{ command: 7 }, { command: '', timeoutMs: -1 }, { command: '', timeoutMs: NaN }]) {
        const error: unknown = await sandbox.exec(request as ExecRequest).catch((thrown: unknown) => thrown)
        check(isSameloopError(error, 'config-invalid'), 'a rejection with config-invalid')
      }
    },
  },
  {
    name: 'can be warmed up at any time',
    needs: ['hello'],
    check: async (sandbox, text) => {
      await Promise.all([sandbox.warm?.(), sandbox.warm?.()])
      equal(trimmed(await sandbox.exec({ command: text('hello') })), [0, 'hello'])
      await sandbox.warm?.()
    },
  },
]

export const runCases: readonly Case[] = [...plain, ...printing, ...calm]
