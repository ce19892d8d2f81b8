import { describe, expect, it } from 'vitest'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { webHost } from '../../src/host/web-host.ts'
import { policy } from '../../src/policy/policy.ts'
import type { Json } from '../../src/json/value.ts'
import type { ToolContext } from '../../src/tool/context.ts'
import type { Policy } from '../../src/tool/rule.ts'
import { isAnswer } from '../../src/tool/tool.ts'
import type { Tool } from '../../src/tool/tool.ts'
import { cow } from '../../src/overlay/cow.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readOnly } from '../../src/wrapper/read-only.ts'
import { exists, readText, writeText } from '../../src/vfs/text.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'

interface Answer {
  readonly ok: boolean
  readonly content: unknown
  readonly details: Json | undefined
}

/** The tools over some files, called as the registry would: input checked, then executed. */
function bench(files: Record<string, string | Uint8Array> | Vfs, limits?: Policy) {
  const fs =
    'stat' in files && typeof files.stat === 'function'
      ? (files as Vfs)
      : memoryFiles({ files: files as Record<string, string> })
  const tools = builtinTools({ env: { host: webHost, fs }, policy: limits })
  const find = (name: string): Tool => tools.find((tool) => tool.name === name)!
  const context = (callId: string, run: string): ToolContext =>
    ({ callId, run: { id: run, step: 0, session: undefined }, fs, signal: new AbortController().signal }) as ToolContext
  const call = async (name: string, input: Json, { callId = 'call', run = 'run' } = {}): Promise<Answer> => {
    const checked = await find(name).input!['~standard'].validate(input)
    if (checked.issues) return { ok: false, content: checked.issues, details: undefined }
    const result: unknown = await find(name).execute!(checked.value, context(callId, run))
    return isAnswer(result)
      ? { ok: result.ok, content: result.content, details: result.details }
      : { ok: true, content: result, details: undefined }
  }
  const text = async (name: string, input: Json) => (await call(name, input)).content
  const asks = (name: string, input: Json) => {
    const { approval } = find(name)
    return typeof approval === 'function' ? approval(input) : approval
  }
  const preview = async (name: string, input: Json, callId = 'call') =>
    find(name).describeCall!(input, context(callId, 'run'))
  return { fs, tools, call, text, asks, preview }
}

describe('builtinTools()', () => {
  it('gives the calculator, the question and the task list where there are no files', () => {
    expect(builtinTools({ env: {} }).map(({ name }) => name)).toEqual(['calculator', 'ask_human', 'todo'])
  })

  it('gives the file family where there are, without the writing ones for read-only files', () => {
    const names = (fs: Vfs, limits?: Policy) => builtinTools({ env: { fs }, policy: limits }).map(({ name }) => name)
    expect(names(memoryFiles())).toEqual([
      'calculator',
      'ask_human',
      'todo',
      'fs_read',
      'fs_list',
      'fs_glob',
      'fs_grep',
      'fs_exists',
      'fs_write',
      'fs_edit',
      'fs_patch',
      'fs_delete',
    ])
    expect(names(readOnly(memoryFiles()))).toEqual([
      'calculator',
      'ask_human',
      'todo',
      'fs_read',
      'fs_list',
      'fs_glob',
      'fs_grep',
      'fs_exists',
    ])
    expect(names(memoryFiles(), policy({ readOnly: true }))).not.toContain('fs_write')
  })

  it('gives what is included, and refuses a name that is none', () => {
    const env = { fs: memoryFiles() }
    expect(builtinTools({ env, include: ['fs_re*', 'calculator'] }).map(({ name }) => name)).toEqual([
      'calculator',
      'fs_read',
    ])
    expect(() => builtinTools({ env, include: ['fs_raed'] })).toThrow('Cannot include "fs_raed"')
  })

  it('declares effects, and a JSON Schema that says what it checks', () => {
    const { tools } = bench({})
    for (const tool of tools) {
      const json = tool.input!['~standard'].jsonSchema!.input({ target: 'draft-2020-12' })
      expect(json).toMatchObject({ type: 'object', additionalProperties: false })
      expect(JSON.parse(JSON.stringify(json))).toEqual(json)
      const writes = /write|edit|patch|delete/.test(tool.name)
      expect([tool.name, tool.effect, tool.mode]).toEqual([
        tool.name,
        writes ? 'local' : 'read',
        writes ? 'exclusive' : undefined,
      ])
    }
  })

  it('refuses wrong and unknown input', async () => {
    const { call } = bench({})
    expect((await call('fs_read', {})).ok).toBe(false)
    expect((await call('fs_read', { path: 1 })).ok).toBe(false)
    expect((await call('fs_read', { path: '/a', file: 'b' })).ok).toBe(false)
    expect((await call('fs_exists', JSON.parse('{"path":"/a","__proto__":{}}') as Json)).ok).toBe(false)
  })

  it('calculates', async () => {
    expect(await bench({}).text('calculator', { expression: '2 * (3 + 4)^2' })).toBe(98)
  })
})

