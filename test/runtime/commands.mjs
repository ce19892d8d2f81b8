// Node, Deno, Bun and workerd: each is started on the bundle and asked for its report, or to go on with what was suspended
// elsewhere.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import workerd from 'workerd'
import { root, run, start } from '../../scripts/project.mjs'
import { patience } from './patience.mjs'

const modules = join(root, 'test/runtime/node_modules')

/** The program of a platform package, for example @deno/linux-x64-glibc/deno; `undefined` where none was installed. */
function binary(scope, path) {
  const folder = join(modules, scope)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return names.map((name) => join(folder, name, path)).find((file) => existsSync(file))
}

export const deno = () => binary('@deno', 'deno')
export const bun = () => binary('@oven', 'bin/bun')

/** Installs Deno and Bun for the tests where they are missing. */
export async function installRuntimes() {
  if (deno() !== undefined && bun() !== undefined) return
  console.log('Installing Deno and Bun into test/runtime/node_modules')
  const options = { cwd: join(root, 'test/runtime'), limitMs: 300_000 }
  const { code, output } = await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], options)
  if (code !== 0) console.log(output)
}

/** Runs a program that prints the report as its last line. */
async function printed(command, args, cwd) {
  const { code, output } = await run(command, args, { cwd, limitMs: patience.ms })
  const line = output.trimEnd().split('\n').at(-1) ?? ''
  if (code !== 0 || !line.startsWith('{'))
    throw new Error(`Ended with code ${code} and printed:\n${output.slice(-4000)}`)
  return line
}

async function version(command) {
  const { output } = await run(command, ['--version'])
  return output
    .split('\n')[0]
    .replace(/^deno |\(.*/g, '')
    .trim()
}

/** `undefined` instead of a report means that the program is not there. */
export async function runNode(folder) {
  return { version: process.versions.node, node: await printed(process.execPath, ['command.mjs'], folder) }
}

const denoArguments = ['run', '--no-remote', '--no-config', '--no-prompt', '--no-npm']

/** Without `permissions`, Deno may do nothing but run. */
export async function runDeno(folder, _places, permissions = []) {
  const command = deno()
  if (command === undefined) return undefined
  const args = [...denoArguments, ...permissions, 'command.mjs']
  return { version: await version(command), deno: await printed(command, args, folder) }
}

/** Deno's own type check of the core's sources, as a user of the source sees it. Empty when clean; `undefined` without Deno. */
export async function checkWithDeno(sources) {
  const command = deno()
  if (command === undefined) return undefined
  const { code, output } = await run(command, ['check', '--no-remote', '--no-lock', ...sources], {
    env: { NO_COLOR: '1' },
  })
  return code === 0 ? '' : output
}

export async function runBun(folder) {
  const command = bun()
  if (command === undefined) return undefined
  return { version: await version(command), bun: await printed(command, ['--no-install', 'command.mjs'], folder) }
}

/** The port of workerd's socket, from the control messages on its third descriptor. */
function listening(child) {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdio[3].on('data', (data) => {
      text += data
      for (const line of text.split('\n')) {
        if (!line.includes('"listen"')) continue
        const event = JSON.parse(line)
        if (event.event === 'listen' && event.socket === 'http') resolve(event.port)
      }
    })
    child.once('exit', (code) => reject(new Error(`workerd ended with code ${code}`)))
    child.once('error', reject)
  })
}

/** What the bundle in workerd answers to a request. */
async function askWorkerd(folder, init) {
  const args = ['serve', 'workerd.capnp', '--control-fd=3']
  const child = start(workerd.default ?? workerd, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.on('data', (data) => (said += data))
  child.stderr.on('data', (data) => (said += data))
  try {
    const port = await listening(child)
    const response = await fetch(`http://127.0.0.1:${port}/`, { ...init, signal: AbortSignal.timeout(patience.ms) })
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text
  } catch (error) {
    throw new Error(`${error.message}\n${said.slice(-4000)}`, { cause: error })
  } finally {
    child.end()
  }
}

export async function runWorkerd(folder) {
  const { output } = await run(workerd.default ?? workerd, ['--version'])
  return { version: output.trim().replace('workerd ', ''), workerd: await askWorkerd(folder) }
}

/** Each goes on with the runs in luggage.js, workerd with those it is sent. */
export const arriveInNode = (folder) => printed(process.execPath, ['arrive.mjs'], folder)
export const arriveInDeno = (folder) => printed(deno(), [...denoArguments, 'arrive.mjs'], folder)
export const arriveInBun = (folder) => printed(bun(), ['--no-install', 'arrive.mjs'], folder)
export const arriveInWorkerd = (folder, body) => askWorkerd(folder, { method: 'POST', body })
