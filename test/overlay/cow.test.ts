import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSameloopError } from '../../src/error/error.ts'
import { cow, isOverlay } from '../../src/overlay/cow.ts'
import { answerOf, fileOperation, treeOf } from '../../src/testing/random/files.ts'
import { seeded } from '../../src/testing/random/prng.ts'
import { vfsError } from '../../src/vfs/error.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { readText, writeText } from '../../src/vfs/text.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { walk } from '../../src/vfs/walk.ts'
import { intercept } from '../../src/wrapper/intercept.ts'

async function contents(vfs: Vfs): Promise<Record<string, string>> {
  const all: Record<string, string> = {}
  for await (const { path, type } of walk(vfs, '/')) all[path] = type === 'dir' ? '/' : await readText(vfs, path)
  return all
}

const start = { '/a': '1', '/d/b': '2', '/d/e/c': '3', '/f/g': '4' }

describe('cow()', () => {
  it('leaves the files below as they are until a commit', async () => {
    const lower = memoryFiles({ files: start })
    const overlay = cow(lower)
    await writeText(overlay, '/a', 'changed')
    await overlay.rm('/d', { recursive: true })
    await writeText(overlay, '/new/file', 'n', { parents: true })
    expect(await contents(lower)).toEqual(await contents(memoryFiles({ files: start })))
    expect(await overlay.diff()).toEqual([
      { type: 'modify', path: '/a' },
      { type: 'delete', path: '/d/b' },
      { type: 'delete', path: '/d/e/c' },
      { type: 'add', path: '/new/file' },
    ])
    const seen = await contents(overlay)
    expect(await overlay.commit()).toHaveLength(4)
    expect(await contents(lower)).toEqual(seen)
    expect(await overlay.diff()).toEqual([])
  })

  it('forgets everything on discard', async () => {
    const lower = memoryFiles({ files: start })
    const overlay = cow(lower)
    await overlay.rename('/d', '/moved')
    await overlay.discard()
    expect(await contents(overlay)).toEqual(await contents(lower))
  })

  it('behaves like one file system for any sequence of operations, and commits to the same', async () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'd', 'e'), { minLength: 1, maxLength: 3 })
      .map((names) => `/${names.join('/')}`)
    const operation = fc.oneof(
      fc.record({
        kind: fc.constant('write' as const),
        path,
        text: fc.string({ maxLength: 3 }),
        parents: fc.boolean(),
        mode: fc.constantFrom('overwrite' as const, 'create' as const, 'append' as const),
      }),
      fc.record({ kind: fc.constant('mkdir' as const), path, recursive: fc.boolean() }),
      fc.record({ kind: fc.constant('rm' as const), path, recursive: fc.boolean(), force: fc.boolean() }),
      fc.record({ kind: fc.constant('rename' as const), path, to: path }),
      fc.record({ kind: fc.constant('commit' as const), path }),
    )
    const data = (text: string) => new TextEncoder().encode(text)
    const run = async (
      vfs: Vfs,
      step: typeof operation extends fc.Arbitrary<infer Step> ? Step : never,
    ): Promise<string> => {
      try {
        if (step.kind === 'write') await vfs.write(step.path, data(step.text), step)
        if (step.kind === 'mkdir') await vfs.mkdir(step.path, step)
        if (step.kind === 'rm') await vfs.rm(step.path, step)
        if (step.kind === 'rename') await vfs.rename(step.path, step.to)
        if (step.kind === 'commit' && isOverlay(vfs)) await vfs.commit()
        return 'done'
      } catch (error) {
        return isSameloopError(error) ? error.code : String(error)
      }
    }
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 14 }), async (steps) => {
        const model = memoryFiles({ files: { '/a/b': '1', '/d/e/a': '2', '/b': '3' } })
        const lower = memoryFiles({ files: { '/a/b': '1', '/d/e/a': '2', '/b': '3' } })
        const overlay = cow(lower)
        for (const step of steps) expect([step, await run(overlay, step)]).toEqual([step, await run(model, step)])
        expect(await contents(overlay)).toEqual(await contents(model))
        await overlay.commit()
        expect(await contents(lower)).toEqual(await contents(model))
      }),
      { numRuns: 400, seed: 11 },
    )
  })

  it('refuses to commit over a file that changed below, and writes nothing', async () => {
    const lower = memoryFiles({ files: start })
    const overlay = cow(lower)
    await writeText(overlay, '/a', 'mine')
    await writeText(overlay, '/f/g', 'mine')
    await writeText(lower, '/f/g', 'theirs')
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'vfs-conflict', data: { path: '/f/g' } })
    expect(await readText(lower, '/a')).toBe('1')
    expect(await readText(overlay, '/a')).toBe('mine')
  })

  it('refuses to commit a new file over one that appeared below', async () => {
    const lower = memoryFiles()
    const overlay = cow(lower)
    await writeText(overlay, '/x', 'mine')
    await writeText(lower, '/x', 'theirs')
    await expect(overlay.commit()).rejects.toMatchObject({ code: 'vfs-conflict' })
  })

  it('commits within a batch where the files below have one', async () => {
    const lower = memoryFiles()
    let batches = 0
    const overlay = cow({
      ...lower,
      batch: (work) => {
        batches += 1
        return work(lower)
      },
    })
    await writeText(overlay, '/x', '1')
    await overlay.commit()
    expect([batches, await readText(lower, '/x')]).toEqual([1, '1'])
  })

  it.each(Array.from({ length: 60 }, (_, seed) => seed))(
    'commits all or nothing where a write below fails, and all at the next try (seed %i)',
    async (seed) => {
      const random = seeded(seed)
      const below = memoryFiles({ files: { '/a': 'a', '/b/a': 'b', '/c/b/a': 'c', '/B': 'x' } })
      const before = await treeOf(below)
      let left = Infinity
      const failing = intercept(below, {
        around: async ({ writes, path }, go) => {
          if (writes && --left === 0) throw vfsError('ENOSPC', path)
          return go()
        },
      })
      const overlay = cow(failing)
      for (let count = 0; count < 12; count++) await answerOf(fileOperation(random), overlay)
      const wanted = await treeOf(overlay)
      left = random.int(1, 6)
      const fault: unknown = await overlay.commit().catch((thrown: unknown) => thrown)
      if (!Array.isArray(fault)) expect(fault).toMatchObject({ code: 'vfs-no-space' })
      expect(await treeOf(below)).toEqual(Array.isArray(fault) ? wanted : before)
      expect(await treeOf(overlay)).toEqual(wanted)
      left = Infinity
      await overlay.commit()
      expect(await treeOf(below)).toEqual(wanted)
    },
  )

  it('does not call a file changed that was written back as it was', async () => {
    const overlay = cow(memoryFiles({ files: start }))
    await writeText(overlay, '/a', 'x')
    await writeText(overlay, '/a', '1')
    expect(await overlay.diff()).toEqual([])
  })

  it('reports empty directories that come and go', async () => {
    const lower = memoryFiles()
    await lower.mkdir('/old')
    const overlay = cow(lower)
    await overlay.rm('/old')
    await overlay.mkdir('/young')
    expect(await overlay.diff()).toEqual([
      { type: 'delete', path: '/old' },
      { type: 'add', path: '/young' },
    ])
  })

  it('is known as an overlay, other files are not', () => {
    expect([isOverlay(cow(memoryFiles())), isOverlay(memoryFiles())]).toEqual([true, false])
  })
})
