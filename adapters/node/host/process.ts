// One process group of a command: its start, what it prints, how it ends, and that nothing of it stays.
import type { ChildProcess } from 'node:child_process'
import type { Ending, Program } from '../../../src/sandbox/interpreter.ts'
import { listen } from '../../../src/stream/signal.ts'
import { builtin } from '../builtin.ts'

export interface Starting {
  readonly program: Program
  readonly shell: string | undefined
  /** A directory of the disk. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
}

export interface Started {
  readonly child: ChildProcess
  /** To the whole group. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

interface Runtime {
  readonly process?: { kill(pid: number, signal: string): unknown }
}

/** How long what is printed may still come when the command has ended: who left the group may hold it open for ever. */
const drainMs = 1000

/** Says at its end where it is, to a descriptor that nothing else uses. */
const traced = (command: string): string => `trap 'pwd -P >&3 2>/dev/null' EXIT\n${command}`

/** Starts the command in a process group of its own. Throws where it cannot. */
export function start({ program, shell, cwd, env }: Starting): Started {
  const { command, stdin } = program
  // A shell whose input is a socket believes that it was called from afar, and reads the files of its user.
  const [file, ...flags] = shell === undefined ? defaultShell(env['PATH']) : [shell]
  const child = builtin('node:child_process').spawn(file ?? 'sh', [...flags, '-c', traced(command)], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  // It may end without reading all of it.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(stdin)
  return {
    child,
    kill: (signal) => killGroup(child, signal),
  }
}

/** Ends the process group that a detached child leads. */
export function killGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return
  try {
    ;(globalThis as Runtime).process?.kill(-pid, signal)
  } catch {
    // There is nobody left in it.
  }
}

function defaultShell(path = ''): readonly string[] {
  const { existsSync } = builtin('node:fs')
  const { delimiter, join } = builtin('node:path')
  const bash = path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'bash'))
    .find((file) => existsSync(file))
  return bash === undefined ? ['sh'] : [bash, '--norc', '--noprofile']
}

export interface Watching {
  readonly program: Program
  /** The root on the disk. */
  readonly top: string
}

/** How the command ended, and where; rejects where it could not be started. */
export async function endingOf(started: Started, { program, top }: Watching): Promise<Ending> {
  const { child, kill } = started
  const forget = listen(program.signal, () => kill('SIGTERM'))
  const printed = (['stdout', 'stderr'] as const).map((stream) => textsOf(child[stream], program.output, stream))
  let place = ''
  const decoder = new TextDecoder()
  const trace = child.stdio[3] as ChildProcess['stdout'] | undefined
  trace?.on('data', (data: Uint8Array) => {
    // More than a path can have does not come from our own line.
    if (place.length < 10_000) place += decoder.decode(data, { stream: true })
  })
  trace?.on('error', () => undefined)
  const closed = new Promise<void>((resolve) => void child.on('close', () => resolve()))
  try {
    const exitCode = await exitOf(child)
    // What it left behind would work on when nobody expects it.
    kill('SIGKILL')
    await inTime(closed)
    for (const end of printed) end()
    return { exitCode, cwd: within(top, place.trimEnd()) }
  } finally {
    forget()
    for (const stream of [child.stdin, child.stdout, child.stderr, trace]) stream?.destroy()
  }
}

function exitOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code, signal) => {
      const { signals } = builtin('node:os').constants
      resolve(code ?? 128 + (signal === null ? 0 : signals[signal]))
    })
  })
}

function inTime(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, drainMs)
    void work.then(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

/** Hands on what is printed; the returned function hands on what is left of it. */
function textsOf(from: ChildProcess['stdout'], output: Program['output'], stream: 'stdout' | 'stderr'): () => void {
  const decoder = new TextDecoder()
  from?.on('data', (data: Uint8Array) => output(stream, decoder.decode(data, { stream: true })))
  from?.on('error', () => undefined)
  return () => output(stream, decoder.decode())
}

/** A directory of the disk as the commands' `cwd` says it; `undefined` outside of the root. */
function within(top: string, place: string): string | undefined {
  const { sep } = builtin('node:path')
  const inner = place === top ? '' : place.slice(top.length)
  const isInside = place === top || (place.startsWith(top) && (top.endsWith(sep) || inner.startsWith(sep)))
  return isInside ? `/${inner}` : undefined
}
