// A workerd process: started on a bundle, asked over loopback, its CPU time and memory read from the system.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { start } from '../../scripts/project.mjs'

/** The program, where the package is installed. */
async function program() {
  const { default: found } = await import('workerd')
  return found.default ?? found
}

/** Why workerd cannot be measured here; `undefined` where it can. */
export async function whyNoWorkerd() {
  if (!existsSync('/proc/self/schedstat')) return 'CPU time of another process is read from /proc, which is not here'
  return program().then(
    () => undefined,
    () => 'workerd is not installed',
  )
}

const config = (flags) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "bench", worker = .bench)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "bench")],
);
const bench :Workerd.Worker = (
  modules = [(name = "bench.js", esModule = embed "bench.js")],
  compatibilityDate = "2026-04-01",
  compatibilityFlags = [${flags.map((flag) => JSON.stringify(flag)).join(', ')}],
);
`

/** CPU nanoseconds of a thread; 0 where it has just ended. */
function threadTime(path) {
  try {
    return Number(readFileSync(`${path}/schedstat`, 'utf8').split(' ')[0])
  } catch {
    return 0
  }
}

/** CPU milliseconds of all threads of a process so far. */
export function cpuMsOf(pid) {
  const tasks = `/proc/${pid}/task`
  return readdirSync(tasks).reduce((sum, task) => sum + threadTime(`${tasks}/${task}`), 0) / 1e6
}

/** Resident memory of a process, in MB. */
export const residentMbOf = (pid) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? NaN) / 1024

function portOf(child, said) {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdio[3].on('data', (data) => {
      text += data
      const [, port] = /"listen".*"port":(\d+)/.exec(text) ?? []
      if (port !== undefined) resolve(Number(port))
    })
    child.once('exit', () => reject(new Error(`workerd ended: ${said()}`)))
    child.once('error', reject)
  })
}

/** One connection per question: workerd closes those that were idle. */
function answerOf(url) {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false, timeout: 120_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (data) => (text += data))
      response.once('end', () => resolve(text))
      response.once('error', reject)
    })
    asked.once('timeout', () => asked.destroy(new Error('No answer within two minutes')))
    asked.once('error', reject)
  })
}

/** Starts workerd on `code`: `{ pid, ask(query), end() }`. */
export async function workerd(code, flags) {
  const folder = mkdtempSync(join(tmpdir(), 'sameloop-bench-'))
  writeFileSync(join(folder, 'bench.js'), code)
  writeFileSync(join(folder, 'bench.capnp'), config(flags))
  const child = start(await program(), ['serve', 'bench.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  let errors = ''
  child.stderr.on('data', (data) => (errors += data))
  const said = () => errors.trim().split('\n').slice(0, 3).join(' ').slice(0, 300)
  const port = await portOf(child, said)
  return {
    pid: child.pid,
    async ask(query) {
      const text = await answerOf(`http://127.0.0.1:${port}/?${query}`)
      if (text !== 'right') throw new Error(`workerd answered: ${text.slice(0, 200)} ${said()}`)
    },
    end: () => child.end(),
  }
}