describe('fs_read', () => {
  it('gives a small file as it is', async () => {
    expect(await bench({ '/a': 'one\r\ntwo\n' }).text('fs_read', { path: 'a' })).toBe('one\r\ntwo\n')
    expect(await bench({ '/a': 'no end' }).text('fs_read', { path: '/a' })).toBe('no end')
    expect(await bench({ '/a': '' }).text('fs_read', { path: '/a' })).toBe('[the file is empty]')
  })

  it('shows a window and says which', async () => {
    const { text, call } = bench({ '/a': Array.from({ length: 2500 }, (_, index) => `line ${index + 1}\n`).join('') })
    expect(await text('fs_read', { path: '/a', offset: 3, limit: 2 })).toBe(
      'line 3\nline 4\n[showing lines 3-4 of 2500]',
    )
    expect(await text('fs_read', { path: '/a' })).toMatch(/line 2000\n\[showing lines 1-2000 of 2500\]$/)
    expect(await text('fs_read', { path: '/a', limit: 2100 })).toMatch(/\[showing lines 1-2000 of 2500\]$/)
    expect(await text('fs_read', { path: '/a', offset: 2500, limit: 9999 })).toBe(
      'line 2500\n[showing lines 2500-2500 of 2500]',
    )
    expect(await call('fs_read', { path: '/a', offset: 2501 })).toMatchObject({
      ok: false,
      content: 'offset 2501 is past the end: the file has 2500 lines',
    })
    expect((await call('fs_read', { path: '/a', offset: 0 })).ok).toBe(false)
  })

  it('cuts a line that is too long', async () => {
    expect(await bench({ '/a': 'x'.repeat(9000) }).text('fs_read', { path: '/a' })).toMatch(
      /^x{2000}… \[line cut, 9000 characters\]$/,
    )
    const pair = `${'x'.repeat(1999)}😀${'x'.repeat(9)}`
    expect(await bench({ '/a': pair }).text('fs_read', { path: '/a' })).toBe(
      `${'x'.repeat(1999)}… [line cut, 2010 characters]`,
    )
  })

  it('explains what cannot be read', async () => {
    const { call } = bench({
      '/d/Notes.md': 'x',
      '/bin': new Uint8Array([1, 0]),
      '/big': new Uint8Array(11 * 2 ** 20).fill(97),
    })
    expect((await call('fs_read', { path: '/d' })).content).toBe('"/d" is a directory: use fs_list')
    expect((await call('fs_read', { path: '/bin' })).content).toContain('binary')
    expect((await call('fs_read', { path: '/big' })).content).toContain('at most 10485760')
    expect(await call('fs_read', { path: '/d/notes.txt' })).toEqual({
      ok: false,
      content: 'Cannot read "/d/notes.txt": no such file or directory; did you mean "Notes.md"?',
      details: { code: 'vfs-not-found' },
    })
    expect((await call('fs_read', { path: 'a\0b' })).ok).toBe(false)
  })
})

