// The page's own trust boundaries: what a model wrote, what a person is asked, and keys that approve.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { markdown } from '../../../element/markdown/block.ts'
import { onKey } from '../../../element/part/chat.tsx'
import type { ChatSession } from '../../../element/session/session.ts'
import { diffRows } from '../../../element/view/diff-rows.ts'
import { changePreview } from '../../../src/builtin/change.ts'

describe('Markdown of a model', () => {
  it('with many blank lines under a list item is parsed in linear time', () => {
    const begun = performance.now()
    markdown(`- a\n${'\n'.repeat(60_000)}  b`)
    // Measured: 43 s; a linear pass takes a few milliseconds.
    expect(performance.now() - begun).toBeLessThan(3000)
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

const preview = (before: string | undefined, after: string) =>
  changePreview('Write', '/run.sh', async () => ({ path: '/run.sh', before, after, etag: undefined }) as never)

describe('the question about a change', () => {
  it('shows all of what would be written, or says that it does not', async () => {
    const { diff = '' } = await preview(undefined, `${'harmless '.repeat(2600)}\nrm -rf the tail that nobody saw\n`)
    const { rows, left } = diffRows(diff)
    const shown = rows.map(({ text }) => text).join('\n')
    expect(shown.includes('the tail that nobody saw') || left > 0 || /cut/.test(shown)).toBe(true)
  })

  it('shows marks that turn text around or hide it, as a name or a change could look like another', async () => {
    const { summary } = await changePreview('Write', '/a\u202egpj.sh', async () => ({ path: '/x', after: 'x' }) as never)
    expect(summary).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/)
    const { diff = '' } = await preview('', 'if (admin) { \u202e } // \u2066 check\n')
    const shown = diffRows(diff).rows.map(({ text }) => text).join('\n')
    expect(shown).not.toMatch(/[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/)
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
