// The shell of the machine, under the contract and beyond it.
import * as disk from 'node:fs/promises'
import { join } from 'node:path'
import { hostShell } from '../../../../adapters/node/host/host-shell.ts'
import { check, equal, includes } from '../../../../src/testing/assertion.ts'
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import type { SandboxPrograms } from '../../../../src/testing/contract/sandbox.ts'
import type { ExecResult, Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { memoryFiles } from '../../../../src/vfs/memory.ts'
import { contractCase } from '../report.ts'
import { codeOf, scratch } from './scratch.ts'

const machine = { lacking: 'it has the files of the machine, not those that a command brings' }

export const shellPrograms: SandboxPrograms = {
  hello: 'echo hello',
  fail: 'echo oh >&2\nexit 3',
  read: machine,
  write: machine,
  loop: 'while :; do :; done',
  wait: 'sleep 600',
  flood: 'while :; do echo yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy; done',
  chars: (count) => `head -c ${count} /dev/zero | tr '\\0' x`,
  where: machine,
  go: machine,
  variable: (name) => `printf '%s' "$${name}"`,
  echo: 'cat',
  recurse: 'f() { f; }; f',
  allocate: { lacking: 'it would take the memory of the machine' },
}

export const freshShell = async (): Promise<Sandbox> => hostShell({ root: await scratch() })

const trimmed = ({ exitCode, stdout }: ExecResult): readonly unknown[] => [exitCode, stdout.trim()]

/** Runs in a new directory, and ends the shell however it goes. */
async function withShell(work: (shell: Sandbox, root: string) => Promise<void>): Promise<void> {
  const root = await disk.realpath(await scratch())
  const shell = hostShell({ root })
  try {
    await work(shell, root)
  } finally {
    await shell.dispose()
  }
}

const isAlive = (pid: string): boolean => {
  try {
    return process.kill(Number(pid), 0)
  } catch {
    return false
  }
}

/** A process that was killed may take a moment to go. */
async function isGone(pid: string): Promise<boolean> {
  for (let tries = 0; tries < 100 && isAlive(pid); tries++) await new Promise((resolve) => setTimeout(resolve, 20))
  return !isAlive(pid)
}

export const shellCases: readonly ContractCase[] = [
  contractCase('begins in the root, goes where commands go, and no further than the root', () =>
    withShell(async (shell, root) => {
      await disk.mkdir(join(root, 'a/b'), { recursive: true })
      await disk.symlink('/', join(root, 'out'))
      const pwd = async (more: object = {}) => trimmed(await shell.exec({ command: 'pwd', ...more }))
      equal(await pwd(), [0, root])
      await shell.exec({ command: 'cd a/b; exit 4' })
      equal(
        [await pwd(), await pwd({ cwd: '/a' }), await pwd({ cwd: 'a' })],
        [
          [0, join(root, 'a/b')],
          [0, join(root, 'a')],
          [0, join(root, 'a')],
        ],
      )
      await shell.exec({ command: 'cd /' })
      equal(await pwd(), [0, join(root, 'a')])
      for (const cwd of ['/none', '/out', '/.sameloop'])
        equal((await shell.exec({ command: 'pwd', cwd })).exitCode, 126)
      equal(await pwd({ cwd: '/../..' }), [0, root])
      const fs = { ...memoryFiles(), capabilities: { ...memoryFiles().capabilities, root: '/a' } }
      equal(await pwd({ cwd: 'b', fs }), [0, join(root, 'a/b')])
    }),
  ),
  contractCase('shows commands no variable of the program but a few', () =>
    withShell(async (shell, root) => {
      process.env['DISK_SECRET'] = 'secret'
      const { stdout } = await shell.exec({ command: 'env', env: { MINE: '1' } })
      check(
        !stdout.includes('secret') && stdout.includes('MINE=1') && stdout.includes('PATH='),
        'only what is harmless',
      )
      const open = hostShell({ root, inherit: ['PATH', 'DISK_SECRET'] })
      includes((await open.exec({ command: 'env' })).stdout, 'DISK_SECRET=secret')
      delete process.env['DISK_SECRET']
      await open.dispose()
    }),
  ),
  contractCase('leaves no process behind: not when it ends, not when it is stopped', () =>
    withShell(async (shell) => {
      const left = await shell.exec({ command: 'sleep 600 & echo $!' })
      equal(left.exitCode, 0)
      check(await isGone(left.stdout.trim()), 'a background process that is gone')
      const late = await shell.exec({ command: `sh -c 'echo $$; trap "" TERM; sleep 600; sleep 600'`, timeoutMs: 300 })
      equal([late.exitCode, late.stopped], [124, 'timeout'])
      check(await isGone(late.stdout.trim()), 'a process that does not listen to SIGTERM and is gone')
    }),
  ),
  contractCase('does not wait for who left the group and holds the pipes open', () =>
    withShell(async (shell) => {
      const { exitCode, stdout } = await shell.exec({ command: 'setsid sleep 600 & echo $!; exit 5' })
      equal(exitCode, 5)
      process.kill(Number(stdout.trim()), 'SIGKILL')
    }),
  ),
  contractCase('gives what is stopped the time to clean up', () =>
    withShell(async (shell, root) => {
      const command = 'trap "echo cleaned > cleaned; exit 9" TERM; while :; do sleep 0.05; done'
      equal((await shell.exec({ command, timeoutMs: 500 })).exitCode, 124)
      equal(await disk.readFile(join(root, 'cleaned'), 'utf8'), 'cleaned\n')
    }),
  ),
  contractCase('says by the exit code which signal ended a command', () =>
    withShell(async (shell) => {
      const codes = []
      for (const signal of ['TERM', 'KILL', 'SEGV'])
        codes.push((await shell.exec({ command: `kill -${signal} $$` })).exitCode)
      equal(codes, [143, 137, 139])
    }),
  ),
  contractCase('refuses in words what cannot be started', () =>
    withShell(async (shell, root) => {
      for (const command of ['echo \0', `: ${'x'.repeat(130_000)}`]) {
        const { exitCode, stderr } = await shell.exec({ command })
        check(exitCode === 126 && stderr.includes('host-shell: '), 'a refusal in words')
      }
      const missing = hostShell({ root, shell: join(root, 'none') })
      equal((await missing.exec({ command: 'echo' })).exitCode, 126)
      equal(await codeOf(shell.exec({ command: 'echo', atomic: true })), 'config-invalid')
      equal(trimmed(await shell.exec({ command: 'cat > /dev/null; echo done', stdin: 'x'.repeat(1_000_000) })), [
        0,
        'done',
      ])
      equal(trimmed(await shell.exec({ command: 'echo done', stdin: 'x'.repeat(1_000_000) })), [0, 'done'])
    }),
  ),
  contractCase('says that nothing confines it', () =>
    withShell(async ({ isolation, hardKill, kind }) => {
      equal([isolation, hardKill, kind], ['none', true, 'host-shell'])
    }),
  ),
]
