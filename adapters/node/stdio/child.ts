// The process of an MCP server: its start, its last words, and that it ends with everything it started.
import type { ChildProcess } from 'node:child_process'
import type { SameloopError } from '../../../src/error/error.ts'
import type { Scrub } from '../../../src/http/scrub.ts'
import { cut } from '../../../src/json/text.ts'
import { serverError } from '../../../src/mcp-client/transport.ts'
import { own } from '../../../src/json/value.ts'
import { builtin } from '../builtin.ts'
import { killGroup } from '../host/process.ts'

export interface ServerCommand {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly env: Readonly<Record<string, string>>
  /** Takes secrets out of what it wrote. */
  readonly scrub: Scrub
}

export interface ServerProcess {
  readonly child: ChildProcess
  /** Resolves when it has ended, with why. */
  readonly ended: Promise<SameloopError>
}

/** How long it may take to end by itself when its input ends, and again when it is asked to. */
const graceMs = 2000
/** How long what it wrote last may still come: a process that it left behind may hold its output open for ever. */
const drainMs = 500
const maxLastWords = 4000
/** Kept beside them, or they could begin within a secret. */
const spareWords = 20_000

/** Starts it in a process group of its own. Throws `source-failed` where there is no such command, or it may not run. */
export async function startServer({ name, command, args, cwd, env, scrub }: ServerCommand): Promise<ServerProcess> {
  let child: ChildProcess
  try {
    child = builtin('node:child_process').spawn(command, [...args], {
      cwd,
      env,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
  } catch (cause) {
    throw notStarted(name, command, cause)
  }
  let lastWords = ''
  const utf8 = new TextDecoder()
  child.stderr?.on('data', (data: Uint8Array) => {
    lastWords = (lastWords + utf8.decode(data, { stream: true })).slice(-maxLastWords - spareWords)
  })
  // It may end without reading all of it; whoever writes is told.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined)
  const ended = ending(child).then((how) => {
    killGroup(child, 'SIGKILL')
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy()
    const said = scrub(lastWords).slice(-maxLastWords).trim()
    return serverError(name, `ended with ${how}${said === '' ? '' : `: ${said}`}`, {
      retryable: true,
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.on('spawn', () => resolve())
    child.on('error', (cause) => reject(notStarted(name, command, cause)))
  })
  return { child, ended }
}

function notStarted(name: string, command: string, cause: unknown): SameloopError {
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such command, or no such directory to begin in',
    EACCES: 'it may not be run',
  }
  const why = own(reasons, String(own(cause, 'code'))) ?? 'it could not be run'
  return serverError(name, `cannot be started with "${cut(command, 200)}": ${String(why)}`, { cause })
}

/** Its code or signal, when what it wrote has come, too. */
function ending(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.on('exit', (code, signal) => {
      const how = code === null ? `the signal ${signal}` : `code ${code}`
      const timer = setTimeout(resolve, drainMs, how)
      child.on('close', () => {
        clearTimeout(timer)
        resolve(how)
      })
    })
  })
}

/** Ends it: by ending its input, then by asking, then by force. Resolves when it is gone. */
export async function stopServer({ child, ended }: ServerProcess): Promise<void> {
  child.stdin?.end()
  if (await within(ended)) return
  killGroup(child, 'SIGTERM')
  if (await within(ended)) return
  killGroup(child, 'SIGKILL')
  await ended
}

function within(ended: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, graceMs, false)
    void ended.then(() => {
      clearTimeout(timer)
      resolve(true)
    })
  })
}
