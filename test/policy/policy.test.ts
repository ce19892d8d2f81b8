import { describe, expect, it } from 'vitest'
import { narrow, policy } from '../../src/policy/policy.ts'
import type { CallFacts, Verdict } from '../../src/tool/rule.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { copy, exists, readText, writeText } from '../../src/vfs/text.ts'
import { walk } from '../../src/vfs/walk.ts'
import { edit } from '../../src/edit/edit.ts'
import { restore, snapshot } from '../../src/overlay/snapshot.ts'
import { glob } from '../../src/search/glob.ts'
import { grep } from '../../src/search/grep.ts'

const nobody = { callId: 'c', run: 'r', step: 1, session: undefined, messages: [], deps: undefined }
const call = (name: string, uri = `fn://${name}`): CallFacts => ({ ...nobody, name, uri, input: {}, effect: 'read' })
const verdict = (options: Parameters<typeof policy>[0], facts: CallFacts): Verdict['action'] | undefined =>
  policy(options).rules[0]!(facts)?.action
const denied = { code: 'vfs-denied', data: { errno: 'EACCES' } }

describe('policy() for tools', () => {
  it('has no opinion by default', () => {
    expect(verdict({}, call('anything'))).toBeUndefined()
    expect(policy().advertises('anything', 'fn://anything')).toBe(true)
  })

  it('denies by name, by pattern and by URI, and does not advertise', () => {
    const tools = { deny: ['shell', 'web_*', 'mcp://git.*'] }
    expect(verdict({ tools }, call('shell'))).toBe('deny')
    expect(verdict({ tools }, call('web_fetch'))).toBe('deny')
    expect(verdict({ tools }, call('log', 'mcp://git.log'))).toBe('deny')
    expect(verdict({ tools }, call('log', 'mcp://gitlab.log'))).toBeUndefined()
    expect(verdict({ tools }, call('shellfish'))).toBeUndefined()
    expect(policy({ tools }).advertises('web_fetch', 'fn://web_fetch')).toBe(false)
  })

  it('denies a tool under another name as well', () => {
    expect(verdict({ tools: { deny: ['shell'] } }, call('harmless', 'fn://shell'))).toBe('deny')
  })

  it('denies what is not on a list of allowed tools, in words', () => {
    const ready = policy({ tools: { allow: ['fs_*'] } })
    expect(ready.rules[0]!(call('fs_read'))).toBeUndefined()
    expect(ready.rules[0]!(call('shell'))).toEqual({
      action: 'deny',
      reason: 'The tool "shell" is not on the policy\'s list of allowed tools',
    })
    expect(policy({ tools: { allow: [] } }).advertises('fs_read', 'fn://fs_read')).toBe(false)
  })

  it('asks where it is told to, unless it denies', () => {
    expect(verdict({ tools: { ask: ['fs_*'] } }, call('fs_write'))).toBe('ask')
    expect(verdict({ tools: { ask: ['fs_*'], deny: ['fs_write'] } }, call('fs_write'))).toBe('deny')
    expect(policy({ tools: { ask: ['*'] } }).advertises('x', 'fn://x')).toBe(true)
  })
})

