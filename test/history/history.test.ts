import { describe, expect, it } from 'vitest'
import { agent } from '../../src/agent/agent.ts'
import { builtinTools } from '../../src/builtin/builtin.ts'
import { webHost } from '../../src/host/web-host.ts'
import { history } from '../../src/history/history.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { answerOf, fileOperation, treeOf } from '../../src/testing/random/files.ts'
import { seeded } from '../../src/testing/random/prng.ts'
import { vfsError } from '../../src/vfs/error.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { exists, readText, writeText } from '../../src/vfs/text.ts'

const start = { '/a.txt': 'a', '/d/b.txt': 'b', '/d/e/c.txt': 'c' }

describe('history()', () => {
  it('takes the last step back, and then the one before', async () => {
    const files = history(memoryFiles({ files: start }))
    files.mark('one')
    await writeText(files, '/a.txt', 'changed')
    await writeText(files, '/new/deep/x.txt', 'x', { parents: true })
    files.mark('two')
    await files.rm('/d', { recursive: true })
    await files.rename('/a.txt', '/d')
    expect(files.steps()).toEqual([
      { name: 'one', paths: ['/a.txt', '/new'] },
      { name: 'two', paths: ['/d', '/a.txt'] },
    ])
    await files.undo()
    expect(await readText(files, '/d/e/c.txt')).toBe('c')
    expect(await readText(files, '/a.txt')).toBe('changed')
    expect((await files.undo()).map(({ path }) => path)).toEqual(['/new', '/a.txt'])
    expect(await treeOf(files)).toEqual(await treeOf(memoryFiles({ files: start })))
    expect(await files.undo()).toEqual([])
  })

  it.each(Array.from({ length: 60 }, (_, seed) => seed))('takes back whatever happened (seed %i)', async (seed) => {
    const random = seeded(seed)
    const files = history(memoryFiles({ files: start }))
    const trees: unknown[] = []
    for (let step = 0; step < 4; step++) {
      trees.push(await treeOf(files))
      files.mark(`step ${step}`)
      for (let count = 0; count < 8; count++) await answerOf(fileOperation(random), files)
    }
    // A step in which nothing was changed is none.
    const names = files.steps().map(({ name }) => name)
    for (const name of names.reverse()) {
      await files.undo()
      expect(await treeOf(files)).toEqual(trees[Number(name.slice(5))])
    }
  })

  it('does not take back over what somebody else changed since', async () => {
    const below = memoryFiles({ files: start })
    const files = history(below)
    await writeText(files, '/a.txt', 'by the agent')
    await writeText(files, '/n.txt', 'by the agent')
    await writeText(below, '/a.txt', 'by a person')
    await expect(files.undo()).rejects.toMatchObject({ code: 'vfs-conflict', data: { path: '/a.txt' } })
    expect(await readText(files, '/a.txt')).toBe('by a person')
    expect(await exists(files, '/n.txt')).toBe(true)
  })

  it('takes a step back at the second try where the files failed at the first', async () => {
    const below = memoryFiles({ files: start })
    const before = await treeOf(below)
    let isFull = false
    const files = history({
      ...below,
      write: (path, ...rest) =>
        isFull && path === '/a.txt' ? Promise.reject(vfsError('ENOSPC', path)) : below.write(path, ...rest),
    })
    for (const path of ['/a.txt', '/d/b.txt', '/n.txt']) await writeText(files, path, 'by the agent')
    isFull = true
    await expect(files.undo()).rejects.toMatchObject({ code: 'vfs-no-space' })
    isFull = false
    await files.undo()
    expect(await treeOf(below)).toEqual(before)
  })

  it('forgets the oldest steps where there is too much to keep', async () => {
    const files = history(memoryFiles(), { maxBytes: 250, maxSteps: 10 })
    for (let step = 0; step < 5; step++) {
      files.mark(String(step))
      await writeText(files, '/x', String(step).repeat(100))
    }
    expect(files.steps().map(({ name }) => name)).toEqual(['3', '4'])
    const many = history(memoryFiles(), { maxSteps: 2 })
    for (const name of ['a', 'b', 'c']) {
      many.mark(name)
      await writeText(many, `/${name}`, name)
    }
    expect(many.steps().map(({ name }) => name)).toEqual(['b', 'c'])
  })

  it.each([{ maxSteps: 0 }, { maxSteps: NaN }, { maxBytes: -1 }])('refuses limits that keep nothing: %o', (options) => {
    expect(() => history(memoryFiles(), options)).toThrow(expect.objectContaining({ code: 'config-invalid' }))
  })

  it('takes back a directory whose entries come in pages', async () => {
    const below = memoryFiles({ files: start })
    const paged = { ...below, list: (path: string, options = {}) => below.list(path, { ...options, limit: 1 }) }
    const files = history(paged)
    await files.rm('/d', { recursive: true })
    await files.undo()
    expect(await treeOf(below)).toEqual(await treeOf(memoryFiles({ files: start })))
  })

  it('has a step for each step of an agent', async () => {
    const files = history(memoryFiles({ files: start }))
    const env = { host: webHost, fs: files }
    const write = (path: string) => ({ calls: [{ name: 'fs_write', input: { path, contents: path } }] })
    const assistant = agent({
      model: scriptedModel([write('one.txt'), write('two.txt'), 'done']),
      env,
      tools: builtinTools({ env }),
      approve: () => 'approve',
      hooks: files.hooks,
    })
    expect((await assistant.run('write').result).status).toBe('done')
    expect(files.steps().map(({ name }) => name)).toEqual(['step 1', 'step 2'])
    await files.undo()
    expect([await exists(files, '/one.txt'), await exists(files, '/two.txt')]).toEqual([true, false])
  })
})
