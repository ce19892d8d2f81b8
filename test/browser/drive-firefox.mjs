// Firefox for tests, driven by puppeteer-core over WebDriver BiDi.
import puppeteer from 'puppeteer-core'
import { homeEnvironment, temporaryFolder } from './display.mjs'
import { firefoxPreferences } from './open.mjs'
import { drivenPage } from './page.mjs'
import { browserProgram } from './programs.mjs'

async function describe(message) {
  const parts = await Promise.all(message.args().map((handle) => handle.jsonValue().catch(() => message.text())))
  return parts.length === 0 ? message.text() : parts.map(String).join(' ')
}

function driverOf(page, context, errors) {
  return {
    evaluate: (fn, ...args) => page.evaluate(`(${fn})(...${JSON.stringify(args)})`),
    element: async (fn, ...args) => {
      const handle = await page.evaluateHandle(`(${fn})(...${JSON.stringify(args)})`)
      return handle.asElement() ?? undefined
    },
    onElement: (handle, fn) => handle.evaluate(fn),
    click: async (handle) => {
      await handle.scrollIntoView()
      await handle.click()
    },
    type: (text) => page.keyboard.type(text),
    press: (key) => page.keyboard.press(key),
    shoot: (path) => page.screenshot({ path }),
    goto: (url) => page.goto(url, { waitUntil: 'load' }),
    reload: () => page.reload(),
    resize: (width, height) => page.setViewport({ width, height }),
    errors: () => Promise.all(errors),
    close: () => context.close(),
  }
}

/** `{ name, open(url, { width, height }), close() }`; each open page has storage of its own. */
export async function driveFirefox({ dark = false, preferences = {} } = {}) {
  const home = temporaryFolder()
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: browserProgram('firefox'),
    headless: true,
    env: { ...process.env, ...homeEnvironment(home.path) },
    extraPrefsFirefox: {
      ...firefoxPreferences,
      'layout.css.prefers-color-scheme.content-override': dark ? 0 : 1,
      ...preferences,
    },
  })
  const open = async (url, { width = 1280, height = 800 } = {}) => {
    const context = await browser.createBrowserContext()
    const page = await context.newPage()
    await page.setViewport({ width, height })
    const errors = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && errors.push(describe(message)))
    await page.goto(url, { waitUntil: 'load' })
    return { ...drivenPage(driverOf(page, context, errors)), puppeteer: page }
  }
  const close = async () => {
    await browser.close()
    home.remove()
  }
  return { name: 'firefox', open, close }
}
