// What a person is asked about a change, and the keys that answer.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { virtual } from '../../adapters/virtual/index.ts'
import { onKey } from '../../element/part/chat.tsx'
import type { ChatSession } from '../../element/session/session.ts'
import { diffRows } from '../../element/view/diff-rows.ts'
import { visibleText } from '../../element/view/visible.ts'
import { agent } from '../../src/index.ts'
import { scriptedModel } from '../../src/model/scripted-model.ts'
import { builtinTools } from '../../src/tools.ts'

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
    const end = 'rm -rf the tail that nobody saw'
    const long = diffRows((await asked('/run.sh', `${'harmless '.repeat(2600)}\n${end}\n`)).diff)
    expect(long.isCut).toBe(true)
    expect(long.rows.at(-1)?.text).toMatch(/^\[the diff is cut: 20000 of its \d+ characters are shown\]$/)
    expect(long.rows.at(-2)?.text).toMatch(/…$/)
    const short = diffRows((await asked('/run.sh', `${'harmless\n'.repeat(900)}${end}\n`)).diff)
    expect([short.isCut, short.rows.length + short.left]).toEqual([false, 901])
    expect(short.rest).toContain(end)
  })

  it('hides no marks that turn text around, as a name or a change could look like another', async () => {
    const { summary, diff } = await asked('/a\u202egpj.sh', 'if (admin) { \u202e } // \u2066 check\u200b\n')
    expect(visibleText(summary)).toContain('a⟨U+202E⟩gpj.sh')
    const shown = diffRows(diff).rows.map(({ text }) => visibleText(text))
    expect(shown).toEqual(['if (admin) { ⟨U+202E⟩ } // ⟨U+2066⟩ check⟨U+200B⟩'])
    expect(hidden.test(visibleText(summary))).toBe(false)
  })
})

describe('a key that answers a question', () => {
  beforeAll(() => {
    for (const name of ['HTMLTextAreaElement', 'HTMLInputElement', 'HTMLSelectElement']) vi.stubGlobal(name, Map)
    vi.stubGlobal('CSS', { escape: (text: string) => text })
  })
  afterAll(() => vi.unstubAllGlobals())

  const press = (more: object): readonly string[] => {
    const done: string[] = []
    const root = { querySelector: (selector: string) => ({ click: () => done.push(selector) }) }
    const event = { key: 'a', composedPath: () => [{}], preventDefault: () => undefined, ...more }
    onKey(event as never, { stop: () => done.push('stop') } as unknown as ChatSession, root as never)
    return done
  }

  it('counts when it is pressed, and only at a question that could be read', () => {
    expect(press({ repeat: false })).toEqual(['[data-calm] [data-question] [data-key="a"]'])
  })

  it.each(['a', 'Escape'])(
    '%s does not count while it is held down, as one press would answer all that follow',
    (key) => {
      expect(press({ key, repeat: true })).toEqual([])
    },
  )
})
