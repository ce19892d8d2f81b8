// What every file system must do, as plain functions: an adapter runs them in its own runtime, under any test runner.
import { isSameloopError } from '../../error/error.ts'
import type { Vfs } from '../../vfs/vfs.ts'
import { equal } from '../assertion.ts'
import type { ContractCase } from './case.ts'
import { encode, names, put, refuses, text } from './vfs-steps.ts'

/** What a file system may do without. */
type Ability = 'cas' | 'watch'

/**
 * The contract of the `Vfs` port. `make` gives a new, empty, writable file system for each case. Cases about what it
 * `lacks` are skipped; what is declared and what the capabilities say must be the same.
 */
export function vfsContract(make: () => Promise<Vfs>, lacks: readonly Ability[] = []): readonly ContractCase[] {
  const isDeclared: Case = {
    name: 'the capabilities say what is missing, as declared',
    check: async ({ capabilities, watch }) => {
      equal(lacks.includes('cas'), !capabilities.cas, 'whether "cas" is missing')
      equal(lacks.includes('watch'), !capabilities.watch || watch === undefined, 'whether "watch" is missing')
    },
  }
  return [isDeclared, ...cases].map(({ name, check, needs }) => ({
    name,
    skipped: needs !== undefined && lacks.includes(needs) ? `there is no "${needs}"` : undefined,
    run: async () => {
      const vfs = await make()
      try {
        await check(vfs)
      } finally {
        await vfs.dispose?.()
      }
    },
  }))
}

interface Case {
  readonly name: string
  readonly needs?: Ability
  check(vfs: Vfs): Promise<void>
}

