// Chromium for tests, driven by playwright-core.
import { chromium } from 'playwright-core'
import { chromiumFlags } from './open.mjs'
import { drivenPage } from './page.mjs'
import { browserProgram } from './programs.mjs'

function driverOf(page, errors) {
  return {
    evaluate: (fn, ...args) => page.evaluate(`(${fn})(...${JSON.stringify(args)})`),
    element: async (fn, ...args) => {
      const handle = await page.evaluateHandle(`(${fn})(...${JSON.stringify(args)})`)
      return handle.asElement() ?? undefined
    },
    onElement: (handle, fn) => handle.evaluate(fn),
    click: (handle) => handle.click({ timeout: 20_000 }),
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
    shoot: (path) => page.screenshot({ path }),
    goto: (url) => page.goto(url, { waitUntil: 'load' }),
    reload: () => page.reload(),
    resize: (width, height) => page.setViewportSize({ width, height }),
    errors: async () => [...errors],
    close: () => page.context().close(),
  }
}

/** What failed to load is named by its address alone. */
function saidBy(message) {
  const { url = '' } = message.location()
  return `${message.text()} ${url}`.trim()
}

/** `{ name, open(url, { width, height }), close() }`; each open page has storage of its own. */
export async function driveChromium({ dark = false, args = [] } = {}) {
  const browser = await chromium.launch({
    executablePath: browserProgram('chromium'),
    headless: true,
    args: [...chromiumFlags, ...args],
  })
  const open = async (url, { width = 1280, height = 800 } = {}) => {
    const context = await browser.newContext({ colorScheme: dark ? 'dark' : 'light', viewport: { width, height } })
    const page = await context.newPage()
    const errors = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && errors.push(saidBy(message)))
    await page.goto(url, { waitUntil: 'load' })
    return { ...drivenPage(driverOf(page, errors)), playwright: page }
  }
  return { name: 'chromium', open, close: () => browser.close() }
}
