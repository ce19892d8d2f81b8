import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/check-layers.mjs', import.meta.url))

const house = { layers: { low: 0, high: 1 }, tops: { src: 0, adapters: 1 }, packages: {} }

/** So many files of a module, beside those that a test is about. */
const filesOf = (module: string, count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`src/${module}/file-${at}.ts`, 'export const file = 1']))

/** What the check says of a tree with these files. */
function problemsOf(files: Readonly<Record<string, string>>, more: object = {}): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'sameloop-layers-'))
  try {
    for (const [path, text] of Object.entries({ 'layers.json': JSON.stringify({ ...house, ...more }), ...files })) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const { stderr, status } = spawnSync(process.execPath, [script, root], { encoding: 'utf8' })
    const lines = stderr.split('\n').filter((line) => line !== '')
    expect(status).toBe(lines.length === 0 ? 0 : 1)
    return lines
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

describe('the check of the layers', () => {
  it('takes imports of lower layers, and of folders of an adapter in one direction', () => {
    const files = {
      ...filesOf('low', 1),
      ...filesOf('high', 1),
      'src/low/a.ts': 'export const a = 1',
      'src/high/b.ts': "export { a } from '../low/a.ts'",
      'adapters/node/files/f.ts': "export { b } from '../builtin.ts'",
      'adapters/node/log/l.ts': "export { f } from '../files/f.ts'",
      'adapters/node/store/s.ts': "import { l } from '../log/l.ts'\nexport type { f } from '../files/f.ts'",
      'adapters/node/builtin.ts': "export { s } from './store/s.ts'",
    }
    expect(problemsOf(files)).toEqual([])
  })

  it('refuses a neighbour and a higher layer', () => {
    const files = {
      ...filesOf('low', 1),
      ...filesOf('high', 1),
      'src/low/a.ts': "export { b } from '../high/b.ts'",
      'src/high/b.ts': 'export const b = 1',
    }
    expect(problemsOf(files)).toEqual(['src/low/a.ts: layer 0 (low) imports layer 1 (high)'])
  })

  it('refuses folders of an adapter that import each other, also in a circle of three and by types', () => {
    const files = {
      'adapters/node/files/f.ts': "import { l } from '../log/l.ts'",
      'adapters/node/log/l.ts': "import { s } from '../store/s.ts'",
      'adapters/node/store/s.ts': "import type { f } from '../files/f.ts'",
    }
    expect(problemsOf(files)).toEqual([
      'adapters/node/files: imports its neighbours in a circle: adapters/node/files → adapters/node/log → adapters/node/store → adapters/node/files',
    ])
  })

  it('refuses a module of one file, and one of more than 8', () => {
    expect(problemsOf({ ...filesOf('low', 8), ...filesOf('high', 2) })).toEqual([])
    expect(problemsOf({ ...filesOf('low', 1), ...filesOf('high', 9) })).toEqual([
      'src/high: 9 files, of at most 8: split it, or grant it more in layers.json',
      'src/low: one file is no module',
    ])
  })

  it('lets collections have as many as they like, and others what they are granted, and no less', () => {
    const files = { collections: ['low'], more: { high: 10 } }
    const tree = (count: number) => problemsOf({ ...filesOf('low', 20), ...filesOf('high', count) }, { files })
    expect(tree(10)).toEqual([])
    expect(tree(11)).toEqual(['src/high: 11 files, of at most 10: split it, or grant it more in layers.json'])
    expect(tree(9)).toEqual(['src/high: layers.json grants it 10 files, and it has 9: write down what it has'])
  })
})
