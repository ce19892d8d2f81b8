import { describe, expect, it } from 'vitest'
import { batched } from '../../src/history/batched.ts'
import { encodeIntent, readIntent } from '../../src/history/intent.ts'
import { cow } from '../../src/overlay/cow.ts'
import { answerOf, fileOperation, treeOf } from '../../src/testing/random/files.ts'
import { seeded } from '../../src/testing/random/prng.ts'
import { vfsContract } from '../../src/testing/contract/vfs.ts'
import { vfsSequences } from '../../src/testing/contract/vfs-sequences.ts'
import { vfsError } from '../../src/vfs/error.ts'
import { memoryFiles } from '../../src/vfs/memory.ts'
import { exists, readText, writeText } from '../../src/vfs/text.ts'
import type { Vfs } from '../../src/vfs/vfs.ts'
import { intercept } from '../../src/wrapper/intercept.ts'
import { holds } from '../contract-tests.ts'

const start = { '/a': 'a', '/d/b': 'b', '/d/e/c': 'c', '/B': 'x' }

/** Files that fail for good at write number `at`, before or after it happened, as a power cut would. */
function cutAt(files: Vfs, at: { left: number }, how: 'before' | 'after'): Vfs {
  const { batch: _, ...rest } = intercept(files, {
    around: async ({ writes }, go) => {
      if (!writes) return go()
      at.left--
      if (at.left < 0 || (at.left === 0 && how === 'before')) throw new Error('The power is gone')
      const result = await go()
      if (at.left === 0) throw new Error('The power is gone')
      return result
    },
  })
  return rest
}

const changing = async (files: Vfs): Promise<void> => {
  await files.rm('/d', { recursive: true })
  await writeText(files, '/d', 'now a file')
  await writeText(files, '/a', 'changed')
  await files.rename('/B', '/new')
  await files.mkdir('/empty/deep', { recursive: true })
}

