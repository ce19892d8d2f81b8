import { createServer } from 'node:http'
import puppeteer from 'puppeteer-core'
import { staticServer } from '../../../scripts/static-server.mjs'
import { chromiumFlags } from '../../browser/open.mjs'
import { browserProgram } from '../../browser/programs.mjs'
const page0 = await staticServer('/tmp/k2/page')
let reply = () => [{ content: 'hi' }]
const server = createServer((request, response) => {
  const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
  if (request.method === 'OPTIONS') return response.writeHead(204, cors).end()
  let body = ''
  request.on('data', (d) => (body += d))
  request.on('end', () => {
    response.writeHead(200, { ...cors, 'content-type': 'text/event-stream' })
    const deltas = reply(JSON.parse(body || '{}'))
    for (const delta of deltas) response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta }] })}\n\n`)
    response.write(`data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: {}, finish_reason: deltas.some((d) => d.tool_calls) ? 'tool_calls' : 'stop' }] })}\n\n`)
    response.end('data: [DONE]\n\n')
  })
})
await new Promise((r) => server.listen(0, '127.0.0.1', r))
const modelUrl = `http://127.0.0.1:${server.address().port}/v1`
const browser = await puppeteer.launch({ executablePath: browserProgram('chromium'), args: chromiumFlags, headless: true })
const sleep = (ms) => new Promise((r) => setTimeout(r, ms))
async function open(before, { provider = true } = {}) {
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  const seen = { errors: [], requests: [], violations: [] }
  page.on('pageerror', (e) => seen.errors.push(String(e)))
  page.on('console', (m) => { if (m.type() === 'error') seen.errors.push(m.text()) })
  page.on('request', (r) => seen.requests.push(r.url()))
  await page.evaluateOnNewDocument(() => { window.__v = []; document.addEventListener('securitypolicyviolation', (e) => window.__v.push(e.violatedDirective + ' ' + e.blockedURI)) })
  if (provider) await page.evaluateOnNewDocument((url) => { try { if (!localStorage.getItem('sameloop.settings')) localStorage.setItem('sameloop.settings', JSON.stringify({ theme: 'auto', provider: 'openai', model: 'made-up', baseUrl: url, workerModel: '' })) } catch {} }, modelUrl)
  if (before) await page.evaluateOnNewDocument(before)
  await page.goto(page0.url)
  await sleep(700)
  return { page, seen, context }
}
const say = async (page, words) => { await page.evaluate(() => document.querySelector('sameloop-chat').shadowRoot.querySelector('.composer textarea').focus()); await page.keyboard.type(words); await page.keyboard.press('Enter') }
const text = (page) => page.evaluate(() => document.querySelector('sameloop-chat')?.shadowRoot?.textContent ?? 'NO CHAT')
const freeze = async (page, limit) => { // longest gap between evaluate answers
  const begun = Date.now(); let worst = 0
  while (Date.now() - begun < limit) { const a = Date.now(); await Promise.race([page.evaluate(() => 1), sleep(limit)]); worst = Math.max(worst, Date.now() - a); await sleep(20) }
  return worst
}
const only = process.argv[2]
const probe = async (name, run) => { if (only && !name.includes(only)) return; try { console.log('==', name); await run() } catch (e) { console.log('!!', name, e) } }