describe('policy() for files', () => {
  const make = () =>
    memoryFiles({
      files: {
        '/space/a': 'a',
        '/space/.env': 'key',
        '/space/sub/.env': 'key',
        '/space/keys/id': 'key',
        '/etc/passwd': 'root',
      },
    })

  it('counts relative paths from the workspace and lets none lead out', async () => {
    const files = policy({ workspaceRoot: '/space' }).confineFiles(make())
    expect(files.capabilities.root).toBe('/space')
    expect(new TextDecoder().decode(await files.read('a'))).toBe('a')
    expect(await readText(files, '/space/a')).toBe('a')
    for (const path of ['/etc/passwd', '../etc/passwd', '/space/../etc/passwd', '/workshop', '/'])
      await expect(files.stat(path), path).rejects.toMatchObject(denied)
    await expect(files.rename('/space/a', '/etc/a')).rejects.toMatchObject(denied)
    await expect(files.rm('/space', { recursive: true })).rejects.toMatchObject(denied)
  })

  it('anchors relative paths of all functions over files at the workspace', async () => {
    const files = policy({ workspaceRoot: '/space' }).confineFiles(make())
    expect(await readText(files, 'a')).toBe('a')
    await writeText(files, 'new', 'one')
    await edit(files, 'new', { find: 'one', replace: 'two' })
    await copy(files, 'new', 'copied')
    expect(await readText(files, '/space/copied')).toBe('two')
    expect([await exists(files, 'copied'), await exists(files, 'missing')]).toEqual([true, false])
    expect((await glob(files, 'cop*')).paths).toEqual(['/space/copied'])
    expect((await grep(files, 'two')).matches.map(({ path }) => path)).toEqual(['/space/copied', '/space/new'])
    const saved = await snapshot(files)
    await files.rm('copied')
    await restore(files, saved)
    expect(await exists(files, 'copied')).toBe(true)
    for await (const { path } of walk(files, '.')) expect(path).toMatch(/^\/space\//)
    await expect(readText(files, '../etc/passwd')).rejects.toMatchObject(denied)
  })

  it('neither shows, reads nor writes what is protected, whatever its case', async () => {
    const memory = make()
    const files = policy({ workspaceRoot: '/space', protectedPaths: ['.env', 'keys'] }).confineFiles(memory)
    for (const path of [
      '/space/.env',
      '/space/.ENV',
      '/space/sub/.env',
      '/space/keys',
      '/space/keys/id',
      '/space/Keys/new',
    ]) {
      await expect(files.read(path), path).rejects.toMatchObject(denied)
      await expect(writeText(files, path, 'x', { parents: true }), path).rejects.toMatchObject(denied)
      await expect(files.rm(path, { force: true }), path).rejects.toMatchObject(denied)
      await expect(files.rename('/space/a', path), path).rejects.toMatchObject(denied)
    }
    expect((await files.list('/space')).entries.map(({ name }) => name)).toEqual(['a', 'sub'])
    expect((await glob(files, '**/*', { root: '/space' })).paths).toEqual(['/space/a'])
  })

  it('does not let a protected file be moved or removed with its directory, nor one be made by a move', async () => {
    const memory = make()
    const files = policy({ workspaceRoot: '/space', protectedPaths: ['.env', '/space/safe/**'] }).confineFiles(memory)
    await expect(files.rename('/space/sub', '/space/other')).rejects.toMatchObject(denied)
    await expect(files.rm('/space/sub', { recursive: true })).rejects.toMatchObject(denied)
    await expect(files.rename('/space/keys', '/space/safe')).rejects.toMatchObject(denied)
    expect(await exists(memory, '/space/sub/.env')).toBe(true)
  })

  it('refuses every write when read-only', async () => {
    const files = policy({ readOnly: true }).confineFiles(make())
    await expect(writeText(files, '/space/a', 'b')).rejects.toMatchObject({ code: 'vfs-read-only' })
    expect(files.capabilities.readOnly).toBe(true)
  })

  it('keeps a quota', async () => {
    const files = policy({ quotas: { fileBytes: 3 } }).confineFiles(make())
    await expect(writeText(files, '/big', '1234')).rejects.toMatchObject({ code: 'vfs-too-large' })
  })

  it('confines a batch like everything else', async () => {
    const memory = make()
    const files = policy({ workspaceRoot: '/space' }).confineFiles({ ...memory, batch: (work) => work(memory) })
    await expect(files.batch!((inner) => inner.read('/etc/passwd'))).rejects.toMatchObject(denied)
  })

  it('tells watchers only of what may be seen', async () => {
    const memory = make()
    const files = policy({ workspaceRoot: '/space', protectedPaths: ['.env'] }).confineFiles(memory)
    const seen: string[] = []
    files.watch!('/', ({ path }) => void seen.push(path))
    await writeText(memory, '/space/.env', '')
    await writeText(memory, '/etc/x', '')
    await writeText(memory, '/space/b', '')
    expect(seen).toEqual(['/space/b'])
  })

  it('refuses a broken pattern when it is made', () => {
    expect(() => policy({ protectedPaths: ['{a'] })).toThrow(expect.objectContaining({ code: 'expression-invalid' }))
  })
})

describe('policy() for the network', () => {
  it('guards a fetch with its web limits', async () => {
    const ready = policy({ web: { allow: ['a.example'] } })
    const fetch = ready.guardFetch(async () => new Response('ok'))
    expect(await (await fetch('https://a.example/')).text()).toBe('ok')
    await expect(fetch('https://b.example/')).rejects.toMatchObject({ code: 'tool-denied' })
    expect(ready.checkUrl('https://b.example/')).toContain('not on the list')
    expect([ready.maxContentChars, ready.shellTimeoutMs]).toEqual([50_000, 120_000])
  })
})

describe('narrow()', () => {
  it('allows what both allow and nothing more', async () => {
    const parent = policy({
      workspaceRoot: '/space',
      tools: { deny: ['shell'] },
      web: { allow: ['a.example', 'b.example'] },
    })
    const child = policy({
      workspaceRoot: '/',
      tools: { deny: ['calculator'] },
      web: { allow: ['b.example', 'c.example'] },
    })
    const both = narrow(parent, child)
    expect(['shell', 'calculator', 'fs_read'].filter((name) => both.advertises(name, `fn://${name}`))).toEqual([
      'fs_read',
    ])
    const files = both.confineFiles(memoryFiles({ files: { '/space/a': 'a', '/b': 'b' } }))
    expect(new TextDecoder().decode(await files.read('a'))).toBe('a')
    await expect(files.read('/b')).rejects.toMatchObject(denied)
    const fetch = both.guardFetch(async () => new Response('ok'))
    await expect(fetch('https://a.example/')).rejects.toMatchObject({ code: 'tool-denied' })
    await expect(fetch('https://c.example/')).rejects.toMatchObject({ code: 'tool-denied' })
    expect((await fetch('https://b.example/')).status).toBe(200)
  })

  it('checks redirects against both', async () => {
    const parent = policy({ web: { allow: ['a.example'] } })
    const both = narrow(parent, policy())
    const fetch = both.guardFetch(
      async () => new Response(null, { status: 302, headers: { location: 'https://b.example/' } }),
    )
    await expect(fetch('https://a.example/')).rejects.toMatchObject({ code: 'tool-denied' })
  })
})
