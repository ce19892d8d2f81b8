import { describe, expect, it } from 'vitest'
import { openText } from '../../src/utterance/open-text.ts'
import { fileTools, respond, user } from './kit.ts'

/** The longest text that is read. */
const most = 8_000
/** The slowest takes a tenth of a second; what is quadratic or worse over the whole text takes minutes. */
const hangMs = 3_000

const units = [
  ...[
    ' ',
    '\t',
    '\u00a0',
    '\u3000',
    ',',
    ', ',
    '"',
    "'",
    '`',
    '“',
    '" ',
    "a='",
    'a="',
    'a=b ',
    '; ',
    '. ',
    '. A',
    '!?',
  ],
  ...[
    'then ',
    ' then then',
    'and ',
    ', and ',
    'please ',
    'first ',
    'A ',
    'a ',
    'the ',
    'in ',
    'in the ',
    'of ',
    ' to ',
  ],
  ...['1', '1 ', '1+', '-1', '1.', '+', '-', '(', '((1', '1)', '*', '%', '1 percent of ', 'limit 1', '1 a to '],
  ...['/', '/ ', '//a', 'a/', './', 'a.b ', 'a.b,', 'read a.b, ', 'a.b and ', 'http://', '?*', 'a', '_', '=', '\\'],
  ...['é', '💥', '\ud800', '\ue000', 'é💥 \u3000', '$1', '$last ', '{"a":', '[[', '- [ ] ', 'title: ', 'called '],
  ...['search ', 'search for ', 'where is ', 'replace a with ', 'replace ', 'write to ', 'count a in ', 'how many '],
  ...['copy ', 'append a to ', 'md files ', 'it has ', 'are ', 'weather in A', 'convert 1 USD to '],
]

const filled = (head: string, unit: string, length: number): string =>
  (head + unit.repeat(Math.ceil(length / unit.length))).slice(0, length - 1) + 'x'

async function slowest(texts: readonly string[], ask: (text: string) => Promise<unknown>): Promise<number> {
  let longest = 0
  for (const text of texts) {
    const begun = performance.now()
    await ask(text)
    longest = Math.max(longest, performance.now() - begun)
  }
  return longest
}