describe('fs_list', () => {
  it('lists sorted names, directories with a slash', async () => {
    expect(await bench({ '/b': '', '/a/x': '', '/C': '' }).text('fs_list', {})).toBe('C\na/\nb')
    expect(await bench({ '/a/x': '' }).text('fs_list', { path: 'a' })).toBe('x')
  })

  it('shows at most 500 names and how many more there are', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 1503 }, (_, index) => [`/f${String(index).padStart(4, '0')}`, '']),
    )
    const lines = String(await bench(many).text('fs_list', {})).split('\n')
    expect([lines.length, lines[499], lines[500]]).toEqual([501, 'f0499', '[1003 more entries]'])
  })

  it('does not let a name pass for several', async () => {
    expect(await bench({ '/a\nb': '' }).text('fs_list', {})).toBe('"a\\nb"')
  })

  it('finds an empty directory, and a workspace that is not there yet', async () => {
    expect(await bench({}).text('fs_list', {})).toBe('[the directory is empty]')
    expect(await bench({}, policy({ workspaceRoot: '/space' })).text('fs_list', {})).toBe('[the directory is empty]')
    expect((await bench({ '/a': '' }).call('fs_list', { path: 'a' })).content).toContain('not a directory')
  })
})

describe('fs_glob and fs_grep', () => {
  const files = { '/a.md': 'x\nTODO one\ny\n', '/src/b.ts': 'todo two\n', '/src/c.ts': 'none' }

  it('finds files by pattern', async () => {
    const { text } = bench(files)
    expect(await text('fs_glob', { pattern: '**/*.ts' })).toBe('/src/b.ts\n/src/c.ts')
    expect(await text('fs_glob', { pattern: '*.rs' })).toBe('[no files match]')
    const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`/f${index}`, '']))
    expect(await bench(many).text('fs_glob', { pattern: '*' })).toMatch(/\n\[there are more: use a narrower pattern\]$/)
  })

  it('finds lines, with context and in part of the tree', async () => {
    const { text } = bench(files)
    expect(await text('fs_grep', { pattern: 'TODO' })).toBe('/a.md:2: TODO one')
    expect(await text('fs_grep', { pattern: 'todo', ignoreCase: true, context: 1 })).toBe(
      '/a.md-1- x\n/a.md:2: TODO one\n/a.md-3- y\n--\n/src/b.ts:1: todo two',
    )
    expect(await text('fs_grep', { pattern: 'todo', path: 'src', glob: '*.ts' })).toBe('/src/b.ts:1: todo two')
    expect(await text('fs_grep', { pattern: 'absent' })).toBe('[no matches in 3 files]')
    expect(await bench({ '/.env': 'TODO' }).text('fs_grep', { pattern: 'TODO' })).toBe('[no matches in 0 files]')
  })

  it('explains a pattern that cannot be used', async () => {
    expect(await bench(files).call('fs_grep', { pattern: '(?=x)' })).toMatchObject({
      ok: false,
      content: expect.stringContaining('look-around') as string,
      details: { code: 'expression-invalid' },
    })
    expect(await bench(files).call('fs_glob', { pattern: '{a' })).toMatchObject({
      ok: false,
      content: 'Cannot use the pattern: a "{" has no "}"',
    })
  })
})

describe('fs_exists', () => {
  it('tells what is there', async () => {
    const { text } = bench({ '/d/a': 'abc' })
    expect([
      await text('fs_exists', { path: 'd/a' }),
      await text('fs_exists', { path: 'd' }),
      await text('fs_exists', { path: 'x' }),
    ]).toEqual([{ exists: true, type: 'file', size: 3 }, { exists: true, type: 'dir', size: 0 }, { exists: false }])
  })
})

