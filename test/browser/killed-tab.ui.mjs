// A tab that is killed while its agent works: the run goes on in the next one, and each local effect happened once.
import { deepEqual, equal, ok } from 'node:assert/strict'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'esbuild'
import { bundledShell } from '../../scripts/bundled-shell.mjs'
import { root } from '../../scripts/project.mjs'
import { staticServer } from '../../scripts/static-server.mjs'

const folder = join(root, '.build/kept')

async function buildPage() {
  mkdirSync(folder, { recursive: true })
  cpSync(join(root, 'test/browser/kept/page.html'), join(folder, 'page.html'))
  await build({
    absWorkingDir: root,
    entryPoints: ['test/browser/kept/page.ts'],
    outdir: folder,
    bundle: true,
    format: 'iife',
    target: 'es2022',
    // The page starts no shell, whose script would be beside the module.
    logOverride: { 'empty-import-meta': 'silent' },
    logLevel: 'warning',
    plugins: [bundledShell],
  })
}

let built
/** Runs `work` with the address of the page, on an origin that has nothing yet. */
async function withPage(work) {
  await (built ??= buildPage())
  const server = await staticServer(folder)
  try {
    await work(`${server.url}page.html`)
  } finally {
    await server.close()
  }
}

const patienceMs = 20_000

async function titled(read, title) {
  const end = Date.now() + patienceMs
  for (;;) {
    const [found, state] = await read()
    if (found === title) return JSON.parse(state)
    if (Date.now() > end) throw new Error(`Wanted the page to say "${title}", got "${found}": ${state}`)
    await sleep(30)
  }
}

const inPage = 'JSON.stringify([document.title, document.querySelector("#state").textContent])'
const reader = (page) => async () => JSON.parse(await page.evaluate(inPage))
const readerOf = (page) => () => page.evaluate(() => [document.title, document.querySelector('#state').textContent])

/** Ends the tab as the browser lets: its process, the tab, or the document in it. Returns how the next one is opened. */
const killers = {
  chromium: async ({ playwright }) => {
    const context = playwright.context()
    const session = await context.newCDPSession(playwright)
    const crashed = playwright.waitForEvent('crash')
    session.send('Page.crash').catch(() => {})
    await crashed
    return () => context.newPage()
  },
  firefox: async ({ puppeteer }) => {
    const context = puppeteer.browserContext()
    // A context without a page may be closed.
    const next = await context.newPage()
    await puppeteer.close({ runBeforeUnload: false })
    return async () => next
  },
}

async function killedAndReopened({ browser }, page, url) {
  if (browser === 'webkit') {
    await page.goto(url)
    return titled(readerOf(page), 'done')
  }
  const open = await killers[browser](page)
  const next = await open()
  await next.goto(url)
  const state = await titled(reader(next), 'done')
  await next.close()
  return state
}

/** Kills the tab where it stands still, opens it again, and looks at what was counted. */
async function survives(kit, url, query) {
  const page = await kit.open(`${url}?${new URLSearchParams(query)}`)
  await titled(readerOf(page), 'still')
  const { found, ...rest } = await killedAndReopened(kit, page, url)
  const { failure, status, error, counted, lines, results } = rest
  const where = JSON.stringify({ ...query, found })
  deepEqual(
    { failure, status, error, counted, lines, results },
    { failure: undefined, status: 'done', error: undefined, counted: '3', lines: '1;2;3;', results: 3 },
    `Killed at ${where}`,
  )
  await page.close().catch(() => {})
  return found
}

export const tests = [
  {
    name: 'goes on with a run whose tab was killed while a tool or the model was at work',
    run: (kit) =>
      withPage(async (url) => {
        equal(await survives(kit, url, { when: 'tool' }), 'cut-off')
        if (kit.browser !== 'webkit') equal(await survives(kit, url, { when: 'model', at: 2 }), 'cut-off')
      }),
  },
  {
    name: 'has counted each thing once, whichever append of the log the tab was killed at',
    browsers: ['chromium'],
    run: (kit) =>
      withPage(async (url) => {
        const page = await kit.open(url)
        const { appends, persistent, ...whole } = await titled(readerOf(page), 'done')
        equal(persistent, true)
        equal(whole.lines, '1;2;3;')
        ok(appends >= 6, `the run has at least 6 appends, got ${appends}`)
        await page.close()
        const found = new Set()
        // All of them in the long run.
        const every = process.env.SAMELOOP_LONG === '1' ? 1 : 3
        for (let at = 1; at <= appends; at += every) found.add(await survives(kit, url, { when: 'before', at }))
        found.add(await survives(kit, url, { when: 'after', at: appends }))
        deepEqual([...found], ['new', 'cut-off', 'done'])
      }),
  },
  {
    name: 'says that another tab works on a run, until that tab is killed',
    browsers: ['chromium'],
    run: (kit) =>
      withPage(async (url) => {
        const page = await kit.open(`${url}?when=tool`)
        await titled(readerOf(page), 'still')
        const other = await page.playwright.context().newPage()
        await other.goto(`${url}?when=never`)
        equal(await other.evaluate('heldElsewhere()'), true)
        await killers.chromium(page)
        await other.waitForFunction('heldElsewhere().then((held) => held === false)', undefined, {
          timeout: patienceMs,
        })
      }),
  },
  {
    name: 'works in memory where the browser keeps nothing for an origin, and says so',
    run: (kit) =>
      withPage(async (url) => {
        const page = await kit.open(`${url}?when=never`)
        await page.evaluate((src) => {
          addEventListener('message', ({ data }) => Object.assign(globalThis, { told: data }))
          const frame = Object.assign(document.createElement('iframe'), { src })
          frame.setAttribute('sandbox', 'allow-scripts')
          document.body.append(frame)
        }, url)
        const state = await titled(() => page.evaluate(() => globalThis.told ?? ['', '']), 'done')
        const { failure, persistent, status, lines } = state
        deepEqual(
          { failure, persistent, status, lines },
          { failure: undefined, persistent: false, status: 'done', lines: '1;2;3;' },
        )
      }),
  },
  {
    name: 'says that there is no space left where the browser has none, and keeps what was there',
    browsers: ['chromium'],
    run: (kit) =>
      withPage(async (url) => {
        const page = await kit.open(`${url}?when=never`)
        const session = await page.playwright.context().newCDPSession(page.playwright)
        const { origin } = new URL(url)
        // The second has room of its own beside what the first left.
        for (const [fill, mib] of Object.entries({ fillIndexedDb: 8, fillOpfs: 24 })) {
          await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: mib * 2 ** 20 })
          deepEqual(
            await page.playwright.evaluate(`${fill}()`),
            { code: 'vfs-no-space', kept: 'old', half: false },
            fill,
          )
        }
      }),
  },
]
