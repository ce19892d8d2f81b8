// The other ten kinds of pages: what is nested, broken, in other scripts, or hardly text at all.
import type { TestPage } from './pages.ts'

const deep: TestPage = {
  name: 'deep nesting',
  html: `<!doctype html><title>Deep</title><body><nav><a href=/>Back to the top</a></nav>${'<div><span>'.repeat(3000)}<p>At the bottom of six thousand elements there is a sentence that somebody may want to read.</p>${'</span></div>'.repeat(3000)}<p>And one more stands beside them, as if nothing had happened on the way down and up again.</p><footer>Deep footer text</footer>`,
  keep: ['At the bottom of six thousand elements', 'And one more stands beside them'],
  drop: ['Back to the top', 'Deep footer text'],
}

const rtl: TestPage = {
  name: 'right to left',
  html: `<!doctype html><html lang=ar dir=rtl><head><meta charset=utf-8><title>فتح المكتبة الجديدة</title></head><body><nav><ul><li><a href="/">الصفحة الرئيسية للموقع</a><li><a href="/s">أخبار الرياضة</a></ul></nav>
<article><h1>فتح المكتبة الجديدة</h1><p>فتحت المدينة يوم الأحد مكتبة جديدة تضم أكثر من مئة ألف كتاب، وفيها قاعة للأطفال وحديقة صغيرة للقراءة في الهواء الطلق.</p><p>وقالت المديرة إن الدخول مجاني لجميع السكان، وإن المكتبة تبقى مفتوحة حتى الساعة العاشرة مساء في أيام الأسبوع.</p></article><footer><p>جميع الحقوق محفوظة للناشر</p></footer></body></html>`,
  keep: ['فتحت المدينة يوم الأحد مكتبة جديدة', 'وقالت المديرة إن الدخول مجاني'],
  drop: ['الصفحة الرئيسية للموقع', 'أخبار الرياضة', 'جميع الحقوق محفوظة'],
}

const cjk: TestPage = {
  name: 'Chinese and Japanese',
  html: `<!doctype html><html lang=ja><head><meta charset=utf-8><title>小さな駅の話</title></head><body><div class="header-nav"><a href="/">トップへ戻る</a><a href="/l">記事の一覧</a></div><div class="entry"><h2>小さな駅の話</h2>
<p>海沿いの小さな駅には、一日に四本しか列車が来ない。それでも駅長は毎朝ホームを掃き、花に水をやる。</p><p>冬になると雪が線路を覆い、<ruby>除雪車<rp>(</rp><rt>じょせつしゃ</rt><rp>)</rp></ruby>が通るまで誰も来ない日もある。</p><p>這裡的站長說，他最喜歡的是第一班車到來之前的安靜，那時候只能聽見海的聲音。</p></div><div class="sidebar"><p>人気の記事ランキング</p></div><div class="copyright">無断転載を禁じます</div></body></html>`,
  keep: ['一日に四本しか列車が来ない', '除雪車が通るまで誰も来ない日もある', '他最喜歡的是第一班車到來之前的安靜'],
  drop: ['トップへ戻る', '記事の一覧', '人気の記事ランキング', '無断転載を禁じます'],
}

const broken: TestPage = {
  name: 'broken markup',
  html: `<title>Broken</title><body><div class=nav><a href=/>Start page link</a></div><div class=text><h1>A page that nobody closed</h1><p>The first paragraph has <b>bold and <i>italic</b> text that was closed in the wrong order, as it happens by hand.<p>The second one was never closed, and <a href="/x>has a link whose quote is missing</a> somewhere near the end.
<p class="a>It opens a quote " too, and goes on with another sentence that is long enough to count as one.</p></div></section></p>
<ul><li>First item of a list without an end<li>Second item of it<ul><li>An inner one</ul><p>After all of this a last paragraph stands outside of everything & ends with an entity &copy without a semicolon.<div class=footer>Footer of the broken page`,
  keep: [
    'A page that nobody closed',
    'text that was closed in the wrong order',
    'The second one was never closed',
    'First item of a list without an end',
    'An inner one',
    'a last paragraph stands outside of everything & ends with an entity ©',
  ],
  drop: ['Start page link', 'Footer of the broken page'],
}

const shell: TestPage = {
  name: 'shell of an app',
  html: `<!doctype html><html><head><title>Planner</title><script src="/app.js"></script></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script>window.__STATE__={"todo":["Buy milk and eggs"]}</script></body></html>`,
  keep: [],
  drop: ['Buy milk and eggs', 'window.__STATE__', 'You need to enable JavaScript'],
}

const lists: TestPage = {
  name: 'nested lists',
  html: `<!doctype html><title>Packing list</title><body><div class="top-menu menu"><a href=/>Trips home</a></div><main><h1>Packing list for the hut</h1><p>Everything goes into one bag of forty litres, or it stays at home; there is no second bag.</p>
<ul><li>Clothes<ul><li>Two shirts of wool</li><li>One pair of trousers<ul><li>with a belt that can be used as a strap</li></ul></li></ul></li><li>Kitchen<ol start="3"><li>Pot with a lid</li><li>Spoon of wood</li></ol></li><li><p>Matches in a jar</p><p>They must stay dry whatever happens.</p></li></ul></main><footer>Hut club members only</footer>`,
  keep: [
    'Everything goes into one bag of forty litres',
    'Two shirts of wool',
    'with a belt that can be used as a strap',
    '3. Pot with a lid',
    '4. Spoon of wood',
    'They must stay dry whatever happens',
  ],
  drop: ['Trips home', 'Hut club members only'],
}

