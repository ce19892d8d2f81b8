// The built page in Chromium: storage that something else left behind, keys that approve, keys of providers.
import { existsSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import puppeteer from 'puppeteer-core'
import type { Browser, BrowserContext, Page } from 'puppeteer-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { staticServer } from '../../../scripts/static-server.mjs'
// @ts-expect-error: it has no types
import { chromiumFlags } from '../../browser/open.mjs'
// @ts-expect-error: it has no types
import { browserProgram } from '../../browser/programs.mjs'

const folder = fileURLToPath(new URL('../../../dist/page', import.meta.url))
const program = browserProgram('chromium') as string | undefined
const missing = program === undefined || !existsSync(`${folder}/index.html`)
if (missing) console.log('Skipped: these tests need Chromium and a built page (npm run build)')

const chatRoot = `document.querySelector('sameloop-chat')?.shadowRoot`
const field = `${chatRoot}?.querySelector('.composer textarea')`
const question = `${chatRoot}?.querySelector('[data-question]')`

let browser: Browser
let served: { readonly url: string; close(): Promise<unknown> }
let context: BrowserContext | undefined

async function open(before = ''): Promise<Page> {
  context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.evaluateOnNewDocument(before)
  await page.goto(served.url)
  return page
}

const comes = (page: Page, expression: string, timeout = 3000): Promise<boolean> =>
  page.waitForFunction(expression, { timeout, polling: 'raf' }).then(
    () => true,
    () => false,
  )

async function say(page: Page, words: string): Promise<void> {
  await comes(page, `${field} != null`)
  await page.evaluate(`${field}.focus()`)
  await page.keyboard.type(words)
  await page.keyboard.press('Enter')
}

describe.skipIf(missing)('the page', () => {
  beforeAll(async () => {
    served = await staticServer(folder)
    browser = await puppeteer.launch({ executablePath: program!, args: [...chromiumFlags], headless: true })
  })
  afterEach(() => context?.close())
  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })

  const kept = { version: 1, id: 'x', at: 1, place: 'here', title: 'An earlier one' }
  const chat = { version: 1, id: 'x', records: [], messages: [], running: false }

  it.each<readonly [string, object]>([
    ['records are none', { ...kept, chat }],
    ['records are no list', { ...kept, chat: { ...chat, records: 5 } }],
    ['one record is null', { ...kept, chat: { ...chat, records: [null] } }],
    ['one event is missing', { ...kept, chat: { ...chat, records: [{ type: 'event' }], running: true } }],
    ['messages are null', { ...kept, chat: { ...chat, messages: null, running: true } }],
    ['file is no base64', { ...kept, files: { '/a': 'data:base64,%%%' } }],
    ['file is a number', { ...kept, files: { '/a': 5 } }],
    ['files stand in each other', { ...kept, files: { '/a': 'x', '/a/b': 'y' } }],
  ])('can be used beside a kept conversation whose %s', async (_, value) => {
    const text = JSON.stringify(JSON.stringify(value))
    const page = await open(
      `localStorage.setItem('sameloop.session.x', ${text}); sessionStorage.setItem('sameloop.tab', '"x"')`,
    )
    expect(await comes(page, `${field} != null`)).toBe(true)
  })

  it('takes no key for an answer that was pressed before the question could be read', async () => {
    const page = await open()
    await say(page, 'Read notes.md, count the open tasks and write the total to summary.md')
    expect(await comes(page, `${question} != null`, 10_000)).toBe(true)
    // A person begins to type "add …" into the empty field just as the question takes the focus.
    await page.keyboard.press('a')
    expect(await comes(page, `document.querySelector('[data-path="/summary.md"]') !== null`, 1500)).toBe(false)
  })

  it('sends a key only to the address it was entered for', async () => {
    const told: (string | undefined)[] = []
    const server = createServer((request, response) => {
      const headers = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
      if (request.method === 'POST') told.push(request.headers.authorization)
      response.writeHead(request.method === 'POST' ? 500 : 204, headers).end()
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve())
    })
    try {
      const page = await open()
      const fill = async (id: string, words: string): Promise<void> => {
        await comes(page, `document.querySelector('${id}') !== null`)
        await page.evaluate(`document.querySelector('${id}').focus(); document.querySelector('${id}').select()`)
        await page.keyboard.type(words)
      }
      const use = async (): Promise<void> => {
        await page.evaluate(
          `[...document.querySelectorAll('button')].find((b) => b.innerText === 'Use this model').click()`,
        )
        await comes(page, `document.querySelector('#field-address') === null`)
      }
      await comes(page, `${field} != null`)
      await page.click('.chip')
      await page.click('input[value=openai]')
      await fill('#field-address', 'https://api.openai.com/v1')
      await fill('#field-model', 'made-up')
      await fill('#field-key', 'sk-for-openai-only')
      await use()
      await page.click('.chip')
      await fill('#field-address', `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`)
      await use()
      await say(page, 'hello')
      await comes(page, `${chatRoot}?.textContent.includes('model-')`, 8000)
      expect(told.length).toBeGreaterThan(0)
      expect(told.filter((header) => header?.includes('sk-for-openai-only'))).toEqual([])
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
