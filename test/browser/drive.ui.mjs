// The drivers themselves, on a small page of ours: what a UI test relies on must work in each browser.
import { readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { equal, ok } from 'node:assert/strict'

const address = ({ fixtures }) => `${fixtures}drive.html`

export const tests = [
  {
    name: 'fills a field, clicks a button and waits for the text',
    run: async (kit) => {
      const page = await kit.open(address(kit))
      await page.fill('#name', 'Zoë & co, "x+y"')
      await page.click('#greet')
      await page.waitForText('Hello, Zoë & co, "x+y"', { within: '#answer' })
      ok(!(await page.text()).includes('never shown'))
    },
  },
  {
    name: 'reaches through a shadow root, by selector and by name',
    run: async (kit) => {
      const page = await kit.open(address(kit))
      await page.click('#count')
      await page.click('text=Count: 1')
      await page.waitForText('Count: 2')
    },
  },
  {
    name: 'presses keys, and types after what is there',
    run: async (kit) => {
      const page = await kit.open(address(kit))
      await page.type('#name', 'er')
      equal(await page.evaluate(() => document.querySelector('#name').value), 'older')
      await page.press('Escape')
      await page.waitForText('escaped', { within: '#answer' })
    },
  },
  {
    name: 'hears of an error in the page',
    run: async (kit) => {
      const page = await kit.open(address(kit))
      equal((await page.errors()).length, 0)
      await page.click('#fail')
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)))
      ok((await page.errors()).join().includes('asked to fail'))
    },
  },
  {
    name: 'is dark when asked to be, and takes a picture',
    dark: true,
    run: async (kit) => {
      const page = await kit.open(address(kit), { width: 800, height: 600 })
      equal(await page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches), true)
      const path = join(tmpdir(), `sameloop-${process.pid}-${kit.browser}.png`)
      await page.screenshot(path)
      equal(readFileSync(path).subarray(1, 4).toString(), 'PNG')
      rmSync(path)
    },
  },
]