describe('the tools that write', () => {
  it('create and replace files, and keep the diff for people', async () => {
    const { fs, call } = bench({})
    expect(await call('fs_write', { path: 'd/a.txt', contents: 'one\n' })).toEqual({
      ok: true,
      content: 'Created "/d/a.txt" (4 characters)',
      details: { path: '/d/a.txt', diff: '--- /dev/null\n+++ b/d/a.txt\n@@ -0,0 +1 @@\n+one\n', added: 1, removed: 0 },
    })
    expect(await call('fs_write', { path: 'd/a.txt', contents: 'two\n' })).toMatchObject({
      content: 'Replaced "/d/a.txt" (4 characters)',
      details: { added: 1, removed: 1 },
    })
    expect(await readText(fs, '/d/a.txt')).toBe('two\n')
    expect((await call('fs_write', { path: 'd', contents: '' })).content).toContain('it is a directory')
  })

  it('replace a binary file, whose old content they do not show', async () => {
    const { fs, call } = bench({ '/bin': new Uint8Array([0, 1]) })
    expect(await call('fs_write', { path: '/bin', contents: 'text' })).toMatchObject({
      ok: true,
      details: { added: 1, removed: 0 },
    })
    expect(await readText(fs, '/bin')).toBe('text')
  })

  it('edit one place or all, and keep "\\r\\n"', async () => {
    const { fs, call } = bench({ '/a': 'x = 1\r\ny = 1\r\n' })
    expect(await call('fs_edit', { path: 'a', find: 'x = 1\n', replace: 'x = 2\n\n' })).toMatchObject({
      ok: true,
      content: 'Edited "/a"',
      details: { added: 2, removed: 1 },
    })
    expect(await readText(fs, '/a')).toBe('x = 2\r\n\r\ny = 1\r\n')
    expect((await call('fs_edit', { path: 'a', find: ' = ', replace: ': ' })).content).toContain(
      'is there 2 times (lines 1, 3)',
    )
    expect((await call('fs_edit', { path: 'a', find: ' = ', replace: ': ', all: true })).ok).toBe(true)
    expect((await call('fs_edit', { path: 'b', find: 'a', replace: 'b' })).content).toContain('no such file')
  })

  it('patch a file, or make one', async () => {
    const { fs, call } = bench({ '/a': '1\n2\n' })
    expect((await call('fs_patch', { path: 'a', patch: '@@ -1,2 +1,2 @@\n 1\n-2\n+two\n' })).ok).toBe(true)
    expect((await call('fs_patch', { path: 'new', patch: '@@ -0,0 +1 @@\n+fresh\n' })).ok).toBe(true)
    expect([await readText(fs, '/a'), await readText(fs, '/new')]).toEqual(['1\ntwo\n', 'fresh\n'])
    expect((await call('fs_patch', { path: 'a', patch: '@@ -1 +1 @@\n-x\n+y\n' })).content).toContain('hunk 1')
  })

  it('delete files, and full directories only when told to', async () => {
    const { fs, call } = bench({ '/d/a': '' })
    expect((await call('fs_delete', { path: 'd' })).content).toContain('not empty')
    expect((await call('fs_delete', { path: 'd', recursive: true })).ok).toBe(true)
    expect((await call('fs_delete', { path: '/', recursive: true })).content).toContain('the root stays')
    expect(await exists(fs, '/d')).toBe(false)
  })

  it('cut a diff that is too long for people', async () => {
    const { call } = bench({})
    const { details } = await call('fs_write', { path: 'a', contents: 'line\n'.repeat(50_000) })
    const { diff, added } = details as { diff: string; added: number }
    expect([diff.length < 21_000, added]).toEqual([true, 50_000])
  })
})