await probe('injection', async () => {
  const { page, seen } = await open()
  reply = () => [{ content: '<img src=x onerror=alert(1)> ![a](https://evil.example/x.png) [b](javascript:alert(1)) [c](data:text/html,x) <script>alert(1)</script> [d](  javascript:x) [e](https://e.example/"onclick=x) ![f](data:image/png;base64,AAAA) <https://x.example>' }]
  await say(page, 'go'); await sleep(1200)
  console.log(await page.evaluate(() => document.querySelector('sameloop-chat').shadowRoot.querySelector('.say')?.innerHTML))
  console.log(seen, await page.evaluate(() => window.__v))
})
await probe('table', async () => {
  for (const n of [5000, 20000]) {
    const { page, context } = await open()
    const body = '|' + 'a|'.repeat(50) + '\n|' + '-|'.repeat(50) + '\n' + '|\n'.repeat(n)
    reply = () => [{ content: body }]
    await say(page, 'go')
    console.log('table', body.length, 'chars: longest freeze ms', await freeze(page, 25000), 'cells', await Promise.race([page.evaluate(() => document.querySelector('sameloop-chat').shadowRoot.querySelectorAll('td').length), sleep(5000)]))
    await context.close()
  }
})
await probe('blank', async () => {
  const { page, context } = await open()
  const body = '- a\n' + '\n'.repeat(40000) + '  b'
  reply = () => [{ content: body }]
  await say(page, 'go')
  console.log('blank lines', body.length, 'chars: longest freeze ms', await freeze(page, 30000))
  await context.close()
})
await probe('corrupt', async () => {
  const shapes = {
    'records number': { version: 1, id: 'x', at: 1, place: 'here', title: 't', chat: { version: 1, id: 'x', records: 5, messages: [], running: false } },
    'records null item': { version: 1, id: 'x', at: 1, place: 'here', title: 't', chat: { version: 1, id: 'x', records: [null], messages: [], running: false } },
    'event null': { version: 1, id: 'x', at: 1, place: 'here', title: 't', chat: { version: 1, id: 'x', records: [{ type: 'event' }], messages: [], running: true } },
    'messages null': { version: 1, id: 'x', at: 1, place: 'here', title: 't', chat: { version: 1, id: 'x', records: [], messages: null, running: true } },
    'files bad base64': { version: 1, id: 'x', at: 1, place: 'here', title: 't', files: { '/a': 'data:base64,%%%' } },
    'files number': { version: 1, id: 'x', at: 1, place: 'here', title: 't', files: { '/a': 5 } },
    'files path': { version: 1, id: 'x', at: 1, place: 'here', title: 't', files: { '/a': 'x', '/a/b': 'y' } },
    'title object': { version: 1, id: 'x', at: 1, place: 'here', title: { a: 1 } },
    'place other': { version: 1, id: 'x', at: 1, place: 'moon', title: 't' },
    'session number': { version: 1, id: 'x', at: 1, place: 'worker', title: 't', session: 5 },
    'text entry': { version: 1, id: 'x', at: 1, place: 'here', title: 't', chat: { version: 1, id: 'x', records: [{ type: 'user', id: 'u', text: 5 }, { type: 'event', event: { type: 'tool-end', run: 'r', seq: 1, at: 1, step: 1, callId: 'c', name: 'n', outcome: null } }], messages: [], running: false } },
  }
  for (const [name, value] of Object.entries(shapes)) {
    const { page, seen, context } = await open(`localStorage.setItem('sameloop.session.x', ${JSON.stringify(JSON.stringify(value))}); sessionStorage.setItem('sameloop.tab', '"x"')`)
    const has = await page.evaluate(() => document.querySelector('sameloop-chat')?.shadowRoot?.querySelector('.composer textarea') != null)
    reply = () => [{ content: 'answered' }]
    let answered = false
    if (has) { await say(page, 'go').catch(() => {}); await sleep(900); answered = (await text(page)).includes('answered') }
    console.log(name, '| composer', has, '| answers', answered, '|', seen.errors.slice(0, 2))
    await context.close()
  }
})
await probe('blocked storage', async () => {
  for (const before of ["Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('blocked', 'SecurityError') } }); Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('blocked', 'SecurityError') } })", "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }", "delete Navigator.prototype.locks"]) {
    const { page, seen, context } = await open(before, { provider: false })
    await say(page, 'What is 2+3?'); await sleep(1500)
    console.log(before.slice(0, 40), (await text(page)).slice(0, 300), seen.errors)
    await context.close()
  }
})
const call = (name, args, index = 0, id = `call_${index}`) => ({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(args) } }] })
await probe('approval', async () => {
  const { page, seen, context } = await open()
  let n = 0
  reply = () => n++ === 0 ? [0, 1, 2].map((i) => call('fs_write', { path: `/f${i}.txt`, contents: 'x' }, i)) : [{ content: 'done' }]
  await say(page, 'go'); await sleep(1200)
  const q = () => page.evaluate(() => [...document.querySelector('sameloop-chat').shadowRoot.querySelectorAll('[data-question]')].map((x) => x.getAttribute('aria-label')))
  console.log('questions', await q())
  await page.keyboard.down('a'); for (let i = 0; i < 12; i++) { await sleep(60); await page.keyboard.down('a') } await page.keyboard.up('a')
  await sleep(600)
  console.log('after holding one key:', await q(), (await text(page)).slice(-500))
  await context.close()
})
await probe('typing', async () => {
  const { page, context } = await open()
  let n = 0
  reply = () => n++ === 0 ? [call('fs_write', { path: `/evil.txt`, contents: 'x' }, 0)] : [{ content: 'done' }]
  await say(page, 'go')
  for (let i = 0; i < 40; i++) { await page.keyboard.type('a'); await sleep(25); if ((await text(page)).includes('done')) break; await page.keyboard.press('Backspace') }
  await sleep(500)
  console.log('typing approved by itself:', await page.evaluate(() => document.querySelector('[data-path="/evil.txt"]') !== null))
  await context.close()
})
await probe('cut diff', async () => {
  const { page, context } = await open()
  let n = 0
  const content = 'harmless '.repeat(2600) + '\nrm -rf / # the tail that nobody saw\n'
  reply = () => n++ === 0 ? [call('fs_write', { path: `/run.sh`, contents: content }, 0)] : [{ content: 'done' }]
  await say(page, 'go'); await sleep(1500)
  const t = await page.evaluate(() => document.querySelector('sameloop-chat').shadowRoot.querySelector('[data-question]')?.textContent ?? '')
  console.log('card length', t.length, 'tail shown', t.includes('tail that nobody'), 'says cut', /cut|more|…/.test(t), t.slice(0, 160), '...', t.slice(-200))
  await context.close()
})
await probe('bidi', async () => {
  const { page, context } = await open()
  let n = 0
  reply = () => n++ === 0 ? [call('fs_write', { path: '/a\u202Egpj.sh\u2066\u200b', contents: 'if (admin) { \u202E } // \u2066' }, 0)] : [{ content: 'done' }]
  await say(page, 'go'); await sleep(1500)
  const t = await page.evaluate(() => document.querySelector('sameloop-chat').shadowRoot.querySelector('[data-question]')?.textContent ?? '')
  console.log('raw bidi in card', /[\u202a-\u202e\u2066-\u2069\u200b]/.test(t), JSON.stringify(t.slice(0, 200)))
  await page.keyboard.press('a'); await sleep(800)
  console.log('raw bidi in tree', await page.evaluate(() => /[\u202a-\u202e]/.test(document.querySelector('.tree')?.textContent ?? '')))
  await context.close()
})
await probe('key', async () => {
  const { page, seen, context } = await open()
  const secret = 'sk-super-secret-key-123'
  await page.click('.chip'); await sleep(300)
  await page.evaluate(() => document.querySelector('#field-key').focus())
  await page.keyboard.type(secret); await sleep(100)
  const dom = await page.evaluate((s) => ({ html: document.documentElement.outerHTML.includes(s), attr: document.querySelector('#field-key').getAttribute('value') === s, auto: document.querySelector('#field-key').getAttribute('autocomplete'), type: document.querySelector('#field-key').type }), secret)
  await page.evaluate(() => [...document.querySelectorAll('button')].find((b) => b.innerText.includes('Use this model')).click()); await sleep(300)
  reply = () => [{ content: 'answered' }]
  await say(page, 'go'); await sleep(1000)
  const after = await page.evaluate((s) => ({ local: JSON.stringify({ ...localStorage }).includes(s), tab: JSON.stringify({ ...sessionStorage }).includes(s), url: location.href.includes(s), html: document.documentElement.outerHTML.includes(s), chat: document.querySelector('sameloop-chat').shadowRoot.innerHTML.includes(s) }), secret)
  console.log(dom, after, seen.errors, await page.evaluate(() => window.__v))
  await context.close()
})
await probe('huge line', async () => {
  const { page, context } = await open()
  let n = 0
  reply = () => n++ === 0 ? [call('fs_read', { path: '/' + 'x'.repeat(200) }, 0), ...Array.from({ length: 200 }, (_, i) => call('nope_' + i, { a: 'y'.repeat(20000) }, i + 1))] : [{ content: 'a'.repeat(3_000_000) }]
  await say(page, 'go'); console.log('longest freeze', await freeze(page, 12000)); await context.close()
})
await browser.close(); server.closeAllConnections(); server.close(); await page0.close()