const cases: readonly Case[] = [
  {
    name: 'the root is an empty directory at the start',
    check: async (vfs) => {
      equal((await vfs.stat('/'))?.type, 'dir', 'type of "/"')
      equal(await names(vfs, '/'), [], 'entries of "/"')
    },
  },
  {
    name: 'stat gives nothing where nothing is, and never throws for it',
    check: async (vfs) => {
      await put(vfs, '/file')
      equal(await vfs.stat('/none'), undefined, 'a missing file')
      equal(await vfs.stat('/none/deeper'), undefined, 'a missing directory')
      equal(await vfs.stat('/file/below'), undefined, 'below a file')
    },
  },
  {
    name: 'what is written is read back, byte for byte',
    check: async (vfs) => {
      const data = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) & 255)
      const stat = await vfs.write('/bytes', data)
      equal([stat.path, stat.type, stat.size], ['/bytes', 'file', data.length], 'the stat of the write')
      const read = await vfs.read('/bytes')
      if (read.length !== data.length || read.some((byte, index) => byte !== data[index]))
        throw new Error('the bytes differ')
      equal((await vfs.stat('/bytes'))?.size, data.length, 'the size')
    },
  },
  {
    name: 'an empty file is a file',
    check: async (vfs) => {
      await vfs.write('/empty', new Uint8Array())
      equal([(await vfs.stat('/empty'))?.size, (await vfs.read('/empty')).length], [0, 0], 'size and length')
    },
  },
  {
    name: 'bytes are copied on the way in and out',
    check: async (vfs) => {
      const data = encode('abc')
      await vfs.write('/copy', data)
      data[0] = 0
      const first = await vfs.read('/copy')
      first[1] = 0
      equal(await text(vfs, '/copy'), 'abc', 'the content after the caller changed both buffers')
    },
  },
  {
    name: 'what is no bytes is refused, and what was there stays',
    check: async (vfs) => {
      await vfs.write('/f', encode('old'))
      for (const wrong of ['new', [1, 2], new ArrayBuffer(2), undefined])
        await refuses(vfs.write('/f', wrong as unknown as Uint8Array), 'vfs-invalid', 'a write of no bytes')
      equal(await text(vfs, '/f'), 'old', 'the content')
    },
  },
  {
    name: 'a view into a larger buffer is written as the view alone',
    check: async (vfs) => {
      await vfs.write('/view', encode('0123456789').subarray(2, 5))
      equal(await text(vfs, '/view'), '234', 'the content')
    },
  },
  {
    name: 'a range is read, and cut at the end of the file',
    check: async (vfs) => {
      await put(vfs, '/range', '0123456789')
      const part = async (offset: number, length?: number) =>
        new TextDecoder().decode(await vfs.read('/range', { offset, length }))
      equal(
        [await part(2, 3), await part(8, 10), await part(7), await part(10), await part(99, 1)],
        ['234', '89', '789', '', ''],
        'the ranges',
      )
      for (const offset of [NaN, -1]) await refuses(part(offset), 'vfs-invalid', 'a range that cannot be')
    },
  },
  {
    name: 'reading or listing the wrong kind says so',
    check: async (vfs) => {
      await put(vfs, '/dir/file')
      await refuses(vfs.read('/none'), 'vfs-not-found', 'read of nothing')
      await refuses(vfs.read('/dir'), 'vfs-is-directory', 'read of a directory')
      await refuses(vfs.read('/dir/file/x'), ['vfs-not-found', 'vfs-not-directory'], 'read below a file')
      await refuses(vfs.list('/none'), 'vfs-not-found', 'list of nothing')
      await refuses(vfs.list('/dir/file'), 'vfs-not-directory', 'list of a file')
    },
  },
  {
    name: 'a write needs its directory unless parents is given',
    check: async (vfs) => {
      await refuses(vfs.write('/a/b/c', encode('x')), 'vfs-not-found', 'write without parents')
      equal(await vfs.stat('/a'), undefined, 'what a refused write left')
      await put(vfs, '/a/b/c', 'x')
      equal(await names(vfs, '/a'), ['b/'], 'the made directories')
      await refuses(put(vfs, '/a/b/c/d'), 'vfs-not-directory', 'write below a file')
      await refuses(put(vfs, '/a/b'), 'vfs-is-directory', 'write over a directory')
      await refuses(put(vfs, '/'), 'vfs-is-directory', 'write over the root')
    },
  },
  {
    name: 'mode create refuses what exists',
    check: async (vfs) => {
      await vfs.write('/new', encode('1'), { mode: 'create' })
      await refuses(vfs.write('/new', encode('2'), { mode: 'create' }), 'vfs-exists', 'the second create')
      equal(await text(vfs, '/new'), '1', 'the content')
    },
  },
  {
    name: 'mode append adds to the end and makes the file',
    check: async (vfs) => {
      for (const piece of ['a', 'bc', '', 'def']) await vfs.write('/log', encode(piece), { mode: 'append' })
      equal([await text(vfs, '/log'), (await vfs.stat('/log'))?.size], ['abcdef', 6], 'content and size')
      await vfs.write('/log', encode('z'))
      equal(await text(vfs, '/log'), 'z', 'the content after an overwrite')
    },
  },
  {
    name: 'the etag changes on every write, even of the same bytes',
    needs: 'cas',
    check: async (vfs) => {
      const seen = new Set<string | undefined>()
      for (const content of ['a', 'a', 'b']) seen.add((await put(vfs, '/tag', content)).etag)
      const appended = await vfs.write('/tag', encode('c'), { mode: 'append' })
      equal((await vfs.stat('/tag'))?.etag, appended.etag, 'the etag of stat and of write')
      equal(seen.add(appended.etag).size, 4, 'how many etags differ')
    },
  },
  {
    name: 'ifMatch writes only over what was read',
    needs: 'cas',
    check: async (vfs) => {
      const { etag } = await put(vfs, '/cas', '1')
      await vfs.write('/cas', encode('2'), { ifMatch: etag })
      await refuses(vfs.write('/cas', encode('3'), { ifMatch: etag }), 'vfs-conflict', 'a stale etag')
      await refuses(vfs.write('/none', encode('3'), { ifMatch: etag }), 'vfs-conflict', 'an etag of a missing file')
      equal(await text(vfs, '/cas'), '2', 'the content')
    },
  },
  {
    name: 'one of two racing writers with the same etag wins',
    needs: 'cas',
    check: async (vfs) => {
      const { etag } = await put(vfs, '/race', '0')
      const writes = ['1', '2'].map((content) =>
        vfs.write('/race', encode(content), { ifMatch: etag }).then(
          () => content,
          () => '',
        ),
      )
      const winners = (await Promise.all(writes)).filter((content) => content !== '')
      equal([winners.length, await text(vfs, '/race')], [1, winners[0]], 'winners and content')
    },
  },
  {
    name: 'mkdir makes one directory, or with recursive all that are missing',
    check: async (vfs) => {
      await vfs.mkdir('/one')
      await refuses(vfs.mkdir('/one'), 'vfs-exists', 'mkdir of what exists')
      await refuses(vfs.mkdir('/x/y'), 'vfs-not-found', 'mkdir without its parent')
      await vfs.mkdir('/x/y/z', { recursive: true })
      await vfs.mkdir('/x/y/z', { recursive: true })
      await vfs.mkdir('/', { recursive: true })
      equal([await names(vfs, '/'), await names(vfs, '/x/y')], [['one/', 'x/'], ['z/']], 'the directories')
      await put(vfs, '/file')
      await refuses(vfs.mkdir('/file', { recursive: true }), ['vfs-exists', 'vfs-not-directory'], 'mkdir over a file')
      await refuses(vfs.mkdir('/file/x', { recursive: true }), 'vfs-not-directory', 'mkdir below a file')
    },
  },
  {
    name: 'list is sorted by code unit, whatever the order of making',
    check: async (vfs) => {
      for (const name of ['b', 'a', 'Z', 'é', '10', '9', 'a-b', 'ａ', '𝒳']) await put(vfs, `/${name}`)
      await vfs.mkdir('/a.d')
      equal(await names(vfs, '/'), ['10', '9', 'Z', 'a', 'a-b', 'a.d/', 'b', 'é', '𝒳', 'ａ'], 'the names')
    },
  },
  {
    name: 'list pages with limit and cursor, without gaps and doubles',
    check: async (vfs) => {
      const wanted = Array.from({ length: 7 }, (_, index) => `f${index}`)
      for (const name of wanted) await put(vfs, `/d/${name}`)
      const got: string[] = []
      let cursor: string | undefined
      let pages = 0
      do {
        const page = await vfs.list('/d', cursor === undefined ? { limit: 3 } : { limit: 3, cursor })
        got.push(...page.entries.map((entry) => entry.name))
        cursor = page.cursor
      } while (cursor !== undefined && (pages += 1) < 10)
      equal([got, pages], [wanted, 2], 'names and further pages')
      for (const limit of [NaN, -1]) await refuses(vfs.list('/d', { limit }), 'vfs-invalid', 'no amount as limit')
    },
  },
  {
    name: 'names are kept as they are: spaces, dots, Unicode, backslash',
    check: async (vfs) => {
      const odd = [
        ' a b ',
        '...',
        '.hidden',
        '__proto__',
        'constructor',
        'e\u0301',
        'é',
        'x\\y',
        'ünï',
        '😀',
        '%2e%2e',
        'a:b',
        'a*?',
      ]
      for (const name of odd) await put(vfs, `/n/${name}`, name)
      equal(await names(vfs, '/n'), [...odd].sort(), 'the names')
      for (const name of odd) equal(await text(vfs, `/n/${name}`), name, `the content of ${JSON.stringify(name)}`)
    },
  },
  {
    name: '".." never leads out of the root',
    check: async (vfs) => {
      await put(vfs, '/kept', 'inside')
      const read = await text(vfs, '/../../kept').catch((error: unknown) =>
        isSameloopError(error, 'vfs-invalid') ? 'inside' : 'broken',
      )
      equal(read, 'inside', 'a path with ".." (normalised or vfs-invalid)')
      await refuses(vfs.write('/a\0b', encode('x')), 'vfs-invalid', 'a path with NUL')
    },
  },
  {
    name: 'rm removes a file, an empty directory, and with recursive a tree',
    check: async (vfs) => {
      for (const path of ['/f', '/d/x/y', '/d/z']) await put(vfs, path)
      await vfs.mkdir('/e')
      await vfs.rm('/f')
      await vfs.rm('/e')
      await refuses(vfs.rm('/d'), 'vfs-not-empty', 'rm of a full directory')
      equal(await names(vfs, '/d'), ['x/', 'z'], 'what a refused rm left')
      await vfs.rm('/d', { recursive: true })
      equal(await names(vfs, '/'), [], 'what is left')
      await put(vfs, '/d/new')
      equal(await names(vfs, '/d'), ['new'], 'a directory made again after its removal')
    },
  },
  {
    name: 'rm of nothing is an error unless forced, and the root stays',
    check: async (vfs) => {
      await refuses(vfs.rm('/none'), 'vfs-not-found', 'rm of nothing')
      await vfs.rm('/none', { force: true })
      await vfs.rm('/none/deeper', { force: true })
      await put(vfs, '/kept')
      await refuses(vfs.rm('/', { recursive: true, force: true }), 'vfs-denied', 'rm of the root')
      equal(await names(vfs, '/'), ['kept'], 'what is left')
    },
  },
  {
    name: 'rename moves a file and replaces a file',
    check: async (vfs) => {
      await put(vfs, '/a', '1')
      await put(vfs, '/b', '2')
      await vfs.rename('/a', '/b')
      equal([await names(vfs, '/'), await text(vfs, '/b')], [['b'], '1'], 'names and content')
      await vfs.rename('/b', '/b')
      equal(await text(vfs, '/b'), '1', 'the content after a rename onto itself')
    },
  },
  {
    name: 'rename changes the etag at its target',
    needs: 'cas',
    check: async (vfs) => {
      await put(vfs, '/a', '1')
      const old = await put(vfs, '/b', '2')
      await vfs.rename('/a', '/b')
      if ((await vfs.stat('/b'))?.etag === old.etag) throw new Error('the etag at the target did not change')
    },
  },
  {
    name: 'rename moves a directory with all below it',
    check: async (vfs) => {
      await put(vfs, '/d/x/y', 'deep')
      await put(vfs, '/d/z', 'flat')
      await vfs.mkdir('/to')
      await vfs.rename('/d', '/to/e')
      equal([await names(vfs, '/'), await names(vfs, '/to/e')], [['to/'], ['x/', 'z']], 'the names')
      equal(await text(vfs, '/to/e/x/y'), 'deep', 'the content')
      equal(await vfs.stat('/d/x/y'), undefined, 'the old place')
    },
  },
  {
    name: 'rename refuses what cannot be',
    check: async (vfs) => {
      await put(vfs, '/d/f')
      await put(vfs, '/full/f')
      await put(vfs, '/file')
      await refuses(vfs.rename('/none', '/x'), 'vfs-not-found', 'rename of nothing')
      await refuses(vfs.rename('/d', '/d/inside'), 'vfs-invalid', 'rename into itself')
      await refuses(vfs.rename('/file', '/none/x'), 'vfs-not-found', 'rename to a missing directory')
      await refuses(vfs.rename('/file', '/d'), 'vfs-is-directory', 'a file over a directory')
      await refuses(vfs.rename('/d', '/file'), 'vfs-not-directory', 'a directory over a file')
      await refuses(vfs.rename('/d', '/full'), 'vfs-not-empty', 'a directory over a full one')
      equal(await names(vfs, '/'), ['d/', 'file', 'full/'], 'what is left')
    },
  },
  {
    name: 'an aborted signal stops an operation with its own reason',
    check: async (vfs) => {
      const reason = new Error('enough')
      const control = new AbortController()
      control.abort(reason)
      const thrown: unknown = await vfs
        .write('/late', encode('x'), { signal: control.signal })
        .catch((error: unknown) => error)
      if (thrown !== reason) throw new Error('the reason of the abort did not come through')
      equal(await vfs.stat('/late'), undefined, 'what was written')
    },
  },
  {
    name: 'many operations at once do not disturb each other',
    check: async (vfs) => {
      const paths = Array.from({ length: 20 }, (_, index) => `/many/${index % 4}/${index}`)
      await Promise.all(paths.map((path) => put(vfs, path)))
      const read = await Promise.all(paths.map((path) => text(vfs, path)))
      equal(read, paths, 'the contents')
      equal(await names(vfs, '/many'), ['0/', '1/', '2/', '3/'], 'the directories')
    },
  },
  {
    name: 'watch tells of what happens below its prefix',
    needs: 'watch',
    check: async (vfs) => {
      const seen: string[] = []
      await vfs.mkdir('/w')
      const stop = vfs.watch!('/w', ({ type, path }) => void seen.push(`${type} ${path}`))
      await put(vfs, '/w/a', '1')
      await put(vfs, '/w/a', '2')
      await put(vfs, '/other', '3')
      await vfs.rm('/w/a')
      stop()
      await put(vfs, '/w/b', '4')
      equal(seen, ['add /w/a', 'modify /w/a', 'delete /w/a'], 'the changes')
    },
  },
]