describe('approval', () => {
  it('is asked for every change, and for no look', async () => {
    const { asks, tools } = bench({ '/a': 'x' })
    expect(await asks('fs_write', { path: 'a', contents: '' })).toBe(true)
    expect(await asks('fs_delete', { path: 'none' })).toBe(true)
    expect(tools.filter(({ effect }) => effect === 'read').every(({ approval }) => approval === undefined)).toBe(true)
  })

  it('is not asked where the changes go to an overlay', async () => {
    const { asks } = bench(cow(memoryFiles({ files: { '/a': 'x' } })))
    expect(await asks('fs_edit', { path: 'a', find: 'x', replace: 'y' })).toBe(false)
  })

  it('is not asked for what the policy refuses anyway, and that stays refused', async () => {
    const { asks, call, preview } = bench(
      { '/space/.env': 'k', '/etc/x': '' },
      policy({ workspaceRoot: '/space', protectedPaths: ['.env'] }),
    )
    for (const path of ['.env', '/etc/x', '../etc/x']) {
      expect(await asks('fs_write', { path, contents: '' })).toBe(false)
      expect(await call('fs_write', { path, contents: '' })).toMatchObject({
        ok: false,
        details: { code: 'vfs-denied' },
      })
      expect((await preview('fs_delete', { path })).summary).toContain('this will fail')
    }
    expect(await asks('fs_write', { path: 'fine', contents: '' })).toBe(true)
  })

  it('shows what would change, or that it will fail', async () => {
    const { preview, fs } = bench({ '/a': 'one\n', '/d/b': '1', '/d/c': '2' })
    expect(await preview('fs_edit', { path: 'a', find: 'one', replace: 'two' })).toEqual({
      summary: 'Edit "a" (+1 -1 lines)',
      diff: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n',
    })
    expect((await preview('fs_write', { path: 'n', contents: 'x' })).summary).toBe(
      'Write "n", a new file (+1 -0 lines)',
    )
    expect((await preview('fs_edit', { path: 'a', find: 'none', replace: 'two' })).summary).toContain(
      'this will fail: Cannot edit "/a"',
    )
    expect((await preview('fs_delete', { path: 'd', recursive: true })).summary).toBe(
      'Delete "d", a directory with 2 files',
    )
    expect((await preview('fs_delete', { path: 'a' })).summary).toBe('Delete "a", a file of 4 bytes')
    expect(await readText(fs, '/a')).toBe('one\n')
  })
})

describe('a change that a person was shown', () => {
  const conflict = { ok: false, details: { code: 'vfs-conflict' } }
  const edit = { path: 'a', find: 'one', replace: 'two' }

  it('is not made when the file is another by then, and a new call sees it as it is', async () => {
    const { preview, call, fs } = bench({ '/a': 'one\n' })
    await preview('fs_edit', edit)
    await writeText(fs, '/a', 'secret\none\n')
    expect(await call('fs_edit', edit)).toMatchObject({
      ...conflict,
      content: expect.stringContaining('changed after a person was shown') as string,
    })
    expect(await readText(fs, '/a')).toBe('secret\none\n')
    await preview('fs_edit', edit, 'next')
    expect(await call('fs_edit', edit, { callId: 'next' })).toMatchObject({ ok: true })
  })

  it('is made when nothing changed, and by every tool that writes refused when something did', async () => {
    const calls: readonly (readonly [string, Json])[] = [
      ['fs_write', { path: 'a', contents: 'new' }],
      ['fs_edit', edit],
      ['fs_patch', { path: 'a', patch: '@@ -1 +1 @@\n-one\n+two\n' }],
      ['fs_delete', { path: 'a' }],
    ]
    for (const [name, input] of calls) {
      const same = bench({ '/a': 'one\n' })
      await same.preview(name, input)
      expect([name, (await same.call(name, input)).ok]).toEqual([name, true])
      const other = bench({ '/a': 'one\n' })
      await other.preview(name, input)
      await writeText(other.fs, '/a', 'one\n...\n')
      expect([name, await other.call(name, input)]).toMatchObject([name, conflict])
      expect(await readText(other.fs, '/a')).toBe('one\n...\n')
    }
  })

  it('is told from another by its content where files have no etag', async () => {
    const memory = memoryFiles({ files: { '/a': 'one\n' } })
    const fs: Vfs = {
      ...memory,
      capabilities: { ...memory.capabilities, cas: false },
      stat: async (path) => {
        const stat = await memory.stat(path)
        return stat && { ...stat, etag: undefined, mtime: 0 }
      },
    }
    const { preview, call } = bench(fs)
    await preview('fs_edit', edit)
    await writeText(memory, '/a', 'one!')
    expect(await call('fs_edit', edit)).toMatchObject(conflict)
    await writeText(memory, '/a', 'one\n')
    expect(await call('fs_edit', edit)).toMatchObject({ ok: true })
  })

  it('is refused for a file that has appeared or gone, and for one that could not be changed when it was shown', async () => {
    const { preview, call, fs } = bench({})
    const write = { path: 'a', contents: 'new' }
    await preview('fs_write', write)
    expect((await preview('fs_edit', edit, 'edit')).summary).toContain('this will fail')
    await preview('fs_delete', { path: 'a' }, 'delete')
    await writeText(fs, '/a', 'one')
    expect(await call('fs_write', write)).toMatchObject(conflict)
    expect(await call('fs_edit', edit, { callId: 'edit' })).toMatchObject(conflict)
    expect(await call('fs_delete', { path: 'a' }, { callId: 'delete' })).toMatchObject(conflict)
    expect(await readText(fs, '/a')).toBe('one')
  })

  it('includes all that lies in a directory to delete', async () => {
    const { preview, call, fs } = bench({ '/d/a': '1', '/d/b': '2' })
    const input = { path: 'd', recursive: true }
    await preview('fs_delete', input)
    await fs.rename('/d/a', '/d/c')
    expect(await call('fs_delete', input)).toMatchObject(conflict)
    await preview('fs_delete', input, 'next')
    expect(await call('fs_delete', input, { callId: 'next' })).toMatchObject({ ok: true })
  })

  it('binds its own call alone: not one that was never shown, one of another run, or one whose path a person edited', async () => {
    const { preview, call, fs } = bench({ '/a': 'one\n', '/b': 'one\n' })
    await preview('fs_edit', edit)
    await writeText(fs, '/a', 'one one\n')
    expect(await call('fs_edit', { ...edit, all: true }, { callId: 'never shown' })).toMatchObject({ ok: true })
    expect(await call('fs_edit', { ...edit, find: 'two', all: true, replace: 'one' }, { run: 'other' })).toMatchObject({
      ok: true,
    })
    expect(await call('fs_edit', { ...edit, path: 'b' })).toMatchObject({ ok: true })
  })

  it('is remembered for the last 1000 calls', async () => {
    const { preview, call, fs } = bench({ '/a': 'one\n' })
    for (let count = 0; count <= 1000; count += 1) await preview('fs_delete', { path: 'a' }, `call ${count}`)
    await writeText(fs, '/a', 'two')
    expect(await call('fs_delete', { path: 'a' }, { callId: 'call 1' })).toMatchObject(conflict)
    expect(await call('fs_delete', { path: 'a' }, { callId: 'call 0' })).toMatchObject({ ok: true })
  })
})

