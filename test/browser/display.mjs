// Temporary folders, a virtual screen, and the environment in which a browser of the system starts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from '../../scripts/project.mjs'
import { xvfb } from './programs.mjs'

/** A new empty folder and the function that removes it. */
export function temporaryFolder() {
  const path = mkdtempSync(join(tmpdir(), 'sameloop-'))
  const remove = () => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  return { path, remove }
}

/** A home of its own: no profile of the user is read or written. */
export const homeEnvironment = (home) => ({
  HOME: home,
  XDG_RUNTIME_DIR: home,
  XDG_CONFIG_HOME: join(home, 'config'),
  XDG_CACHE_HOME: join(home, 'cache'),
  LANG: 'C.UTF-8',
  NO_AT_BRIDGE: '1',
  GSETTINGS_BACKEND: 'memory',
})

/** Starts Xvfb on a free number: `{ display, close }`. */
export function virtualScreen(size = '1280x900') {
  const args = ['-displayfd', '3', '-screen', '0', `${size}x24`, '-nolisten', 'tcp']
  const child = start(xvfb(), args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdio[3].on('data', (data) => {
      text += data
      if (text.includes('\n')) resolve({ display: `:${text.trim()}`, close: () => child.end() })
    })
    child.once('exit', (code) => reject(new Error(`Xvfb ended with code ${code}`)))
    child.once('error', reject)
  })
}