const glossary: TestPage = {
  name: 'definition list',
  html: `<!doctype html><title>Glossary of sailing</title><body><div role="banner"><a href=/>Sail school</a></div><div id="main"><h1>Glossary of sailing</h1><dl><dt>Jib</dt><dd>The triangular sail in front of the mast, the first to be set and the last to be taken down.</dd><dt>Luff</dt><dd>The edge of a sail that meets the wind first.</dd><dd>To turn the bow towards the wind until the sails begin to flap.</dd><dt>Painter</dt><dd>A rope at the bow of a small boat, by which it is made fast to a quay or towed behind a ship.</dd></dl></div><div role="contentinfo">Sail school, Pier 4</div>`,
  keep: [
    'The triangular sail in front of the mast',
    'The edge of a sail that meets the wind first',
    'To turn the bow towards the wind',
    'A rope at the bow of a small boat',
  ],
  drop: ['Pier 4'],
}

const footnotes: TestPage = {
  name: 'essay with footnotes',
  html: `<!doctype html><title>On maps</title><body><header><a href=/>Essays by Tom Hale</a></header><main><article><h1>On maps</h1><p>Every map lies a little, because the earth is round and paper is not.<sup id="r1"><a href="#n1">1</a></sup> The honest ones say where.</p>
<p>A sailor wants straight lines for a steady course; a farmer wants fields of the right size.<sup id="r2"><a href="#n2">2</a></sup> No sheet can give both, and so there are two kinds of maps, and two kinds of trust in them.</p>
<hr><section class="notes"><ol><li id="n1">This was proved by Gauss in 1827, in Latin. <a href="#r1">↩</a></li><li id="n2">Equal areas and equal angles exclude each other on a plane. <a href="#r2">↩</a></li></ol></section></article></main><aside><p>Tom Hale lives by the sea and draws.</p></aside><footer>Essays by post, four times a year</footer>`,
  keep: [
    'Every map lies a little',
    'A sailor wants straight lines for a steady course',
    'and two kinds of trust in them',
    'This was proved by Gauss in 1827',
    'Equal areas and equal angles exclude each other',
  ],
  drop: ['Tom Hale lives by the sea', 'four times a year'],
}

const item = (name: string, price: string, say: string): string =>
  `<li class="card"><a href="/p/${name.replaceAll(' ', '-')}"><img src="/i/${price}.jpg" alt=""><h3>${name}</h3></a><p>${say}</p><span class="price">€ ${price}</span><button>Put into basket</button></li>`

const shop: TestPage = {
  name: 'shop listing',
  html: `<!doctype html><title>Lamps - Lumen</title><body><div class="promo-bar promo"><p>Free delivery this week only with the code LIGHT.</p></div><header><nav><a href="/lamps">Lamps of all kinds</a><a href="/bulbs">Bulbs and wires</a></nav></header><main><h1>Lamps</h1>
<form class="filters"><fieldset><legend>Colour of the shade</legend><select><option>Any colour you like</option></select></fieldset></form>
<ul class="grid">${item('Reading lamp Nora', '59.90', 'Bends where you want it and stays there.')}${item('Ceiling lamp Orbit', '129.00', 'A ring of glass with a warm light.')}${item('Desk lamp Clip', '24.50', 'Holds on to any table edge up to four centimetres.')}${item('Floor lamp Reed', '189.00', 'Tall, thin, and heavy at the foot.')}</ul>
<div class="pagination"><a href="?2">Show the next page of lamps</a></div></main><div class="recently sidebar"><h4>You looked at these</h4></div><footer>Lumen shop, terms of sale</footer>`,
  keep: [
    'Reading lamp Nora',
    'Bends where you want it',
    '59.90',
    'Ceiling lamp Orbit',
    'A ring of glass with a warm light',
    'Desk lamp Clip',
    'Holds on to any table edge',
    'Floor lamp Reed',
    '189.00',
  ],
  drop: ['Free delivery this week only', 'Bulbs and wires', 'Put into basket', 'Any colour you like', 'terms of sale'],
}

const landing: TestPage = {
  name: 'landing page',
  html: `<!doctype html><title>Ledger, books for small shops</title><body><header class="site-header"><a href=/>Ledger</a><nav><a href="/pricing">Pricing plans</a><a href="/signin">Sign in here</a></nav></header>
<section class="hero"><h1>Your books, done by dinner</h1><p>Ledger reads receipts from your phone, puts them into the right column and tells you in the evening what the day has brought.</p><a class="button" href="/try">Try it for free</a></section>
<section class="features"><div><h2>Made for one person</h2><p>No roles, no approvals, no meetings: it does what a careful friend would do for you on a Sunday afternoon.</p></div><div><h2>Works without a network</h2><p>Everything stays on your device and is sent to nobody; a copy goes to a drive that you choose.</p></div></section>
<section class="quotes"><blockquote><p>I have not owned a shoe box since March, and my accountant has begun to smile at me.</p><cite>Ines, flower shop</cite></blockquote></section>
<footer><ul><li><a href="/terms">Terms and conditions</a><li><a href="/jobs">Open positions</a></ul></footer><div class="cookie-notice">We use one cookie, and it is a small one.</div>`,
  keep: [
    'Your books, done by dinner',
    'Ledger reads receipts from your phone',
    'No roles, no approvals, no meetings',
    'Works without a network',
    'Everything stays on your device',
    'I have not owned a shoe box since March',
  ],
  drop: ['Pricing plans', 'Sign in here', 'Terms and conditions', 'Open positions', 'We use one cookie'],
}

export const morePages: readonly TestPage[] = [deep, rtl, cjk, broken, shell, lists, glossary, footnotes, shop, landing]
