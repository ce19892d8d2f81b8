import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { codeTools } from '../../src/builtin/code-tools.ts'
import { webHost } from '../../src/host/web-host.ts'
import type { Message } from '../../src/message/part.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { cow } from '../../src/overlay/cow.ts'
import { policy } from '../../src/policy/policy.ts'
import type { ExecRequest, ExecResult, Sandbox } from '../../src/sandbox/sandbox.ts'
import { tool } from '../../src/tool/define.ts'
import type { Environment } from '../../src/tool/environment.ts'
import type { Policy } from '../../src/tool/rule.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readText, writeText } from '../../src/vfs/text.ts'

type Answer = Partial<ExecResult> | Promise<Partial<ExecResult>>

/** A sandbox whose commands are functions of ours. */
function sandbox(run: (request: ExecRequest) => Answer, more: Partial<Sandbox> = {}): Sandbox {
  return {
    kind: 'toy',
    languages: ['bash', 'javascript', 'python'],
    isolation: 'interpreter',
    hardKill: false,
    describe: () => 'A toy.',
    exec: async (request) => ({ exitCode: 0, stdout: '', stderr: '', durationMs: 1, ...(await run(request)) }),
    dispose: async () => {},
    ...more,
  }
}

interface Playing {
  readonly tools: (env: Environment) => ReturnType<typeof builtinTools>
  readonly name: string
  readonly input: object
  readonly policy?: Policy
  readonly approve?: () => 'approve' | 'deny'
}

/** What the model reads of one call, and how often a person was asked. */
async function play(env: Environment, { tools, name, input, approve = () => 'approve', policy: limits }: Playing) {
  const asked: unknown[] = []
  const { result } = agent({
    model: scriptedModel([{ calls: [{ name, input: input as never }] }, 'done']),
    env: { host: webHost, ...env },
    tools: tools(env),
    approve: (request) => {
      asked.push(request.preview)
      return approve()
    },
    ...(limits ? { policy: limits } : {}),
  }).run('go')
  const { messages, status } = await result
  expect(status).toBe('done')
  const [part] = (messages.find(({ role }) => role === 'tool') as Message).content
  if (part?.type !== 'tool-result') throw new Error('There is no result')
  const text = part.content.map((one) => (one.type === 'text' ? one.text : JSON.stringify(one))).join('')
  return { ok: part.ok, text, asked }
}

const shellCall = (input: object, more: Partial<Playing> = {}): Playing => ({
  tools: (env) => builtinTools({ env }),
  name: 'shell',
  input,
  ...more,
})