describe('localPlanner() on hostile texts', () => {
  it.each(['', 'write ', 'count ', '/fs_write path=', '/fs_write {"path":"', 'write "a" to '])(
    'does not hang on 8,000 characters of one kind after "%s"',
    async (head) => {
      const texts = units.map((unit) => filled(head, unit, most))
      expect(await slowest(texts, (text) => respond([user(text)]))).toBeLessThan(hangMs)
    },
    300_000,
  )

  it.each(['', 'write ', 'search for ', 'count '])(
    'does not hang on 8 clauses as long as they are read after "%s"',
    async (head) => {
      const texts = units.map((unit) => `${filled(head, unit, 990).replaceAll('\n', ' ')}\n`.repeat(8))
      expect(await slowest(texts, (text) => respond([user(text)]))).toBeLessThan(hangMs)
    },
    300_000,
  )

  it('does not hang on results of 200,000 characters', async () => {
    const kinds = [' ', '\n', '\n[more than', '\n[', '1', '- ', '#', '# ', '{', '[', '[1,', '\u3000', '\ud800', '$1 ']
    const texts = kinds.map((unit) => filled('', unit, 200_000))
    for (const said of ['count the open tasks', 'count files', 'count a', 'summarise it', 'append "x" to a.md']) {
      const ask = (text: string): Promise<unknown> =>
        respond([user('before'), { role: 'assistant', content: [{ type: 'text', text }] }, user(said)])
      expect(await slowest(texts, ask)).toBeLessThan(hangMs)
    }
  }, 300_000)

  it('refuses what is too long instead of reading a part of it', async () => {
    const { text, calls } = await respond([user(`/fs_read path=a.md ${' '.repeat(most)}`.padEnd(most + 40, '.'))])
    expect(calls).toEqual([])
    expect(text).toContain('That is longer than 8000 characters')
    const open = await respond([user(`read a.md ${'very '.repeat(200)}`)])
    expect(open.calls).toEqual([])
    expect(open.text).toContain('longer than 1000 characters outside of quotes')
  })

  it('writes a long quoted text whole', async () => {
    const contents = `Two  spaces, then\tmore; and ${'x'.repeat(7_000)}`
    expect((await respond([user(`write "${contents}" to a.md`)])).calls).toEqual([
      { name: 'fs_write', input: { path: 'a.md', contents } },
    ])
  })

  it('puts earlier results in only up to a million characters', async () => {
    const earlier = [
      user('before'),
      { role: 'assistant' as const, content: [{ type: 'text' as const, text: 'y'.repeat(99_999) }] },
    ]
    const write = async (contents: string): Promise<string> => {
      const { calls, text } = await respond([...earlier, user(`/fs_write {"path":"a.md","contents":${contents}}`)])
      return calls.length > 0 ? `called with ${JSON.stringify(calls[0]?.input).length} characters` : text
    }
    expect(await write('"$last$last"')).toBe('called with 200027 characters')
    expect(await write(`"${'$last'.repeat(11)}"`)).toContain('or it is too long')
    expect(await write(`[${Array(11).fill('"$last"').join(',')}]`)).toContain('or it is too long')
  })

  it('takes JSON nested deeper than 500 for none', async () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
    const ask = (value: string): Promise<{ text: string; calls: readonly unknown[] }> =>
      respond([user(`/fs_read {"path":"a.md","more":${value}}`)])
    expect((await ask(nested(400))).calls).toHaveLength(1)
    expect((await ask(nested(2_000))).text).toContain('is no JSON object')
    const lister = {
      name: 'lister',
      description: 'Takes a list.',
      inputSchema: { type: 'object', properties: { list: { type: 'array' } }, required: ['list'] },
    }
    const input = async (list: string): Promise<unknown> =>
      (await respond([user(`/lister list=${list}`)], { tools: [lister] })).calls[0]?.input
    expect(await input('[[1]]')).toEqual({ list: [[1]] })
    expect(await input(nested(2_000))).toEqual({ list: nested(2_000) })
    const counted = async (text: string): Promise<string> =>
      (await respond([user('x'), { role: 'assistant', content: [{ type: 'text', text }] }, user('count files')])).text
    expect(await counted('[[],[]]')).toBe('Files: 2')
    expect(await counted(`[${nested(2_000)},[]]`)).toBe('Files: 1')
  })

  it('never shows half of a character where it cuts', async () => {
    const half = /[\ud800-\udbff](?![\udc00-\udfff])/
    for (const lead of ['', 'x']) {
      const long = lead + '💥'.repeat(300)
      for (const said of [long, `/fs_read path=${long}`, `read "${long}.md"`, `/fs_read path="$9 ${long}"`])
        expect((await respond([user(said)], { tools: fileTools })).text).not.toMatch(half)
      const shown = [
        user('x'),
        { role: 'assistant' as const, content: [{ type: 'text' as const, text: long.repeat(9) }] },
      ]
      expect((await respond([...shown, user('summarise it')])).text).not.toMatch(half)
    }
  })
})

describe('openText()', () => {
  it('takes quotes out, makes white space single, and gives both back', () => {
    expect(openText(`say  "a  b"\u00a0and 'c' don't “d”e \`f`)).toEqual({
      text: "say \ue000 and \ue001 don't \ue002e `f",
      quotes: ['"a  b"', "'c'", '“d”'],
    })
  })

  it('does not look again for what is not there', () => {
    const begun = performance.now()
    openText('“'.repeat(100_000))
    expect(performance.now() - begun).toBeLessThan(hangMs)
  })

  it('takes no typed mark for a quote, and at most 99 quotes', () => {
    expect(openText('\ue000 "a"')).toEqual({ text: '\ufffd \ue000', quotes: ['"a"'] })
    expect(openText('"a" '.repeat(120)).quotes).toHaveLength(99)
  })
})
