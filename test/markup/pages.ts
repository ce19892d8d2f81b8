// Pages of twenty kinds, with the sentences a reader comes for and those that only surround them. All are made up.
import { morePages } from './more-pages.ts'

export interface TestPage {
  readonly name: string
  readonly html: string
  /** What the main part must hold. */
  readonly keep: readonly string[]
  /** What it should be without. */
  readonly drop: readonly string[]
}

const news: TestPage = {
  name: 'news article',
  html: `<!doctype html><html lang=en><head><title>Harbour bridge closes for a month | The Coast Herald</title>
<script>var ads = ['Buy now']</script><style>.x{color:red}</style></head><body class="has-sidebar modal-open">
<div class="cookie-banner" role="dialog"><p>We and our 412 partners store cookies on your device to show you adverts.</p><button>Accept all</button></div>
<header class="masthead"><a href="/">The Coast Herald</a><nav><ul><li><a href="/news">News</a><li><a href="/sport">Sport results tonight</a><li><a href="/weather">Weather</a></ul></nav></header>
<main><article><header><h1>Harbour bridge closes for a month</h1><p class="byline">By <a href="/ann">Ann Mirel</a>, 3 May</p></header>
<p>The old harbour bridge will be shut to all traffic from Monday while divers replace two of its seven piers, the city said.</p>
<p>Engineers found cracks as wide as a thumb during an inspection in March, and lorries have been turned away since then.</p>
<aside class="related"><h3>Related stories</h3><ul><li><a href="/a">Ferry prices to rise in summer</a><li><a href="/b">Why the tunnel was never built</a></ul></aside>
<blockquote><p>We would rather close it for a month now than for a year later, said the head of the roads office.</p></blockquote>
<div class="ad-slot"><p>Sponsored: lower your car insurance in three clicks.</p></div>
<p>Buses will take the northern ring road, which adds about twelve minutes to the journey from the station to the fish market.</p>
<h2>What it costs</h2><p>The work is expected to cost four million, half of it paid by the region and half by the toll that was introduced in 2019.</p>
<div class="share-buttons"><a href="x">Share this on Chirper</a> <a href="y">Send by mail</a></div></article>
<section class="newsletter-signup"><h2>Never miss a story</h2><p>Subscribe to our morning letter and read the news before breakfast.</p><form><input type=email><button>Sign me up</button></form></section></main>
<aside class="sidebar"><h3>Most read</h3><ol><li><a href="/1">Dog returns after nine years</a><li><a href="/2">Ten beaches without crowds</a></ol></aside>
<footer><p>Copyright The Coast Herald. All rights are reserved by the publisher.</p></footer></body></html>`,
  keep: [
    'Harbour bridge closes for a month',
    'The old harbour bridge will be shut to all traffic from Monday',
    'Engineers found cracks as wide as a thumb',
    'We would rather close it for a month now',
    'Buses will take the northern ring road',
    'What it costs',
    'half by the toll that was introduced in 2019',
  ],
  drop: [
    'store cookies on your device',
    'Sport results tonight',
    'Ferry prices to rise in summer',
    'lower your car insurance',
    'Share this on Chirper',
    'Subscribe to our morning letter',
    'Dog returns after nine years',
    'All rights are reserved',
  ],
}

const docs: TestPage = {
  name: 'documentation with code',
  html: `<!doctype html><title>Streams - Quill manual</title><body><div id="__root"><div class="navbar"><a href="/">Quill</a><a href="/docs">All manuals</a></div>
<div class="layout"><div class="sidebar-left"><ul><li><a href="/install">Installing Quill</a><li><a href="/run">Running a quill</a><li><a href="/err">Reading errors</a></ul></div>
<div class="content markdown-body"><h1>Streams</h1><p>A stream gives values one after another, and you decide how fast they come by asking for the next one.</p>
<pre><code class="language-ts">import { stream } from 'quill'

for (const value of stream([1, 2, 3])) {
  console.log(value &lt; 2)
}
</code></pre><div class="note"><p>A stream that nobody reads does no work, and holds no more than one value at a time in memory.</p></div>
<h2 id="buffer">Buffers</h2><p>Use <code>buffer(size)</code> where the source is faster than you are; it drops the oldest value when it is full.</p>
<table><thead><tr><th>Option</th><th>Default</th><th>Meaning</th></tr></thead><tbody><tr><td><code>size</code></td><td>16</td><td>How many values wait</td></tr><tr><td><code>drop</code></td><td>oldest</td><td>Which one goes when it is full</td></tr></tbody></table>
<h2>Errors</h2><p>An error ends the stream. What came before it stays yours, and <em>nothing</em> is thrown twice.</p></div>
<div class="toc"><p>On this page</p><ul><li><a href="#buffer">Jump to buffers</a></ul></div></div>
<div class="pagination"><a href="prev">Previous: Tasks and timers</a><a href="next">Next: Files and folders</a></div>
<div class="footer">Made with patience by the Quill people since 2015.</div></div>`,
  keep: [
    'A stream gives values one after another',
    "import { stream } from 'quill'",
    'console.log(value < 2)',
    'A stream that nobody reads does no work',
    'Buffers',
    'where the source is faster than you are',
    'How many values wait',
    'Which one goes when it is full',
    'An error ends the stream',
  ],
  drop: ['All manuals', 'Installing Quill', 'Jump to buffers', 'Previous: Tasks and timers', 'Made with patience'],
}

