import { describe, expect, it } from 'vitest'
import { markdown } from '../../element/markdown/block.ts'
import { parseInline, safeHref } from '../../element/markdown/inline.ts'
import type { Block } from '../../element/markdown/node.ts'

const blocks = (text: string): readonly Block[] => markdown(text).blocks.map(({ block }) => block)

describe('markdown()', () => {
  it('tells headings, paragraphs, rules and code apart', () => {
    expect(blocks('# Title\n\nwords\nmore\n\n---\n\n```ts\nlet a = 1\n\nlet b\n```')).toEqual([
      { type: 'heading', level: 1, inline: ['Title'] },
      { type: 'paragraph', inline: ['words', { type: 'break' }, 'more'] },
      { type: 'rule' },
      { type: 'code', language: 'ts', text: 'let a = 1\n\nlet b' },
    ])
  })

  it('keeps code that has no end yet as code', () => {
    expect(blocks('```\n# no heading')).toEqual([{ type: 'code', language: '', text: '# no heading' }])
  })

  it('closes a fence only by one at least as long', () => {
    expect(blocks('````\n```\n````')).toEqual([{ type: 'code', language: '', text: '```' }])
  })

  it('nests lists by their indent and reads task marks', () => {
    const [list] = blocks('- one\n  - inner\n- [x] two\n- [ ] three')
    expect(list).toEqual({
      type: 'list',
      start: undefined,
      items: [
        {
          blocks: [
            { type: 'paragraph', inline: ['one'] },
            { type: 'list', start: undefined, items: [{ blocks: [{ type: 'paragraph', inline: ['inner'] }] }] },
          ],
        },
        { checked: true, blocks: [{ type: 'paragraph', inline: ['two'] }] },
        { checked: false, blocks: [{ type: 'paragraph', inline: ['three'] }] },
      ],
    })
  })

  it('starts an ordered list at its own number and keeps it over blank lines', () => {
    const [list, ...rest] = blocks('3. three\n\n4. four')
    expect(list).toMatchObject({ type: 'list', start: 3, items: [{}, {}] })
    expect(rest).toEqual([])
  })

  it('reads tables with alignment; a short row has fewer cells', () => {
    const [table] = blocks('| a | b |\n|:--|--:|\n| 1 |\n| x \\| y | 2 |')
    expect(table).toEqual({
      type: 'table',
      align: ['left', 'right'],
      head: [['a'], ['b']],
      rows: [[['1']], [['x | y'], ['2']]],
    })
  })

  it('makes no more cells of a table than it has characters, and text of one with too many', () => {
    const head = `|${'a|'.repeat(49)}\n|${'-|'.repeat(49)}\n`
    const [table] = blocks(head + '|\n'.repeat(3000))
    expect(table).toMatchObject({ type: 'table' })
    const cells = table?.type === 'table' ? table.rows.reduce((sum, row) => sum + row.length, 0) : 0
    expect(cells).toBe(3000)
    const text = head + '|\n'.repeat(5000)
    expect(blocks(`${text}\nend`)).toEqual([
      { type: 'code', language: '', text: text.trimEnd() },
      { type: 'paragraph', inline: ['end'] },
    ])
  })

  it('begins another list where one gets too long, with the number that is next', () => {
    const text = Array.from({ length: 1201 }, (_, index) => `${index + 1}. x`).join('\n')
    const lists = blocks(text).map((block) => (block.type === 'list' ? [block.start, block.items.length] : []))
    expect(lists).toEqual([
      [1, 500],
      [501, 500],
      [1001, 201],
    ])
  })

  it('reads text with carriage returns', () => {
    expect(blocks('# Head\r\n\r\n```js\r\nx\r\n```\r\n').map(({ type }) => type)).toEqual(['heading', 'code'])
  })

  // Held against hanging only: a quadratic pass takes minutes for most of these, a linear one some milliseconds.
  it.each([
    '- a\n\n',
    '\n',
    '1. ',
    '> ',
    '- ',
    '  ',
    '# ',
    '`',
    '``` ',
    '~',
    '~\u2028',
    '|',
    '|-',
    '|-|\n',
    '*a_',
    '*',
    '_a_ ',
    '[',
    '[]',
    '[](',
    '![a](',
    '[a](b',
    '<http://',
    'http://%',
    'http://',
    '\\',
    '=',
    '-',
    'a\n',
    '\u2028',
  ])(
    'is linear in 200 kB of %j, alone and under a list item',
    (mark) => {
      const many = mark.repeat(200_000 / mark.length)
      const paragraphs = `${mark.repeat(19_000 / mark.length)}\n\n`.repeat(10)
      const ends = ['', '  b', '\n`x', '`']
      for (const text of [paragraphs, `- a\n${many}`, ...ends.map((end) => many + end), `~~~ ${many}\``])
        expect(markdown(`a\n\n${text}`).blocks[0]?.start).toBe(0)
    },
    20_000,
  )

  it('reads quotes as blocks of their own', () => {
    expect(blocks('> # in\n> words')).toEqual([
      {
        type: 'quote',
        blocks: [
          { type: 'heading', level: 1, inline: ['in'] },
          { type: 'paragraph', inline: ['words'] },
        ],
      },
    ])
  })

  it('keeps all blocks but the last when text grows', () => {
    const first = markdown('one\n\ntwo')
    const second = markdown('one\n\ntwo **three**', first)
    expect(second.blocks[0]).toBe(first.blocks[0])
    expect(second.blocks[1]?.block).toEqual({
      type: 'paragraph',
      inline: ['two ', { type: 'strong', children: ['three'] }],
    })
  })

  it('gives the same blocks however the text was cut', () => {
    const text = '# Head\n\nwords *here*\n\n- a\n- b\n\n```js\nx\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n> end'
    let grown = markdown('')
    for (let end = 1; end <= text.length; end++) grown = markdown(text.slice(0, end), grown)
    expect(grown.blocks).toEqual(markdown(text).blocks)
  })

  it('stops nesting at a bound', () => {
    let depth = 0
    let [inner] = blocks(`${'> '.repeat(500)}deep`)
    while (inner?.type === 'quote') {
      inner = inner.blocks[0]
      depth++
    }
    expect(depth).toBe(8)
  })
})

