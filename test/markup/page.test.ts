import { describe, expect, it } from 'vitest'
import { mainBlocks } from '../../src/markup/article.ts'
import { joined } from '../../src/markup/block.ts'
import { pageReader } from '../../src/markup/page.ts'
import { seeded } from '../../src/testing/random/prng.ts'
import { pages } from './pages.ts'

interface Way {
  readonly plain?: boolean
  /** Characters that come at once. */
  readonly piece?: number
  readonly maxChars?: number
}

function read(html: string, { piece = html.length || 1, ...kind }: Way = {}) {
  const reader = pageReader({ url: 'https://site.example/a/b', ...kind })
  for (let at = 0; at < html.length; at += piece) if (!reader.write(html.slice(at, at + piece))) break
  return reader.end()
}

const markdown = (html: string, way?: Way): string => joined(read(html, way).blocks)

describe('pageReader()', () => {
  it.each([
    ['headings', '<h1>One</h1><h3>Two <i>too</i></h3>', '# One\n\n### Two *too*'],
    ['paragraphs without end', '<p>One<p>Two', 'One\n\nTwo'],
    ['text outside of anything', 'One<div>Two</div>Three', 'One\n\nTwo\n\nThree'],
    ['white space', '<p>  One \n\t two  <b> three </b>\n four</p>', 'One two **three** four'],
    ['line breaks', '<p>One<br>two <br/> three<br>', 'One\ntwo\nthree'],
    ['emphasis', '<b>a</b> <em>b</em> <del>c</del> <strong><b>d</b></strong> <i></i>', '**a** *b* ~~c~~ **d**'],
    ['emphasis across blocks', '<b><p>One<p>Two</p></b> three', '**One**\n\n**Two**\n\nthree'],
    ['code', '<code>a</code> <code>b`c</code> <code><b>d</b></code>', '`a` `` b`c `` `d`'],
    ['powers and footnotes', 'x<sup>2</sup> said<sup><a href="#n">[1]</a></sup>', 'x^2 said[1]'],
    ['quotations', '<blockquote><p>One<p>Two</blockquote>', '> One\n\n> Two'],
    ['a rule', 'One<hr>Two', 'One\n\n---\n\nTwo'],
    ['definitions', '<dl><dt>T<dd>One<dd>Two</dl>', 'T\n: One\n: Two'],
    ['details', '<details><summary>More</summary>Text</details>', '**More**\n\nText'],
    ['entities', '&lt;p&gt; &amp; &copy; &#8364; &nosuch; AT&T', '<p> & © € &nosuch; AT&T'],
    ['ruby', '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字', '漢字'],
    [
      'what would begin a block',
      '<p># not a heading</p><p>> no quotation</p>',
      '\\# not a heading\n\n\\> no quotation',
    ],
  ])('writes %s', (_, html, text) => {
    expect(markdown(html)).toBe(text)
  })

  it('makes links absolute, by the base where there is one, and drops what leads nowhere', () => {
    expect(markdown('<a href="c?d=1#e">x</a> <a href="//other.example/(f)">y</a>')).toBe(
      '[x](https://site.example/a/c?d=1#e) [y](https://other.example/%28f%29)',
    )
    expect(markdown('<base href="/docs/"><a href="c">x</a>')).toBe('[x](https://site.example/docs/c)')
    const bad = ['#part', 'javascript:alert(1)', 'data:text/html,x', 'http://[', '', 'x'.repeat(2000)]
    for (const href of bad) expect(markdown(`<a href="${href}">x</a>`)).toBe('x')
    expect(markdown('<a href="/x"></a>y<a>z</a>')).toBe('yz')
  })

  it('writes a link around blocks into each of them', () => {
    expect(markdown('<a href="/x"><h2>Title</h2><p>Text</p></a>')).toBe(
      '## [Title](https://site.example/x)\n\n[Text](https://site.example/x)',
    )
  })

  it('writes images that say something', () => {
    expect(markdown('<img src=a.png alt="A [red] kite"> <img src=b.png> <img src="data:x" alt=dot>')).toBe(
      '![A red kite](https://site.example/a/a.png) ![dot]',
    )
  })

  it('nests lists, numbers them from where they start, and keeps paragraphs in their item', () => {
    const html = '<ul><li>a<ol start=3><li>b<li><p>c<p>d</ol><li>e</ul><ol><li>f</ol>'
    expect(markdown(html)).toBe('- a\n  3. b\n  4. c\n\n     d\n- e\n\n1. f')
  })

  it('keeps code as it is, with its language and a longer fence where it needs one', () => {
    const html = '<pre><code class="hljs language-ts">\nif (a &lt; b) {\n  <span>c</span>()\n}\n</code></pre>'
    expect(markdown(html)).toBe('```ts\nif (a < b) {\n  c()\n}\n```')
    expect(markdown('<pre>```\nx\n```</pre>')).toBe('````\n```\nx\n```\n````')
    expect(markdown('<pre><div>a</div><div>b</div></pre>')).toBe('```\na\nb\n```')
  })

  it('writes tables with alignment, escaped pipes and spans, and takes apart those that only arrange', () => {
    const html =
      '<table><caption>C</caption><tr><th align=right>A|B<th style="text-align:center">D<tr><td>1<td>2<tr><td colspan=2><b>3</b></table>'
    expect(markdown(html)).toBe('C\n\n| A\\|B | D |\n| ---: | :---: |\n| 1 | 2 |\n| **3** |  |')
    expect(markdown('<table><tr><td><p>One<p>Two</table>')).toBe('One\n\nTwo')
    expect(markdown('<table><tr><td>a<td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>')).toBe(
      'a\n\n| 1 | 2 |\n| --- | --- |\n| 3 | 4 |',
    )
  })

  it('gives title and author, from their own places alone', () => {
    const html =
      '<title>A &amp;\n B</title><meta name=author content=Ann><svg><title>no</title></svg><title>no</title>x'
    expect(read(html)).toMatchObject({ title: 'A & B', author: 'Ann' })
    expect(markdown(html)).toBe('x')
  })

  it('leaves out scripts, styles, forms and what is not shown', () => {
    const html =
      '<script>a<p>b</script><style>c</style><template>d</template><button>e</button><select><option>f</select><textarea>g</textarea>' +
      '<p hidden>h</p><div style="color:red;display:none">i<p>j</p></div><svg><text>k</text></svg><svg/><!-- l --><p>seen'
    expect(markdown(html)).toBe('seen')
  })

  it('shows what is hidden on small screens only', () => {
    expect(
      markdown('<div class="hidden md:block">a</div><div class="d-none d-md-block">b</div><div class=hidden>c</div>'),
    ).toBe('a\n\nb')
  })

  it('takes out characters that nobody sees', () => {
    expect(markdown('a\u200bb\u202ec\u{e0041}\u{e0042}d\u2066e\u00adf')).toBe('abcdef')
    // Joiners make letters and signs of others.
    expect(markdown('می\u200cخواهم 👩\u200d🚀')).toBe('می\u200cخواهم 👩\u200d🚀')
  })

  it('writes plain text without any signs', () => {
    const html =
      '<h1>One</h1><p><b>bold</b> <a href=x>link</a><ul><li>a</ul><pre>c</pre><blockquote>q</blockquote><img alt=i src=s>'
    expect(markdown(html, { plain: true })).toBe('One\n\nbold link\n\n- a\n\nc\n\nq')
  })

  it('reads the same however the page is cut into pieces', () => {
    for (const { html } of pages.filter((page) => page.html.length < 20_000)) {
      const whole = read(html)
      for (const piece of [1, 2, 7, 1000]) expect(read(html, { piece })).toEqual(whole)
    }
  })

  it('reads any soup of tags, the same however it is cut', () => {
    const { pick } = seeded(7)
    const tags =
      'div p table tr td th tbody caption ul ol li dl dd a b i code pre h1 blockquote svg math script title head'
        .concat(
          ' html main article nav span br hr img button select option textarea summary template ruby rt q sup base',
        )
        .split(' ')
    const attributes = ['', ' hidden', ' href=x', ' colspan=3', ' class=sidebar', ' role=main', ' start=5', ' x="', '/']
    const texts = ['text ', 'a longer text, with words. ', '&amp;', '&', '<', '|', '\n', '`', '😀', '\u{e0041}', '漢字']
    for (let count = 0; count < 500; count++) {
      const parts = Array.from({ length: 40 }, () =>
        pick([() => `<${pick(tags)}${pick(attributes)}>`, () => `</${pick(tags)}>`, () => pick(texts)])(),
      )
      const html = parts.join('')
      const whole = read(html)
      expect(
        whole.blocks.every(({ text, container }) => text.trim() !== '' && container < whole.containers.length),
      ).toBe(true)
      for (const piece of [1, 5]) expect([html, read(html, { piece })]).toEqual([html, whole])
    }
  })

  it('stops when it holds as much as it may, and says so', () => {
    const reader = pageReader({ url: 'https://site.example/', maxChars: 1000 })
    let count = 0
    while (count < 1000 && reader.write('<p>Fifty characters or so of a text that goes on. ')) count++
    expect(count).toBeLessThan(30)
    expect(reader.end().isCut).toBe(true)
    expect(read('<p>x').isCut).toBe(false)
  })
})

