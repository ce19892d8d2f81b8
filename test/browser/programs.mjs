// The browsers of the system: where they are, and how they come there.
import { existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { run } from '../../scripts/project.mjs'

const onPath = (name) =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/bin', '/usr/local/bin')
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path))

const first = (names) => names.map(onPath).find((path) => path !== undefined)

const webkitFolders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib']

function miniBrowser() {
  const versions = ['webkit2gtk-4.1', 'webkitgtk-6.0']
  const paths = webkitFolders.flatMap((folder) => versions.map((version) => join(folder, version, 'MiniBrowser')))
  return paths.find((path) => existsSync(path))
}

const finders = {
  chromium: () =>
    process.env.CHROMIUM ?? first(['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']),
  firefox: () => process.env.FIREFOX ?? first(['firefox-esr', 'firefox']),
  webkit: () => (onPath('Xvfb') === undefined ? undefined : (process.env.MINIBROWSER ?? miniBrowser())),
}

const packages = {
  chromium: ['chromium'],
  firefox: ['firefox-esr'],
  webkit: ['webkit2gtk-driver', 'xvfb', 'xauth'],
}

/** The path of a browser's program, or `undefined` where the system has none. */
export const browserProgram = (name) => finders[name]()

export const xvfb = () => onPath('Xvfb')
export const webkitDriver = () => onPath('WebKitWebDriver')

const debianLike = () =>
  existsSync('/etc/os-release') && /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(readFileSync('/etc/os-release', 'utf8'))

const mayInstall = () =>
  process.getuid?.() === 0 && debianLike() && onPath('apt-get') !== undefined && process.env.SAMELOOP_NO_INSTALL !== '1'

/**
 * Makes the named browsers available, by the system's packages where this is root on Debian or Ubuntu, and returns
 * those that stay missing. Says what it does before it does it.
 */
export async function provideBrowsers(names) {
  const missing = names.filter((name) => browserProgram(name) === undefined)
  if (missing.length === 0) return []
  const wanted = missing.flatMap((name) => packages[name])
  const install = ['install', '-y', '--no-install-recommends', ...wanted]
  if (!mayInstall()) {
    console.log(`Missing: ${missing.join(', ')}. To install them: sudo apt-get ${install.join(' ')}`)
    return missing
  }
  console.log(`Missing: ${missing.join(', ')}. Installing the system's packages: ${wanted.join(' ')}`)
  const options = { limitMs: 600_000, env: { DEBIAN_FRONTEND: 'noninteractive' } }
  await run('apt-get', ['update'], options)
  const { code, output } = await run('apt-get', install, options)
  if (code !== 0) console.log(output.slice(-4000))
  return missing.filter((name) => browserProgram(name) === undefined)
}