describe('the tool shell', () => {
  it('is there where the environment has one, with what the sandbox says of itself', () => {
    const tools = builtinTools({ env: { shell: sandbox(() => ({})) }, include: ['shell'] })
    expect(tools.map(({ name, description }) => [name, description])).toEqual([
      ['shell', 'Runs a shell command over the workspace files and gives what it printed. A toy.'],
    ])
    expect(builtinTools({ env: { fs: memoryFiles() } }).map(({ name }) => name)).not.toContain('shell')
  })

  it('works on the files of the call, and asks first where they are no overlay', async () => {
    const fs = memoryFiles({ files: { '/a.txt': 'a' } })
    const shell = sandbox(async ({ fs: files, command }) => {
      await writeText(files!, '/b.txt', command)
      return { stdout: `${await readText(files!, '/a.txt')}\n` }
    })
    const { ok, text, asked } = await play({ fs, shell }, shellCall({ command: 'echo', cwd: '/' }))
    expect([ok, text]).toEqual([true, 'a'])
    expect(asked).toEqual([{ summary: 'Run in the shell in "/"', details: 'echo' }])
    expect(await readText(fs, '/b.txt')).toBe('echo')
    const overlay = cow(fs)
    expect((await play({ fs: overlay, shell }, shellCall({ command: 'x' }))).asked).toEqual([])
  })

  it('runs nothing that was denied', async () => {
    const ran: string[] = []
    const shell = sandbox(({ command }) => (ran.push(command), {}))
    const { ok } = await play({ fs: memoryFiles(), shell }, shellCall({ command: 'x' }, { approve: () => 'deny' }))
    expect([ok, ran]).toEqual([false, []])
  })

  it('gives a command no network unless it was said to, and then always asks', async () => {
    const seen: boolean[] = []
    const shell = sandbox(({ fetch }) => (seen.push(fetch !== undefined), {}))
    const env = { fs: cow(memoryFiles()), shell, fetch: async () => new Response('x') }
    expect((await play(env, shellCall({ command: 'curl' }))).asked).toEqual([])
    const networked = shellCall({ command: 'curl' }, { tools: (of) => builtinTools({ env: of, network: true }) })
    expect((await play(env, networked)).asked).toHaveLength(1)
    expect(seen).toEqual([false, true])
  })

  it('always asks where the sandbox is none, and never counts it as harmless', async () => {
    const shell = sandbox(() => ({ stdout: 'x' }), { isolation: 'none' })
    expect((await play({ fs: cow(memoryFiles()), shell }, shellCall({ command: 'x' }))).asked).toHaveLength(1)
    expect(builtinTools({ env: { shell }, include: ['shell'] })[0]!.effect).toBe('unsafe')
    expect(builtinTools({ env: { shell: sandbox(() => ({})) }, include: ['shell'] })[0]!.effect).toBe('local')
  })

  it('tells how a command ended, and leaves the middle of a long output out', async () => {
    const results: Partial<ExecResult>[] = [
      { exitCode: 2, stdout: 'out\n', stderr: 'no such file\n' },
      { exitCode: 124, stdout: 'begun', stopped: 'timeout' },
      { stdout: Array.from({ length: 1000 }, (_, line) => `line ${line}`).join('\n') },
      { stdout: 'x', truncated: { stdout: 5, spilledTo: '/.tool-results/1.txt' } },
      {},
    ]
    const shell = sandbox(() => results.shift()!)
    const run = async () => play({ fs: cow(memoryFiles()), shell }, shellCall({ command: 'x' }))
    expect(await run()).toMatchObject({ ok: false, text: 'exit code 2\nout\n\nstderr:\nno such file' })
    expect(await run()).toMatchObject({
      ok: false,
      text: 'exit code 124\nIt took too long and was ended. What it wrote before is there.\nbegun',
    })
    const long = await run()
    expect(long.text.split('\n')).toHaveLength(201)
    expect(long.text).toContain('line 99\n[800 more lines are left out here]\nline 900\n')
    expect((await run()).text).toBe('x\n[the whole output is in /.tool-results/1.txt]')
    expect(await run()).toMatchObject({ ok: true, text: '[no output]' })
  })

  it('takes no longer than the policy allows, whatever the model wants', async () => {
    const times: (number | undefined)[] = []
    const shell = sandbox(({ timeoutMs }) => (times.push(timeoutMs), {}))
    const limits = policy({ shell: { timeoutMs: 5000 } })
    const tools = (env: Environment) => builtinTools({ env, policy: limits })
    const env = { fs: cow(memoryFiles()), shell }
    await play(env, shellCall({ command: 'x' }, { tools }))
    await play(env, shellCall({ command: 'x', timeoutMs: 100 }, { tools }))
    await play(env, shellCall({ command: 'x', timeoutMs: 9000 }, { tools }))
    await play(env, shellCall({ command: 'x', timeoutMs: -1 }, { tools }))
    expect(times).toEqual([5000, 100, 5000, 1])
  })

  it('sees no file that the policy protects', async () => {
    const fs = memoryFiles({ files: { '/workspace/a': 'a', '/secret': 's' } })
    const shell = sandbox(async ({ fs: files }) => ({ stdout: await readText(files!, '/secret') }))
    const limits = policy({ workspaceRoot: '/workspace' })
    const { ok, text } = await play({ fs, shell }, shellCall({ command: 'cat' }, { policy: limits }))
    expect([ok, text.includes('s\n')]).toEqual([false, false])
  })
})

describe('codeTools()', () => {
  const codeCall = (code: string, name = 'run_javascript'): Playing => ({
    tools: (env) => [
      ...codeTools({ env }),
      tool({ name: 'double', description: 'x', approval: true, execute: () => 42 }),
    ],
    name,
    input: { code },
  })

  it('gives a tool for each language that the sandbox speaks', () => {
    const code = (...languages: Sandbox['languages']) => ({ code: sandbox(() => ({}), { languages }) })
    const names = (env: Environment, include?: readonly string[]) => codeTools({ env, include }).map(({ name }) => name)
    expect(names(code('javascript', 'python'))).toEqual(['run_javascript', 'run_python'])
    expect(names(code('javascript'))).toEqual(['run_javascript'])
    expect(names(code('javascript', 'python'), ['*_python'])).toEqual(['run_python'])
    expect(() => names(code('javascript'), ['run_ruby'])).toThrow('Cannot include "run_ruby"')
    expect(() => names({})).toThrow('The env has no code')
  })

  it('lets a program call tools, each with the approval it wants', async () => {
    const code = sandbox(async ({ call }) => ({ stdout: JSON.stringify(await call!('double', {})) }))
    const { ok, text, asked } = await play({ code, fs: memoryFiles() }, codeCall('x'))
    expect([ok, text, asked.length]).toEqual([true, '{"result":42}', 1])
  })

  it('lets a program read files, and write them only where they are an overlay', async () => {
    const code = sandbox(async ({ fs }) => {
      await writeText(fs!, '/x', await readText(fs!, '/a'))
      return {}
    })
    const fs = memoryFiles({ files: { '/a': 'a' } })
    expect((await play({ code, fs }, codeCall('x'))).ok).toBe(false)
    const overlay = cow(fs)
    expect((await play({ code, fs: overlay }, codeCall('x'))).ok).toBe(true)
    expect(await readText(overlay, '/x')).toBe('a')
  })

  it('gives a program no network of its own', async () => {
    const code = sandbox(({ fetch }) => ({ stdout: String(fetch === undefined) }))
    expect((await play({ code, fetch: async () => new Response('x') }, codeCall('x'))).text).toBe('true')
  })
})