describe('pageReader() and hostile pages', () => {
  const many = (text: string, megabytes: number): string => text.repeat(Math.ceil((megabytes * 2 ** 20) / text.length))
  // What grew with the square of the nesting would take hours for these, not seconds.
  it.each([
    ['elements that never end', many('<b>', 0.4)],
    ['blocks that never end', many('<div>x', 0.4)],
    ['end tags of nothing in deep nesting', '<div>'.repeat(19_000) + many('</b></p></span>', 0.4)],
    ['items in deep nesting', `<ul>${'<div>'.repeat(19_000)}${many('<li>', 0.4)}`],
    ['tables in tables', many('<table><tr><td>x', 0.4)],
    ['lists in lists', many('<ul><li>x', 0.4)],
    ['quotations in quotations', many('<blockquote>x', 0.4)],
    ['cells without end', `<table><tr>${many('<td>x', 0.4)}`],
    ['links in one paragraph', many('<a href=x>y', 0.4)],
    ['marks in one paragraph', many('<b>x</b> `<code>`</code>', 0.4)],
    ['an attribute without end', `<p class="${many('ad ', 0.4)}`],
    ['attributes without end', `<p ${many('a=1 ', 0.4)}>x`],
    ['a comment without end', `<!--${many('-', 0.4)}`],
    ['broken entities', many('&aaaa', 0.4)],
    ['fifty megabytes of text', many('word ', 50)],
  ])(
    'end in time, and hold no more than they may, with %s',
    (_, html) => {
      const page = read(html, { piece: 65_536 })
      const text = joined(mainBlocks(page))
      expect(page.blocks.length).toBeLessThan(120_000)
      expect(text.length).toBeLessThan(16 * 2 ** 20)
    },
    120_000,
  )

  it('let no nesting make many of a few characters', () => {
    const lines = `${'<ol start=999999999999><li>'.repeat(12)}<pre>${'\n'.repeat(300_000)}x`
    expect(markdown(lines).length).toBeLessThan(400_000)
    const row = `<table><tr>${'<td>x'.repeat(60)}${'<tr><td>x'.repeat(20_000)}`
    expect(markdown(row).length).toBeLessThan(8_000_000)
  })

  it('hold no more than they may where all comes in one piece', () => {
    const page = read(many('<li>x', 1))
    expect(page.isCut).toBe(true)
    expect(page.blocks.length).toBeLessThan(60_000)
  })

  it('let no base make long links of short ones', () => {
    const base = `<base href="https://site.example/${'x'.repeat(7000)}/">`
    expect(markdown(base + '<a href=y>z</a>'.repeat(1000))).toBe('z'.repeat(1000))
  })
})