describe('batched()', () => {
  describe('keeps to the contract', () => {
    const make = async (): Promise<Vfs> => batched(memoryFiles(), { intents: memoryFiles() })
    holds([...vfsContract(make), ...vfsSequences(make)])
  })

  it.each(['before', 'after'] as const)('is all or nothing at every write that is cut off %s it', async (how) => {
    const untouched = await treeOf(memoryFiles({ files: start }))
    const finished = memoryFiles({ files: start })
    await changing(finished)
    const wanted = await treeOf(finished)
    const seen = { untouched: 0, wanted: 0 }
    for (let at = 1; at < 40; at++) {
      const [files, intents] = [memoryFiles({ files: start }), memoryFiles()]
      const { batch: _, ...plain } = files
      const left = { left: at }
      const cut = batched(cutAt(plain, left, how), { intents: cutAt(intents, left, how) })
      const failed = await cut.batch!(changing).then(
        () => false,
        () => true,
      )
      // Another process finds what the first one left.
      const tree = JSON.stringify(await treeOf(batched(plain, { intents })))
      if (!failed) {
        expect(tree).toBe(JSON.stringify(wanted))
        return expect(seen).toEqual({ untouched: at - (how === 'before' ? 1 : 2), wanted: how === 'before' ? 0 : 1 })
      }
      expect([JSON.stringify(untouched), JSON.stringify(wanted)]).toContain(tree)
      seen[tree === JSON.stringify(wanted) ? 'wanted' : 'untouched']++
    }
    expect.fail('It never went through')
  })

  it.each(Array.from({ length: 30 }, (_, seed) => seed))(
    'an overlay commits into it whole or not at all, wherever it is cut off (seed %i)',
    async (seed) => {
      const random = seeded(seed)
      const operations = Array.from({ length: 10 }, () => fileOperation(random))
      const change = async (files: Vfs): Promise<void> => {
        for (const operation of operations) await answerOf(operation, files)
      }
      const finished = memoryFiles({ files: start })
      await change(finished)
      const allowed = [await treeOf(memoryFiles({ files: start })), await treeOf(finished)].map((tree) =>
        JSON.stringify(tree),
      )
      const [files, intents] = [memoryFiles({ files: start }), memoryFiles()]
      const { batch: _, ...plain } = files
      const left = { left: random.int(1, 8) }
      const overlay = cow(batched(cutAt(plain, left, 'after'), { intents: cutAt(intents, left, 'after') }))
      await change(overlay)
      await overlay.commit().catch(() => undefined)
      expect(allowed).toContain(JSON.stringify(await treeOf(batched(plain, { intents }))))
    },
  )

  it.each(['/fixed', '/B/fixed'])('with something that these files do not take changes nothing: %s', async (fixed) => {
    const below = memoryFiles({ files: { ...start, '/fixed': 'x' } })
    const before = await treeOf(below)
    const { batch: _, ...fixedAt } = intercept(below, {
      around: async ({ writes, path }, go) => {
        if (writes && path === fixed) throw vfsError('EACCES', path)
        return go()
      },
    })
    const intents = memoryFiles()
    const files = batched(fixedAt, { intents })
    const batch = files.batch!(async (inner) => {
      await changing(inner)
      await writeText(inner, fixed, 'y', { parents: true })
      await writeText(inner, '/z', 'z')
    })
    await expect(batch).rejects.toMatchObject({ code: 'vfs-denied', data: { path: fixed } })
    // Neither for this process nor for the next one anything is left over.
    for (const seen of [files, batched(fixedAt, { intents })]) expect(await treeOf(seen)).toEqual(before)
    await files.batch!(changing)
    expect(await readText(files, '/a')).toBe('changed')
  })

  it.each(Array.from({ length: 60 }, (_, seed) => seed))(
    'that fails has changed nothing, and can be tried again (seed %i)',
    async (seed) => {
      const random = seeded(seed)
      const operations = Array.from({ length: 12 }, () => fileOperation(random))
      const below = memoryFiles({ files: start })
      const finished = memoryFiles({ files: start })
      for (const operation of operations) await answerOf(operation, finished)
      const before = await treeOf(below)
      let left = Infinity
      const { batch: _, ...failing } = intercept(below, {
        around: async ({ writes, path }, go) => {
          if (writes && --left === 0) throw vfsError('ENOSPC', path)
          return go()
        },
      })
      const files = batched(failing, { intents: memoryFiles() })
      const changed = async () => {
        const overlay = cow(files)
        for (const operation of operations) await answerOf(operation, overlay)
        return overlay
      }
      const overlay = await changed()
      left = random.int(1, 6)
      const fault: unknown = await overlay.commit().catch((thrown: unknown) => thrown)
      if (!Array.isArray(fault)) {
        expect(fault).toMatchObject({ code: 'vfs-no-space' })
        expect(await treeOf(below)).toEqual(before)
      }
      left = Infinity
      if (!Array.isArray(fault)) await (await changed()).commit()
      expect(await treeOf(below)).toEqual(await treeOf(finished))
      if (Array.isArray(fault)) expect(await overlay.commit()).toEqual([])
    },
  )

  it('takes a batch back as far as it came, where what was there cannot be written any more', async () => {
    const below = memoryFiles({ files: { '/a': 'a', '/deep/fixed': 'x', '/deep/free': 'y' } })
    const before = await treeOf(below)
    const { batch: _, ...fixedAt } = intercept(below, {
      around: async ({ operation, writes, path }, go) => {
        if (operation === 'rm' && path === '/deep') {
          // As a disk does it: one after the other.
          await below.rm('/deep/free')
          throw vfsError('EACCES', path)
        }
        if (writes && path === '/deep/fixed') throw vfsError('EACCES', path)
        return go()
      },
    })
    const files = batched(fixedAt, { intents: memoryFiles() })
    const batch = files.batch!(async (inner) => {
      await writeText(inner, '/a', 'changed')
      await inner.rm('/deep', { recursive: true })
    })
    await expect(batch).rejects.toMatchObject({ code: 'vfs-denied' })
    expect(await treeOf(files)).toEqual(before)
  })

  it('says which file it was about where there is no room to begin, and has changed nothing', async () => {
    const files = batched(memoryFiles({ files: start }), { intents: memoryFiles({ maxBytes: 10 }) })
    const batch = files.batch!((inner) => writeText(inner, '/a', 'mine'))
    await expect(batch).rejects.toMatchObject({ code: 'vfs-no-space', data: { path: '/a' } })
    expect(await readText(files, '/a')).toBe('a')
  })

  it('refuses to replace more than it can hold', async () => {
    const below = memoryFiles({ files: { '/large': 'x' } })
    const files = batched(
      {
        ...below,
        stat: async (path) =>
          (await below.stat(path))?.type === 'file'
            ? { path, type: 'file', size: 2 ** 29, mtime: 0 }
            : below.stat(path),
        read: () => Promise.reject(new Error('Nobody reads it')),
      },
      { intents: memoryFiles() },
    )
    await expect(files.batch!((inner) => inner.rm('/large'))).rejects.toMatchObject({ code: 'vfs-too-large' })
    expect(await exists(below, '/large')).toBe(true)
  })

  it('refuses what it cannot read of what was begun, and touches nothing', async () => {
    const intents = memoryFiles({ files: { '/batch': '{"version":2}\n' } })
    const files = batched(memoryFiles({ files: start }), { intents })
    await expect(files.read('/a')).rejects.toMatchObject({ code: 'vfs-failed' })
  })

  describe('beside a write that takes its time', () => {
    /** Files whose write to `/a` waits until it may go on. */
    function slowed() {
      const below = memoryFiles({ files: start })
      let goOn = (): void => {}
      const held = new Promise<void>((resolve) => (goOn = resolve))
      const waiting: Vfs = {
        ...below,
        write: async (path, data, options) => {
          if (path === '/a' && data[0] === 't'.charCodeAt(0)) await held
          return below.write(path, data, options)
        },
      }
      return { files: batched(waiting, { intents: memoryFiles() }), goOn: () => goOn() }
    }
    const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

    it('a batch over the same file is a conflict, and what was written stays', async () => {
      const { files, goOn } = slowed()
      await files.stat('/a')
      const theirs = writeText(files, '/a', 'theirs')
      await later()
      const batch = files.batch!((inner) => writeText(inner, '/a', 'mine')).catch((error: unknown) => error)
      await later()
      goOn()
      await theirs
      expect(await batch).toMatchObject({ code: 'vfs-conflict' })
      expect(await readText(files, '/a')).toBe('theirs')
    })
  })

  it('refuses a batch whose files somebody else changed meanwhile', async () => {
    const below = memoryFiles({ files: start })
    const files = batched(below, { intents: memoryFiles() })
    const batch = files.batch!(async (inner) => {
      await writeText(inner, '/a', 'mine')
      await writeText(below, '/a', 'theirs')
    })
    await expect(batch).rejects.toMatchObject({ code: 'vfs-conflict' })
    expect(await readText(files, '/a')).toBe('theirs')
  })
})

describe('what is to be done, as bytes', () => {
  it('is read as it was written, and not at all where it is cut or forged', () => {
    const changes = [
      { type: 'delete', path: '/x' },
      { type: 'add', path: '/dir' },
      { type: 'modify', path: '/é\n', data: Uint8Array.of(10, 0, 255) },
      { type: 'modify', path: '/none', data: new Uint8Array() },
    ] as const
    const bytes = encodeIntent(changes)
    expect(readIntent(bytes)).toEqual(changes)
    for (let length = 0; length < bytes.length; length++) expect(readIntent(bytes.slice(0, length))).toBeUndefined()
    for (const forged of ['{"version":1,"changes":[["modify","/../x",0]]}', '{"version":1,"changes":[5]}', '[]'])
      expect(readIntent(new TextEncoder().encode(`${forged}\n`))).toBeUndefined()
  })
})
