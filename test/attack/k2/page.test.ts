// The page's own trust boundaries: what a model wrote, what a person is asked, and keys that approve.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { markdown } from '../../../element/markdown/block.ts'
import { onKey } from '../../../element/part/chat.tsx'
import type { ChatSession } from '../../../element/session/session.ts'
import { diffRows } from '../../../element/view/diff-rows.ts'
import { virtual } from '../../../adapters/virtual/index.ts'
import { agent } from '../../../src/index.ts'
import { scriptedModel } from '../../../src/model/scripted-model.ts'
import { builtinTools } from '../../../src/tools.ts'
import { treeRows } from '../../../web-demo/panel/tree-rows.ts'

describe('Markdown of a model', () => {
  it('with many blank lines under a list item is parsed in linear time', () => {
    const begun = performance.now()
    markdown(`- a\n${'\n'.repeat(20_000)}  b`)
    // Measured: 5 s (and 40 s for three times as many); a linear pass takes a few milliseconds.
    expect(performance.now() - begun).toBeLessThan(1000)
  }, 120_000)

  it('makes no more cells of a table than it has characters', () => {
    const text = `|${'a|'.repeat(49)}\n|${'-|'.repeat(49)}\n${'|\n'.repeat(5000)}`
    const cells = markdown(text).blocks.reduce(
      (sum, { block }) => sum + (block.type === 'table' ? block.rows.reduce((all, row) => all + row.length, 0) : 0),
      0,
    )
    expect(cells).toBeLessThanOrEqual(text.length)
  })
})

/** What a person is asked about this writing of a file. */
async function asked(path: string, contents: string): Promise<{ readonly summary: string; readonly diff: string }> {
  const env = virtual()
  const tools = builtinTools({ env })
  const model = scriptedModel([{ calls: [{ name: 'fs_write', input: { path, contents } }] }])
  const { pending } = await agent({ model, env, tools, approvalWaitMs: 0 }).run('go').result
  const { summary = '', diff = '' } = pending[0]?.preview ?? {}
  return { summary, diff }
}

const hidden = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/

describe('the question about a change', () => {
  it('shows all of what would be written, or says that it does not', async () => {
    const { diff } = await asked('/run.sh', `${'harmless '.repeat(2600)}\nrm -rf the tail that nobody saw\n`)
    const { rows, left } = diffRows(diff)
    const shown = rows.map(({ text }) => text).join('\n')
    expect(shown).toContain('harmless')
    expect(shown.includes('the tail that nobody saw') || left > 0 || /\bcut\b/.test(shown)).toBe(true)
  })

  it('shows marks that turn text around or hide it, as a name or a change could look like another', async () => {
    const { summary, diff } = await asked('/a\u202egpj.sh', 'if (admin) { \u202e } // \u2066 check\u200b\n')
    const shown = diffRows(diff).rows.map(({ text }) => text)
    expect(summary).toContain('gpj.sh')
    expect([summary, ...shown].filter((text) => hidden.test(text))).toEqual([])
  })
})

describe('a key that answers a question', () => {
  beforeAll(() => {
    for (const name of ['HTMLTextAreaElement', 'HTMLInputElement', 'HTMLSelectElement']) vi.stubGlobal(name, class {})
    vi.stubGlobal('CSS', { escape: (text: string) => text })
  })
  afterAll(() => vi.unstubAllGlobals())

  const press = (more: object): number => {
    let clicks = 0
    const root = { querySelector: () => ({ click: () => clicks++ }) }
    const event = { key: 'a', composedPath: () => [{}], preventDefault: () => undefined, ...more }
    onKey(event as never, { stop: () => undefined } as unknown as ChatSession, root as never)
    return clicks
  }

  it('counts when it is pressed', () => {
    expect(press({ repeat: false })).toBe(1)
  })

  it('does not count while it is held down, as one press would approve every question that follows', () => {
    expect(press({ repeat: true })).toBe(0)
  })
})

describe('the tree of files', () => {
  const file = (path: string, type: 'file' | 'dir' = 'file') => ({ path, type, size: 0, version: '' })
  const rowsOf = (path: string, type?: 'file' | 'dir') => treeRows([file(path, type)], new Map(), new Set())

  it('shows the deepest path that a model may write', () => {
    expect(rowsOf(`/${'a/'.repeat(2046)}b`)).toHaveLength(2047)
  })

  it('bears a path that is none, as a worker could name one', () => {
    for (const path of ['', '/', 'abc', '//']) expect(() => rowsOf(path, 'dir')).not.toThrow()
  })
})
