// Commands of our own that would hold the thread for minutes: nothing can end them from outside where there is no Worker.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shell } from '../../../adapters/virtual/shell.ts'
import { archived } from '../../../adapters/virtual/just-bash/archive/tar-format.ts'
import type { ExecResult } from '../../../src/sandbox/sandbox.ts'
import { memoryFiles } from '../../../src/vfs/memory.ts'
import { builtShell } from './bundle.ts'
import type { BuiltShell } from './bundle.ts'

describe('a command in this thread', () => {
  let built: BuiltShell
  beforeAll(async () => {
    built = await builtShell()
  })
  afterAll(() => built.remove())

  const run = async (command: string, file: string | Uint8Array = ''): Promise<ExecResult> =>
    shell({ load: built.hosted }).exec({ command, fs: memoryFiles({ files: { '/file': file } }), cwd: '/' })
  const archiveOf = (name: string): Uint8Array =>
    archived([{ name, isDirectory: false, mode: 0o644, seconds: 0, data: new Uint8Array() }])

  it('calculates no more than so much in bc', async () => {
    const programs = [
      `x=10^9999\n${'x;'.repeat(20_000)}`,
      `scale=100;x=10^9800\n${'y=sqrt(x);'.repeat(8000)}`,
      `x=10^4999-1;${'y=x*x;'.repeat(15_000)}`,
    ]
    for (const program of programs) {
      const { stderr } = await run('bc file > /dev/null', program)
      expect(stderr).toMatch(/calculates too much|characters of output/)
    }
  })

  it('knows the powers of zero and one, and those that leave nothing', async () => {
    const tiny = `.${'0'.repeat(9990)}1`
    const program = `0.0^3000000000\n1^(10^400)\n(-1)^(10^400+1)\na=${tiny}\na^20000\n.5^3\n`
    expect((await run('bc file', program)).stdout).toBe('0\n1\n-1\n0\n.1\n')
    expect((await run('bc file', `a=${tiny}\na^-20000\n`)).stderr).toContain('at most 10000 digits')
  })

  it('says what ended it, and what it does not have, without advice for those who build with the shell', async () => {
    const endless = await run('while true; do :; done')
    expect([endless.stopped, endless.stderr]).toEqual(['limit', 'bash: too many commands executed (>5000)\n'])
    const missing = await run('python3 -c 1')
    expect(missing.stderr).toBe('bash: python3: command not found\n')
  })

  it('reads no names of any length in tar', async () => {
    for (const name of [`${'\0'.repeat(300_000)}\nA`, 'a/'.repeat(20_000)]) {
      const { exitCode, stderr } = await run('tar xf file -C /tmp', archiveOf(name))
      expect([exitCode, stderr]).toEqual([2, 'tar: a name in it is too long\n'])
    }
    expect((await run('tar tf file', archiveOf('d/'.repeat(200) + 'f'))).stdout).toBe(`${'d/'.repeat(200)}f\n`)
  })

  it('makes no paths of any depth', async () => {
    const { exitCode } = await run(`mkdir -p /tmp/${'a/'.repeat(20_000)} || exit 3`)
    expect(exitCode).toBe(3)
  })

  it('finds the last X of a template for mktemp, whatever is before', async () => {
    const { stdout } = await run(`mktemp -u ${'X'.repeat(3000)}aXXX; mktemp -u aXXXbXXXXc`)
    expect(stdout).toMatch(/^X{3000}a\w{3}\naXXXb\w{4}c\n$/)
  })

  it('puts no more than so much together in xargs', async () => {
    const { stderr } = await run(`xargs -I{} echo ${'{}'.repeat(600)} < file`, 'b'.repeat(1_000_000))
    expect(stderr).toBe('xargs: argument line too long\n')
    expect((await run('xargs echo < file | wc -w', 'a '.repeat(300_000))).stdout).toBe('300000\n')
  })

  it('says that a limit stopped it when a command outlasts the time', async () => {
    expect((await run('sleep 30')).stopped).toBe('limit')
  })

  it('takes names behind -- as they are in ls', async () => {
    expect((await run('touch -- -l y; ls -- -l y')).stdout).toBe('-l\ny\n')
  })
})
