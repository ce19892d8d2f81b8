// Opens an address in a browser of the system, without any driver: for pages that do their work by themselves.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, start } from '../../scripts/project.mjs'
import { homeEnvironment, temporaryFolder, virtualScreen } from './display.mjs'
import { browserProgram } from './programs.mjs'

export const chromiumFlags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--no-default-browser-check',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
]

/** Firefox keeps to itself: no first-run page, no update, no telemetry. */
export const firefoxPreferences = {
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'dom.min_background_timeout_value': 4,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
}

function chromium(url, home, extension) {
  const loading =
    extension === undefined ? [] : [`--load-extension=${extension}`, `--disable-extensions-except=${extension}`]
  const args = ['--headless=new', ...chromiumFlags, `--user-data-dir=${join(home, 'profile')}`, ...loading, url]
  return { command: browserProgram('chromium'), args, env: {} }
}

function firefox(url, home) {
  const lines = Object.entries(firefoxPreferences).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`,
  )
  writeFileSync(join(home, 'user.js'), lines.join('\n'))
  const args = ['--headless', '--no-remote', '--profile', home, url]
  return { command: browserProgram('firefox'), args, env: { MOZ_HEADLESS: '1' } }
}

const webkit = (url, display) => ({
  command: browserProgram('webkit'),
  args: [url],
  env: { DISPLAY: display, GDK_BACKEND: 'x11' },
})

/**
 * Opens `url`. Returns `{ version(), said(), gone, close() }`: the program's version, what it printed, a promise
 * that rejects if it ends by itself, and the end of everything that was started. `extension` is a folder to load, for Chromium.
 */
export async function openBrowser(name, url, { extension } = {}) {
  const home = temporaryFolder()
  const screen = name === 'webkit' ? await virtualScreen() : undefined
  const makers = {
    chromium: () => chromium(url, home.path, extension),
    firefox: () => firefox(url, home.path),
    webkit: () => webkit(url, screen.display),
  }
  const { command, args, env } = makers[name]()
  const environment = { ...homeEnvironment(home.path), ...env }
  const child = start(command, args, { group: true, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  const listen = (data) => (said = (said + data).slice(-8000))
  child.stdout.on('data', listen)
  child.stderr.on('data', listen)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const gone = new Promise((_, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${name} ended with code ${code}`)))
  })
  gone.catch(() => {})
  const version = async () => {
    const { output } = await run(command, ['--version'], { env: environment, limitMs: 20_000 })
    return output.match(/\d+(\.\d+)+/)?.[0] ?? ''
  }
  const close = async () => {
    child.end()
    await ended
    screen?.close()
    home.remove()
  }
  return { version, said: () => said, gone, close }
}