describe('parseInline()', () => {
  it('reads emphasis, code and deleted text', () => {
    expect(parseInline('**b *c* d** `e` ~~f~~')).toEqual([
      { type: 'strong', children: ['b ', { type: 'em', children: ['c'] }, ' d'] },
      ' ',
      { type: 'code', text: 'e' },
      ' ',
      { type: 'del', children: ['f'] },
    ])
  })

  it('leaves names with underscores and lone marks alone', () => {
    expect(parseInline('fs_read and fs_write, 2 * 3 * 4').join('')).toBe('fs_read and fs_write, 2 * 3 * 4')
  })

  it('keeps what an unclosed mark says', () => {
    expect(parseInline('**bold').join('')).toBe('**bold')
    expect(parseInline('`code').join('')).toBe('`code')
    expect(parseInline('[label').join('')).toBe('[label')
  })

  it('links only to http, https and mailto', () => {
    expect(parseInline('[a](https://x.test/p)')).toEqual([
      { type: 'link', href: 'https://x.test/p', isImage: false, children: ['a'] },
    ])
    for (const address of [
      'javascript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      ' javascript:x',
      '/relative',
      'file:///etc',
    ]) {
      expect(parseInline(`[a](${address})`)).toEqual(['a'])
    }
    expect(safeHref('JAVASCRIPT:alert(1)')).toBeUndefined()
    expect(safeHref('java\nscript:alert(1)')).toBeUndefined()
  })

  it.each(['http://x.test/', 'https://x.test/', 'mailto:a@x.test'])('lets %s through', (address) => {
    expect(safeHref(address)).toBe(address)
  })

  it('makes a remote image a link', () => {
    expect(parseInline('![cat](https://x.test/c.png)')).toEqual([
      { type: 'link', href: 'https://x.test/c.png', isImage: true, children: ['cat'] },
    ])
  })

  it('finds bare addresses without the full stop behind them', () => {
    expect(parseInline('see https://x.test/a.')).toEqual([
      'see ',
      { type: 'link', href: 'https://x.test/a', isImage: false, children: ['https://x.test/a'] },
      '.',
    ])
  })

  it('never gives HTML a meaning', () => {
    expect(parseInline('<img src=x onerror=alert(1)>').join('')).toBe('<img src=x onerror=alert(1)>')
  })

  it('stays linear on hostile text', () => {
    for (const text of [
      '['.repeat(20_000),
      '*a '.repeat(6600),
      '`'.repeat(20_000),
      '![]('.repeat(5000),
      '`a``b'.repeat(4000),
    ]) {
      expect(parseInline(text).length).toBeGreaterThan(0)
    }
  })
})