const blog: TestPage = {
  name: 'blog post',
  html: `<html><head><title>Why I sharpen knives on Sundays</title></head><body><div id="page"><div id="header"><h3><a href="/">Slow kitchen</a></h3><p class="nav"><a href="/about">About me</a> | <a href="/archive">Archive of posts</a></p></div>
<div id="main"><div class="post hentry"><h2 class="entry-title">Why I sharpen knives on Sundays</h2><div class="entry-content">
<p>There is a quiet hour after lunch when the kitchen is clean, the light is low and nobody wants anything from me.</p>
<p>I take out the two stones, the coarse one and the fine one, and let them drink water until they stop bubbling.</p>
<p><img src="stone.jpg" alt="Two stones in a bowl of water"></p>
<p>Twenty strokes on each side are enough for a knife that is used every day; more of them only waste good steel.</p>
<ul><li>Keep the angle of a matchbox under the spine.</li><li>Wipe the blade after every change of stone.</li></ul>
<p>The last step is a piece of newspaper, folded twice, along which the edge is drawn as if one were painting.</p></div>
<p class="post-footer">Filed under <a href="/tag/steel">steel</a>, <a href="/tag/calm">calm</a></p></div>
<div id="comments"><h4>2 comments</h4><p>Mine is done on Saturdays, but the newspaper trick is new to me and works well.</p></div></div>
<div id="sidebar"><h4>Blogroll</h4><ul><li><a href="http://a.example">Bread and time</a></li><li><a href="http://b.example">The patient gardener</a></li></ul></div>
<div id="footer">Powered by PressWord and a lot of coffee.</div></div></body></html>`,
  keep: [
    'There is a quiet hour after lunch',
    'I take out the two stones',
    'Twenty strokes on each side are enough',
    'Keep the angle of a matchbox under the spine',
    'Wipe the blade after every change of stone',
    'The last step is a piece of newspaper',
  ],
  drop: ['About me', 'Archive of posts', 'Bread and time', 'The patient gardener', 'Powered by PressWord'],
}

const forum: TestPage = {
  name: 'forum thread',
  html: `<!doctype html><title>Boiler makes a knocking noise - Fixit board</title><body><ul class="menu"><li><a href="/">Board index</a><li><a href="/login">Log in or register</a></ul>
<div class="breadcrumbs"><a href="/">Home</a> > <a href="/heat">Heating questions</a></div><h1>Boiler makes a knocking noise</h1><div class="posts">
<div class="post" id="p1"><div class="author"><b>mira77</b> Joined 2018</div><div class="body"><p>Since the first cold night our boiler knocks for about a minute when it starts, and then it is silent again.</p><p>The pressure is at 1.4 and I have bled all the radiators. What else should I look at before I call somebody?</p></div></div>
<div class="post" id="p2"><div class="author"><b>oldpipe</b> Joined 2009</div><div class="body"><blockquote>bled all the radiators</blockquote><p>Did you let it cool down first? If there is still air in the exchanger it boils for a moment, and that is the knocking.</p></div></div>
<div class="post" id="p3"><div class="author"><b>mira77</b></div><div class="body"><p>That was it. I let it stand over night, bled it cold in the morning, and the noise has been gone for three days.</p></div></div></div>
<div class="pagination"><a href="?p=2">Older threads on page two</a></div><div class="who-is-online sidebar"><p>Members online right now: 14, and 230 guests.</p></div><footer>Fixit board runs on free software.</footer>`,
  keep: [
    'Since the first cold night our boiler knocks',
    'What else should I look at before I call somebody',
    'Did you let it cool down first',
    'I let it stand over night',
  ],
  drop: [
    'Log in or register',
    'Heating questions',
    'Older threads on page two',
    'Members online right now',
    'runs on free software',
  ],
}