describe('a policy over the tools', () => {
  it('anchors relative paths at the workspace and hides what is protected', async () => {
    const limits = policy({ workspaceRoot: '/space', protectedPaths: ['secret*'] })
    const { text, call, fs } = bench({ '/space/a': 'TODO', '/space/secret.txt': 'TODO', '/other': 'TODO' }, limits)
    expect(await text('fs_list', {})).toBe('a')
    expect(await text('fs_glob', { pattern: '**/*' })).toBe('/space/a')
    expect(await text('fs_grep', { pattern: 'TODO' })).toBe('/space/a:1: TODO')
    expect((await call('fs_read', { path: '/other' })).content).toContain('it lies outside of "/space"')
    expect((await call('fs_grep', { pattern: 'x', path: '/' })).ok).toBe(false)
    await call('fs_write', { path: 'new', contents: 'x' })
    expect(await exists(fs, '/space/new')).toBe(true)
  })

  it('uses the workspace of files that came confined, without a policy of its own', async () => {
    const files = policy({ workspaceRoot: '/space' }).confineFiles(memoryFiles({ files: { '/space/a': 'hello' } }))
    expect(await bench(files).text('fs_read', { path: 'a' })).toBe('hello')
  })

  it('passes an abort on as it is', async () => {
    const fs = memoryFiles({ files: { '/a': 'x' } })
    const control = new AbortController()
    control.abort(new Error('stop'))
    const read = builtinTools({ env: { fs }, include: ['fs_read'] })[0]!
    await expect(
      Promise.resolve(read.execute!({ path: 'a' }, { fs, signal: control.signal } as ToolContext)),
    ).rejects.toThrow('stop')
  })
})
