// WebKitGTK's MiniBrowser for tests: WebKitWebDriver under Xvfb, spoken to in plain W3C WebDriver.
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { start } from '../../scripts/project.mjs'
import { homeEnvironment, temporaryFolder, virtualScreen } from './display.mjs'
import { drivenPage } from './page.mjs'
import { browserProgram, webkitDriver } from './programs.mjs'

/** The key under which WebDriver wraps an element. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf'

/** Keys by name, as WebDriver writes them. */
const keys = {
  Enter: '\uE007',
  Escape: '\uE00C',
  Tab: '\uE004',
  Backspace: '\uE003',
  Delete: '\uE017',
  Home: '\uE011',
  End: '\uE010',
  ArrowLeft: '\uE012',
  ArrowUp: '\uE013',
  ArrowRight: '\uE014',
  ArrowDown: '\uE015',
  Shift: '\uE008',
  Control: '\uE009',
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })

/** One command to the driver; its error becomes ours. */
const commander = (port) => async (method, path, body) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    signal: AbortSignal.timeout(60_000),
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}), headers: { 'content-type': 'application/json' } } : {}),
  })
  const { value } = await response.json()
  if (value?.error !== undefined) throw new Error(`WebKit: ${value.error}: ${value.message}`)
  return value
}

async function ready(command) {
  for (let attempt = 0; ; attempt++) {
    const up = await command('GET', '/status').then(
      () => true,
      () => false,
    )
    if (up) return
    if (attempt > 200) throw new Error('WebKitWebDriver does not answer')
    await sleep(50)
  }
}

/** Runs in the page after each load: WebDriver has no way to hear of errors. */
function listenForErrors() {
  if (window.seenErrors !== undefined) return
  window.seenErrors = []
  window.addEventListener('error', (event) => window.seenErrors.push(event.message))
  window.addEventListener('unhandledrejection', (event) => window.seenErrors.push(String(event.reason)))
  const { error } = console
  console.error = (...words) => {
    window.seenErrors.push(words.map(String).join(' '))
    error.apply(console, words)
  }
}

/** Presses of keys, one after the other; those of `Control+a` are held together. */
function keyActions(...presses) {
  const actions = presses.flatMap((key) => {
    const values = (key.length > 1 ? key.split('+') : [key]).map((part) => keys[part] ?? part)
    const downs = values.map((value) => ({ type: 'keyDown', value }))
    return [...downs, ...[...values].reverse().map((value) => ({ type: 'keyUp', value }))]
  })
  return { actions: [{ type: 'key', id: 'keyboard', actions }] }
}

function driverOf(session) {
  const script = (fn, args) =>
    `const done = arguments[arguments.length - 1]
     Promise.resolve().then(() => (${fn})(...${args})).then((ok) => done({ ok }), (error) => done({ error: String(error) }))`
  const execute = async (fn, values, inPage = 'Array.from(arguments).slice(0, -1)') => {
    const answer = await session('POST', '/execute/async', { script: script(fn, inPage), args: values })
    if (answer.error !== undefined) throw new Error(answer.error)
    return answer.ok
  }
  const listen = () => execute(listenForErrors, [])
  return {
    evaluate: (fn, ...args) => execute(fn, args),
    element: async (fn, ...args) => (await execute(fn, args)) ?? undefined,
    onElement: (handle, fn) => execute(fn, [handle]),
    click: (handle) => session('POST', `/element/${handle[elementKey]}/click`),
    type: (text) => session('POST', '/actions', keyActions(...text)),
    press: (key) => session('POST', '/actions', keyActions(key)),
    shoot: async (path) => writeFileSync(path, Buffer.from(await session('GET', '/screenshot'), 'base64')),
    goto: async (url) => {
      await session('POST', '/url', { url })
      await listen()
    },
    reload: async () => {
      await session('POST', '/refresh')
      await listen()
    },
    resize: (width, height) => session('POST', '/window/rect', { width, height }),
    errors: () => execute(() => window.seenErrors ?? [], []),
    close: () => session('DELETE', ''),
  }
}

/**
 * `{ name, open(url, { width, height }), close() }`. Sessions are ephemeral, and one is open at a time: opening a page
 * closes the one before. The window is never narrower than about 450 pixels.
 */
export async function driveWebkit({ dark = false, args = [] } = {}) {
  const home = temporaryFolder()
  const screen = await virtualScreen()
  const port = await freePort()
  const theme = dark ? { GTK_THEME: 'Adwaita:dark' } : {}
  const env = { ...homeEnvironment(home.path), DISPLAY: screen.display, GDK_BACKEND: 'x11', ...theme }
  const child = start(webkitDriver(), ['--host=127.0.0.1', `--port=${port}`], { group: true, stdio: 'ignore', env })
  const command = commander(port)
  let page
  const close = async () => {
    await page?.close().catch(() => {})
    child.end()
    screen.close()
    home.remove()
  }
  const open = async (url, { width = 1280, height = 800 } = {}) => {
    await page?.close().catch(() => {})
    const options = { binary: browserProgram('webkit'), args: ['--automation', ...args] }
    const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': options } }
    const { sessionId } = await command('POST', '/session', { capabilities })
    const driver = driverOf((method, path, body) => command(method, `/session/${sessionId}${path}`, body))
    page = { ...drivenPage(driver), session: sessionId }
    await driver.resize(width, height)
    await driver.goto(url)
    return page
  }
  try {
    await ready(command)
  } catch (error) {
    await close()
    throw error
  }
  return { name: 'webkit', open, close }
}
