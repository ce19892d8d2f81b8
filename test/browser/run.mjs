// `npm run test:browser`: every *.ui.mjs beside this file, in each browser of the system. `--only name` picks browsers or
// tests by a part of their name. Such a file exports `tests`: `{ name, browsers?, dark?, run(kit) }`, where the kit has
// `browser` (its name), `open(url, { width, height })`, `fixtures` and `page` (addresses of test/browser/fixtures and, when
// it is built, of the page). A test that cannot run here answers `{ skipped: 'why' }`. With SAMELOOP_SHOTS a failing test leaves a picture in that folder.
import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { buildAll } from '../../scripts/build.mjs'
import { closePart, root, seconds } from '../../scripts/project.mjs'
import { staticServer } from '../../scripts/static-server.mjs'
import { driveChromium } from './drive-chromium.mjs'
import { driveFirefox } from './drive-firefox.mjs'
import { driveWebkit } from './drive-webkit.mjs'
import { browserProgram, provideBrowsers, webkitDriver } from './programs.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const launchers = { chromium: driveChromium, firefox: driveFirefox, webkit: driveWebkit }
const limitMs = 120_000

const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : ''

async function allTests() {
  const names = readdirSync(here)
    .filter((name) => name.endsWith('.ui.mjs'))
    .sort()
  const modules = await Promise.all(names.map((name) => import(pathToFileURL(join(here, name)).href)))
  return modules.flatMap(({ tests }, index) => tests.map((test) => ({ ...test, file: names[index] })))
}

const runsIn = (test, browser) => {
  if (test.browsers !== undefined && !test.browsers.includes(browser)) return false
  return `${browser} ${test.file} ${test.name}`.includes(only)
}

function withLimit(running) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`Not finished after ${limitMs / 1000} s`)), limitMs)
  })
  return Promise.race([running, late]).finally(() => clearTimeout(timer))
}

/** Runs one test with pages that are closed after it: its `error`, or why it was `skipped`, or nothing. */
async function runTest(test, browser, addresses) {
  const pages = []
  const open = async (url, options) => {
    const page = await browser.open(url, options)
    pages.push(page)
    return page
  }
  try {
    const outcome = await withLimit(test.run({ ...addresses, browser: browser.name, open }))
    return { skipped: outcome?.skipped }
  } catch (error) {
    const folder = process.env.SAMELOOP_SHOTS
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true })
      const name = `${browser.name} ${test.name}`.replace(/[^a-z0-9]+/gi, '-')
      await pages
        .at(-1)
        ?.screenshot(join(folder, `${name}.png`))
        .catch(() => {})
    }
    return { error }
  } finally {
    for (const page of pages) await page.close().catch(() => {})
  }
}

/** All tests of one browser: one start of it for the light ones and one for the dark ones. */
async function runBrowser(name, tests, addresses) {
  const outcomes = []
  for (const dark of [false, true]) {
    const chosen = tests.filter((test) => (test.dark ?? false) === dark)
    if (chosen.length === 0) continue
    const browser = await launchers[name]({ dark })
    try {
      for (const test of chosen) {
        const begun = performance.now()
        const { error, skipped } = await runTest(test, browser, addresses)
        const word = error === undefined ? 'passed' : 'failed'
        outcomes.push(skipped === undefined ? word : 'skipped')
        console.log(
          `${name}: ${test.name}: ${skipped === undefined ? word : `skipped, as ${skipped}`} (${seconds(begun)})`,
        )
        if (error !== undefined) console.log(error.stack ?? error)
      }
    } finally {
      await browser.close()
    }
  }
  return outcomes
}

async function main() {
  const tests = await allTests()
  const wanted = Object.keys(launchers).filter((name) => tests.some((test) => runsIn(test, name)))
  await provideBrowsers(wanted)
  await buildAll(['page'])
  const fixtures = await staticServer(join(here, 'fixtures'))
  const page = existsSync(join(root, 'dist/page/index.html')) ? await staticServer(join(root, 'dist/page')) : undefined
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const name of wanted) {
    const mine = tests.filter((test) => runsIn(test, name))
    const missing = browserProgram(name) === undefined || (name === 'webkit' && webkitDriver() === undefined)
    if (missing) {
      console.log(`${name}: not installed; ${mine.length} tests ${process.env.CI ? 'failed, as CI is set' : 'skipped'}`)
      counts[process.env.CI ? 'failed' : 'skipped'] += mine.length
      continue
    }
    const outcomes = await runBrowser(name, mine, { fixtures: fixtures.url, page: page?.url }).catch((error) => {
      console.log(`${name}: cannot be driven: ${error.stack ?? error}`)
      return mine.map(() => 'failed')
    })
    for (const word of outcomes) counts[word]++
  }
  await fixtures.close()
  await page?.close()
  closePart(counts)
}

await main()
process.exit()