const product: TestPage = {
  name: 'product page',
  html: `<!doctype html><title>Oak stool 45 cm - Woodward</title><body><header><a href="/">Woodward</a><a href="/cart">Your basket is empty</a></header><nav class="mega"><a href="/chairs">All chairs</a><a href="/tables">All tables</a></nav>
<main><div class="product"><h1>Oak stool, 45 cm</h1><p class="price"><span>€ 129.00</span></p><button>Add to basket</button>
<div class="description"><p>Three legs never wobble: this stool is turned from one oak plank and held together without a single screw.</p><p>The seat is oiled with linseed and may be oiled again whenever it looks thirsty, about once a year.</p></div>
<table class="specs"><tr><th>Height</th><td>45 cm</td></tr><tr><th>Weight</th><td>3.2 kg</td></tr><tr><th>Wood</th><td>European oak</td></tr></table>
<h2>Delivery</h2><p>It leaves our workshop within five working days, in a box that is made of cardboard and nothing else.</p></div>
<section class="recommendations"><h2>You may also like</h2><ul><li><a href="/b">Beech bench 120 cm</a><li><a href="/t">Ash side table</a></ul></section></main>
<div class="newsletter-popup" style="display:none"><p>Ten percent off your first order if you join our list.</p></div><footer><p>Woodward workshop, 12 Mill Lane. Imprint and privacy.</p></footer>`,
  keep: [
    'Oak stool, 45 cm',
    '129.00',
    'this stool is turned from one oak plank',
    'The seat is oiled with linseed',
    '3.2 kg',
    'European oak',
    'It leaves our workshop within five working days',
  ],
  drop: [
    'Your basket is empty',
    'All tables',
    'Add to basket',
    'Beech bench 120 cm',
    'Ten percent off',
    'Imprint and privacy',
  ],
}

const tables: TestPage = {
  name: 'page of tables',
  html: `<html><head><title>Rainfall by town</title></head><body><div class="topbar"><a href="/">Office of weather</a> <a href="/maps">Maps and charts</a></div><div class="wrap"><h1>Rainfall by town, 2020 to 2022</h1>
<p>All figures are millimetres a year, measured at the station that is nearest to the town hall, and rounded to ten.</p>
<table border=1><caption>Towns of the coast</caption><thead><tr><th>Town</th><th align="right">2020</th><th align="right">2021</th><th align="right">2022</th></tr></thead>
<tbody><tr><td>Alderby</td><td>640</td><td>710</td><td>590</td></tr><tr><td>Port Lune</td><td>820</td><td>790</td><td>800</td></tr><tr><td>Saint Orm|East</td><td>1010</td><td>980</td><td>1120</td></tr></table>
<h2>Wettest days</h2><table><tr><th>Day</th><th>Town</th><th>Rain</th></tr><tr><td>4 October 2020</td><td>Port Lune</td><td>88</td></tr><tr><td>19 July 2021</td><td>Alderby</td><td>97</td></tr></table>
<p>A day counts from nine in the morning to nine in the morning of the next, as it has since the first gauge was read in 1871.</p></div><div class="footer-links"><a href="/legal">Legal notice of the office</a></div></body></html>`,
  keep: [
    'All figures are millimetres a year',
    'Towns of the coast',
    '| Port Lune | 820 | 790 | 800 |',
    '1120',
    '| 19 July 2021 | Alderby | 97 |',
    'as it has since the first gauge was read in 1871',
  ],
  drop: ['Maps and charts', 'Legal notice of the office'],
}

const recipe: TestPage = {
  name: 'recipe',
  html: `<!doctype html><title>Lentil soup with lemon</title><body><header class="site-header"><a href="/">Spoon</a><form role="search"><input placeholder="Search recipes"></form></header>
<div class="jump"><a href="#recipe">Jump to recipe</a></div><article class="recipe"><h1>Lentil soup with lemon</h1><p>A soup for evenings when the shop is closed and there is not much more in the house than a bag of red lentils.</p>
<div class="advertisement"><p>Try the new SuperBlend mixer, now with glass jar.</p></div>
<h2>Ingredients</h2><ul><li>250 g red lentils</li><li>1 onion, chopped</li><li>2 cloves of garlic</li><li>juice of one lemon</li></ul>
<h2>Method</h2><ol><li>Fry the onion in oil until it is soft and begins to brown at the edges, about eight minutes.</li><li>Add garlic and lentils, pour on a litre of water, and let it simmer for twenty minutes.</li><li>Stir in the lemon juice at the very end, or it turns grey.</li></ol>
<details><summary>Can I freeze it?</summary><p>Yes, for three months, but add the lemon only when it is warm again.</p></details></article>
<section class="related-recipes"><h2>More soups</h2><a href="/pea">Pea soup with mint</a><a href="/leek">Leek and potato soup</a></section><footer><nav><a href="/jobs">Work with us at Spoon</a></nav></footer>`,
  keep: [
    'A soup for evenings when the shop is closed',
    '250 g red lentils',
    'juice of one lemon',
    'Fry the onion in oil until it is soft',
    'let it simmer for twenty minutes',
    'or it turns grey',
    'Can I freeze it',
    'for three months',
  ],
  drop: ['SuperBlend mixer', 'Pea soup with mint', 'Leek and potato soup', 'Work with us at Spoon'],
}

