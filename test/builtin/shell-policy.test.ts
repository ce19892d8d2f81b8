// One policy for file tools and shell: what the tools may not do, no command does. With the real shell.
import { afterEach, describe, expect, it } from 'vitest'
import { shell } from '../../adapters/virtual/index.ts'
import { agent } from '../../src/index.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { policy } from '../../src/policy/policy.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { builtinTools } from '../../src/tools.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readText } from '../../src/vfs/text.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { intercept } from '../../src/wrapper/intercept.ts'
import { mount } from '../../src/wrapper/mount.ts'
import { readOnly } from '../../src/wrapper/read-only.ts'

const open: Sandbox[] = []
afterEach(() => Promise.all(open.splice(0).map((sandbox) => sandbox.dispose())))

function newShell(): Sandbox {
  const sandbox = shell()
  open.push(sandbox)
  return sandbox
}

const asked: string[] = []
const fetch = async (input: string | URL | Request): Promise<Response> => {
  asked.push(new Request(input).url)
  return new Response('from the network')
}

/** Runs each command as a call of the tool `shell`, and gives whether it went well, with its text. */
async function run(fs: Vfs, commands: readonly string[]): Promise<readonly (readonly [boolean, string])[]> {
  const rules = policy({ protectedPaths: ['/ws/secret'], web: { allow: ['https://example.com'] } })
  const env = { fs, fetch, shell: newShell() }
  const model = scriptedModel([{ calls: commands.map((command) => ({ name: 'shell', input: { command } })) }, 'done'])
  const tools = builtinTools({ env, policy: rules, network: true })
  const { messages } = await agent({ model, env, tools, policy: rules, approve: () => 'approve' }).run('go').result
  return messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'tool-result' ? [[part.ok, JSON.stringify(part.content)] as const] : [])),
  )
}

/** Files of which one directory may be written. */
const workspace = (files: Readonly<Record<string, string>>): Vfs =>
  mount({ '/': readOnly(memoryFiles({ files })), '/ws/out': memoryFiles() })

describe('where one directory may be written, one file is protected and one host may be reached, that', () => {
  it('holds for every way that a shell has to write', async () => {
    const fs = workspace({ '/ws/b': 'before\n', '/ws/secret': 'the key\n' })
    const commands = [
      'echo x > /ws/out/a',
      'echo x > /ws/b',
      'cp /ws/out/a /ws/b',
      'mv /ws/out/a /ws/b',
      'tee /ws/b < /ws/out/a',
      'ln -s /ws /ws/out/l && echo x > /ws/out/l/b',
      'sed -i s/before/y/ /ws/b',
      'rm /ws/b',
      'mkdir /ws/new',
      'touch /ws/new',
      'cd /ws && echo x > b',
      'echo x >/ws/out/../b',
      'echo x >> /ws/b',
      'cat /ws/secret',
      'grep -r key /ws/secret',
    ]
    const results = await run(fs, commands)
    expect(results.map(([ok], index) => [commands[index], ok])).toEqual(
      commands.map((command, index) => [command, index === 0]),
    )
    expect(await readText(fs, '/ws/b')).toBe('before\n')
    expect(await readText(fs, '/ws/out/a')).toBe('x\n')
    expect(await fs.stat('/ws/new')).toBeUndefined()
    expect(JSON.stringify(results)).not.toContain('the key')
    for (const [ok, text] of results) if (!ok) expect(text).toMatch(/exit code [1-9]/)
  })

  it('holds for the network', async () => {
    asked.length = 0
    const fs = workspace({ '/ws/b': 'before\n' })
    const results = await run(fs, [
      'curl -s https://example.com/a',
      'curl -s http://169.254.169.254/latest',
      'curl -s https://example.org/',
      'curl -s -o /ws/b https://example.com/',
    ])
    expect(results.map(([ok]) => ok)).toEqual([true, false, false, false])
    expect(results[0]?.[1]).toContain('from the network')
    expect(asked.filter((url) => !url.startsWith('https://example.com/'))).toEqual([])
    expect(await readText(fs, '/ws/b')).toBe('before\n')
  })
})

describe('files that take their time', () => {
  it('stop nothing else in the program, and nothing is blocked for them', async () => {
    const slow = intercept(memoryFiles({ files: { '/a': 'text\n' } }), {
      around: async (_call, next) => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return next()
      },
    })
    let ticks = 0
    const clock = setInterval(() => ticks++, 5)
    const shells = [newShell(), newShell(), newShell(), newShell()]
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        shells[index % 4]!.exec({ command: `cat /a > /${index}; cat /${index} /a | wc -l`, fs: slow }),
      ),
    )
    clearInterval(clock)
    expect(results.map(({ stdout, stderr }) => [stdout.trim(), stderr])).toEqual(results.map(() => ['2', '']))
    expect(ticks).toBeGreaterThan(0)
  })
})
