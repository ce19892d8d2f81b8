// Where the project is, and how its scripts start other programs.
import { spawn } from 'node:child_process'
import { realpathSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** Whether a module is the program itself and not imported. */
export const isMain = (meta) =>
  process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(meta.url)

/** A program of node_modules, as arguments for this same Node: no PATH is asked. */
export const tool = (path) => join(root, 'node_modules', path)

/** For every child: wrangler neither asks the network for updates nor reports. */
export const quietEnvironment = {
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_SEND_METRICS: 'false',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  npm_config_audit: 'false',
  npm_config_fund: 'false',
  npm_config_update_notifier: 'false',
}

const running = new Set()

/** Ends every program still running; called when this process ends for whatever reason. */
export function endChildren() {
  for (const child of running) child.end()
}

let watching = false

function watchExit() {
  if (watching) return
  watching = true
  process.once('exit', endChildren)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.once(signal, () => {
      endChildren()
      process.exit(1)
    })
  }
}

/** Ends a program, and with `group` whatever it started in turn. */
function end(child, group) {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(group ? -child.pid : child.pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/**
 * Starts a program that is ended with this process at the latest; `end()` ends it sooner. `group` gives it a process
 * group of its own, so that its children end with it.
 */
export function start(command, args, { group = false, ...options } = {}) {
  watchExit()
  const env = { ...process.env, ...quietEnvironment, ...options.env }
  const child = spawn(command, args, { cwd: root, detached: group, ...options, env })
  child.end = () => end(child, group)
  running.add(child)
  child.once('exit', () => running.delete(child))
  child.once('error', () => running.delete(child))
  return child
}

/**
 * Runs a program to its end: `{ code, output }`, output being stdout and stderr as they came. `echo` also shows them.
 * `limitMs` (default ten minutes) keeps it from hanging.
 */
export function run(command, args, { echo = false, limitMs = 600_000, ...options } = {}) {
  return new Promise((resolve) => {
    const child = start(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options })
    const pieces = []
    const take = (data) => {
      pieces.push(data)
      if (echo) process.stdout.write(data)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    const limit = setTimeout(() => {
      take(Buffer.from(`\nEnded after ${limitMs} ms\n`))
      child.end()
    }, limitMs)
    const finish = (code) => {
      clearTimeout(limit)
      resolve({ code, output: Buffer.concat(pieces).toString('utf8') })
    }
    child.once('error', (error) => {
      take(Buffer.from(`${error.message}\n`))
      finish(127)
    })
    child.once('close', (code) => finish(code ?? 1))
  })
}

/** Seconds since `from`, to one decimal. */
export const seconds = (from) => `${((performance.now() - from) / 1000).toFixed(1)} s`

/**
 * Ends a part of the tests: prints its counts as the closing line, or gives them to `npm test`, which prints the sums,
 * and sets the exit code.
 */
export function closePart({ passed, failed, skipped }) {
  const file = process.env.SAMELOOP_COUNTS
  if (file === undefined) console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
  else writeFileSync(file, JSON.stringify({ passed, failed, skipped }))
  if (failed > 0) process.exitCode = 1
}

/** The counts of a list of the words `passed`, `failed`, `skipped`. */
export function countsOf(outcomes) {
  const count = (word) => outcomes.filter((outcome) => outcome === word).length
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
}
