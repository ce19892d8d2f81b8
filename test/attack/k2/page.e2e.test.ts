// The built page in Chromium: keys that approve.
import { existsSync } from 'node:fs'
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

  it('takes no key for an answer that was pressed before the question could be read', async () => {
    const page = await open()
    await say(page, 'Read notes.md, count the open tasks and write the total to summary.md')
    expect(await comes(page, `${question} != null`, 10_000)).toBe(true)
    // A person begins to type "add …" into the empty field just as the question takes the focus.
    await page.keyboard.press('a')
    expect(await comes(page, `document.querySelector('[data-path="/summary.md"]') !== null`, 1500)).toBe(false)
  })
})