const wiki: TestPage = {
  name: 'encyclopedia',
  html: `<!doctype html><title>Kestrel Lake - Openpedia</title><body><div id="mw-navigation"><div id="p-search"><form><input></form></div><div class="portal" role="navigation"><ul><li><a href="/r">Random page of the day</a><li><a href="/h">Help with editing</a></ul></div></div>
<div id="content" role="main"><h1 id="firstHeading">Kestrel Lake</h1><div id="bodyContent"><table class="infobox"><tr><th>Area</th><td>41 km²</td></tr><tr><th>Depth</th><td>112 m</td></tr></table>
<p><b>Kestrel Lake</b> is a lake in the north of the <a href="/wiki/Ardun">Ardun</a> plateau, fed by two rivers and drained by none.<sup class="reference"><a href="#c1">[1]</a></sup></p>
<div id="toc" class="toc"><h2>Contents of this page</h2><ul><li><a href="#Geology">1 Geology</a></ul></div>
<h2>Geology<span class="mw-editsection">[<a href="/edit">edit</a>]</span></h2><p>The basin was made by ice, and later filled when a landslide closed the valley at its southern end some eight thousand years ago.</p>
<h2>Wildlife</h2><p>Pike, perch and two kinds of <a href="/wiki/Trout">trout</a> live in it; the name comes from the birds that nest in the cliffs.</p>
<h2>References</h2><ol class="references"><li id="c1">Survey of northern waters, vol. 3, 1964, page 77.</li></ol></div></div>
<div id="footer"><ul><li>This page was last edited on a rainy Tuesday.</li></ul></div>`,
  keep: [
    'fed by two rivers and drained by none',
    '112 m',
    'The basin was made by ice',
    'Pike, perch and two kinds of',
    'the name comes from the birds that nest in the cliffs',
    'Survey of northern waters',
  ],
  drop: ['Random page of the day', 'Help with editing', 'Contents of this page', 'last edited on a rainy Tuesday'],
}

const results: TestPage = {
  name: 'search results',
  html: `<!doctype html><title>tide clock - Finder</title><body><header><form role="search"><input value="tide clock"><button>Go</button></form><nav><a>Images of it</a><a>Maps of it</a></nav></header><main><div id="results">
<div class="result"><h3><a href="https://one.example/t">How a tide clock works</a></h3><cite>one.example</cite><p>A tide clock has one hand that goes round once in about twelve hours and twenty-five minutes, half of a lunar day.</p></div>
<div class="result"><h3><a href="https://two.example/c">Setting a tide clock at home</a></h3><cite>two.example</cite><p>Wait for a full moon, look up the time of high water in your harbour, and turn the hand to the top at that moment.</p></div>
<div class="result"><h3><a href="https://three.example">Tide clocks, old and new</a></h3><cite>three.example</cite><p>From brass instruments of the eighteenth century to small boxes with a battery: a short history with many pictures.</p></div></div>
<div class="pager"><a href="?2">Next page of results</a></div></main><footer><a href="/p">Privacy settings of Finder</a></footer>`,
  keep: [
    'How a tide clock works',
    'https://one.example/t',
    'has one hand that goes round once',
    'Setting a tide clock at home',
    'turn the hand to the top at that moment',
    'Tide clocks, old and new',
    'a short history with many pictures',
  ],
  drop: ['Images of it', 'Next page of results', 'Privacy settings of Finder'],
}

const cookies: TestPage = {
  name: 'cookie wall',
  html: `<!doctype html><title>Opening hours of the museum</title><body><div id="cmp" class="cmp-consent-overlay" aria-modal="true"><h2>Before you go on</h2><p>This site uses cookies and similar techniques to measure visits, to make offers that suit you and to talk to social networks, also outside of your country.</p><p>You can withdraw your consent at any time with effect for the future in the settings at the bottom of every page that you visit here.</p><ul><li>Necessary cookies</li><li>Statistics cookies</li></ul><button>Agree</button></div>
<nav><a href="/visit">Plan your visit</a></nav><div class="page"><h1>Opening hours</h1><p>The museum is open from ten to six, on Thursdays until nine, and closed on Mondays.</p><p>Last entry is forty minutes before closing; bags larger than a sheet of paper go into the lockers.</p></div><footer>Museum of Clocks, Tower Square</footer>`,
  keep: ['The museum is open from ten to six', 'Last entry is forty minutes before closing'],
  drop: [
    'similar techniques to measure visits',
    'withdraw your consent',
    'Statistics cookies',
    'Plan your visit',
    'Tower Square',
  ],
}

export const pages: readonly TestPage[] = [
  news,
  docs,
  blog,
  forum,
  product,
  tables,
  recipe,
  wiki,
  results,
  cookies,
  ...morePages,
]
