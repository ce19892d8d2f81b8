// The file tools: what a policy protects, and texts of odd make.
import { describe, expect, it } from 'vitest'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { webHost } from '../../src/host/web-host.ts'
import { policy } from '../../src/policy/policy.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { writeText, readText } from '../../src/vfs/text.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { call, results, rig, within } from '../agent/rig.ts'

describe('file tools', () => {
  async function space(
    files: Record<string, string>,
    options: Parameters<typeof policy>[0] = {},
  ): Promise<{
    fs: Vfs
    use: (name: string, input: object) => Promise<{ ok: boolean; text: string; reason: string | undefined }>
  }> {
    const fs = memoryFiles()
    for (const [path, text] of Object.entries(files)) await writeText(fs, path, text, { parents: true })
    const env = { fs, host: webHost }
    const rules = policy(options)
    const use = async (name: string, input: object) => {
      const { assistant } = rig([call(name, input), 'done'], {
        env,
        policy: rules,
        tools: builtinTools({ env, policy: rules }),
        approve: () => 'approve',
      })
      return results((await assistant.run('go').result).messages)[0] as never
    }
    return { fs, use }
  }
  const guarded = { workspaceRoot: '/space', protectedPaths: ['.env', 'secret/**', '/space/keys'] }
  const tree = {
    '/space/a.txt': 'a\n',
    '/space/.env': 'TOKEN',
    '/space/sub/.env': 'TOKEN',
    '/space/secret/x': 'TOKEN',
    '/space/keys/k': 'TOKEN',
    '/etc/passwd': 'TOKEN',
  }
  it.each([
    '/etc/passwd',
    '../etc/passwd',
    '/space/../etc/passwd',
    './/../space/.env',
    '.env',
    '.ENV',
    'sub/.Env',
    'sub/../.env',
    'secret/x',
    'SECRET/x',
    'keys/k',
    '/space/keys/',
    'keys',
    '/../../etc/passwd',
    '/space/keys/./k',
    '.env/',
    '/workx/../etc/passwd',
  ])('%s is not read, listed, found, written, patched, deleted', async (path) => {
    const { fs, use } = await space(tree, guarded)
    for (const [name, input] of [
      ['fs_read', { path }],
      ['fs_list', { path }],
      ['fs_grep', { pattern: 'TOKEN', path }],
      ['fs_exists', { path }],
      ['fs_write', { path, contents: 'PWNED' }],
      ['fs_edit', { path, find: 'TOKEN', replace: 'PWNED' }],
      ['fs_patch', { path, patch: '@@ -1 +1 @@\n-TOKEN\n+PWNED\n' }],
      ['fs_delete', { path, recursive: true }],
    ] as const) {
      const { text, ok } = await use(name, input)
      expect(`${name} ${text}`).not.toContain('TOKEN"')
      expect(ok && name !== 'fs_grep' && name !== 'fs_list', `${name}: ${text}`).toBe(false)
      expect(text).not.toMatch(/:\d+: TOKEN/)
    }
    for (const [file, content] of Object.entries(tree)) expect(await readText(fs, file)).toBe(content)
  })
  it('globs, greps and lists show nothing protected', async () => {
    const { use } = await space(tree, guarded)
    for (const pattern of [
      '**',
      '**/*',
      '/**',
      '.env',
      '**/.env',
      '{.env,a.txt}',
      '[.]env',
      '../**',
      '/etc/*',
      '\\.env',
    ])
      expect((await use('fs_glob', { pattern })).text, pattern).not.toMatch(/env|secret|keys|passwd/)
    const { text } = await use('fs_grep', { pattern: 'TOKEN|a' })
    expect(text).toContain('/space/a.txt')
    expect(text).not.toContain('TOKEN')
    expect((await use('fs_list', {})).text).toBe('a.txt\nsecret/\nsub/')
  })
  it('a directory with something protected in it is not deleted', async () => {
    const { fs, use } = await space(tree, guarded)
    expect((await use('fs_delete', { path: 'sub', recursive: true })).ok).toBe(false)
    expect(await readText(fs, '/space/sub/.env')).toBe('TOKEN')
  })
  it('a workspace whose name has glob characters works', async () => {
    for (const root of ['/my [project]', '/a{b}', '/x*y', '/b\\c']) {
      const { use } = await space({ [`${root}/a.md`]: 'hello\n' }, { workspaceRoot: root })
      expect((await use('fs_glob', { pattern: '*.md' })).text, root).toContain('a.md')
      expect((await use('fs_glob', { pattern: './*.md' })).text, root).toContain('a.md')
      expect((await use('fs_grep', { pattern: 'hello', glob: '*.md' })).text, root).toContain('hello')
    }
  })
  it('protected paths hold in a workspace whose name has glob characters', async () => {
    const { use } = await space(
      { '/my [p]/.env': 'TOKEN', '/my [p]/s/x': 'TOKEN' },
      { workspaceRoot: '/my [p]', protectedPaths: ['.env', 's/**', './s/x'] },
    )
    for (const path of ['.env', 's/x']) expect((await use('fs_read', { path })).ok).toBe(false)
  })
  it('CRLF, BOM, names with newlines, overlapping matches, empty files', async () => {
    const { fs, use } = await space({
      '/c.txt': 'a\r\nb\r\n',
      '/bom.txt': '\ufeffhi\nyou\n',
      '/n\nl.txt': 'x',
      '/o.txt': 'aaaa',
      '/e.txt': '',
      '/mixed.txt': 'a\r\nb\nc\r\n',
    })
    await use('fs_edit', { path: 'c.txt', find: 'a\nb', replace: 'x\ny' })
    expect(await readText(fs, '/c.txt')).toBe('x\r\ny\r\n')
    await use('fs_edit', { path: 'bom.txt', find: 'hi', replace: 'ho' })
    expect(await readText(fs, '/bom.txt')).toBe('\ufeffho\nyou\n')
    expect((await use('fs_edit', { path: 'o.txt', find: 'aa', replace: 'b' })).ok).toBe(false)
    await use('fs_edit', { path: 'o.txt', find: 'aa', replace: 'b', all: true })
    expect(await readText(fs, '/o.txt')).toBe('bb')
    expect((await use('fs_list', {})).text.split('\n')).toHaveLength(6)
    expect((await use('fs_patch', { path: 'bom.txt', patch: '@@ -1,2 +1,2 @@\n-ho\n+hu\n you\n' })).text).toBeDefined()
    expect((await use('fs_edit', { path: 'mixed.txt', find: 'a\nb', replace: 'z' })).text).toBeDefined()
    expect((await use('fs_edit', { path: 'e.txt', find: '', replace: 'x' })).ok).toBe(false)
  })
  it('an edit where occurrences overlap says that the text is not unique', async () => {
    const { use } = await space({ '/o.txt': 'aba ba\n', '/p.txt': 'xababax' })
    expect((await use('fs_edit', { path: 'p.txt', find: 'aba', replace: 'Q' })).ok).toBe(false)
  })
  it('catastrophic patterns end', async () => {
    const { use } = await space({ '/r.txt': `${'a'.repeat(100_000)}!\n` })
    for (const pattern of [
      '(a+)+$',
      '(a|a)*b',
      '(a*)*c',
      '(.*.*.*.*.*)*x',
      '((a{1,30}){1,30})+b',
      '(?:(?:a?){20}){20}b',
      '[a-z]+[a-z]+[a-z]+[a-z]+\\d',
    ])
      expect(await within(use('fs_grep', { pattern }), 10_000), pattern).not.toBe('hung')
  }, 60_000)
  it('a file that changes between approval and execution is not overwritten with a stale edit', async () => {
    const { fs, use } = await space({ '/a.txt': 'one' })
    void use
    const env = { fs, host: webHost }
    const { assistant } = rig([call('fs_edit', { path: 'a.txt', find: 'one', replace: 'two' }), 'done'], {
      env,
      tools: builtinTools({ env }),
      approve: async () => {
        await writeText(fs, '/a.txt', 'three')
        return 'approve' as const
      },
    })
    await assistant.run('go').result
    expect(await readText(fs, '/a.txt')).toBe('three')
  })
  it('an edit by a person goes through the policy again', async () => {
    const { fs } = await space(tree)
    const rules = policy(guarded)
    const env = { fs, host: webHost }
    const { assistant } = rig([call('fs_write', { path: 'a.txt', contents: 'x' }), 'done'], {
      env,
      policy: rules,
      tools: builtinTools({ env, policy: rules }),
      approve: () => ({ decision: 'edit', input: { path: '.env', contents: 'PWNED' } }),
    })
    await assistant.run('go').result
    expect(await readText(fs, '/space/.env')).toBe('TOKEN')
  })
})
