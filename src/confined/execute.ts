// One command from its start to its result: its world, its time, and what becomes of its files.
import { isSameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import { cow } from '../overlay/cow.ts'
import type { Overlay } from '../overlay/cow.ts'
import type { Ending } from '../sandbox/interpreter.ts'
import type { ExecResult } from '../sandbox/sandbox.ts'
import { deadline, listen } from '../stream/signal.ts'
import { absolutePath, normalizePath } from '../vfs/path.ts'
import type { Vfs, VfsChange } from '../vfs/vfs.ts'
import type { Home } from './engine.ts'
import { output } from './output.ts'
import type { Output } from './output.ts'
import type { Task } from './request.ts'
import { openWorld } from './world.ts'
import type { OpenWorld } from './world.ts'

type Stopped = NonNullable<ExecResult['stopped']>

/** A command under way. */
interface Course {
  readonly home: Home
  readonly task: Task
  /** What was asked for, or what lasts as long as the sandbox. */
  readonly files: Vfs
  readonly overlay: Overlay | undefined
  readonly open: OpenWorld
  readonly printed: Output
  /** Aborts when the command is to stop. */
  readonly control: AbortController
  readonly releases: (() => void)[]
  /** Waits no longer for it. */
  leave: () => void
  phase: 'before' | 'running' | 'after'
  stopped: Stopped | undefined
}

const exitCodes: Record<Stopped, number> = { abort: 130, timeout: 124, limit: 126, killed: 137, crash: 126 }

/** How long the files may take to keep what was changed, and what was printed: they hold up the next command. */
const keepMs = 30_000

/** The result of a command that was stopped while it waited. */
export function notBegun(home: Home): ExecResult {
  const stopped = home.closing.aborted ? 'killed' : 'abort'
  return { exitCode: exitCodes[stopped], stdout: '', stderr: '', durationMs: 0, stopped }
}

/** Runs the command. Never rejects, whatever a program, an interpreter or files do. */
export async function execute(home: Home, task: Task): Promise<ExecResult> {
  const { host } = home
  const started = host.now()
  const course = courseOf(home, task)
  const left = new Promise<undefined>((resolve) => {
    course.leave = () => resolve(undefined)
  })
  course.releases.push(
    listen(task.signal, (reason) => stop(course, 'abort', reason)),
    listen(home.closing, () => stop(course, 'killed')),
  )
  const ending = await Promise.race([run(course), left]).catch(() => crash(course, 'the interpreter failed'))
  course.phase = 'after'
  course.open.close()
  const kept = await keep(course, ending)
  for (const release of course.releases) release()
  if (ending?.cwd !== undefined) home.cwd = ending.cwd
  const streams = await course.printed.close((whole) => spill(course, whole))
  const { stopped = kept.ending?.stopped } = course
  return {
    exitCode: exitCodeOf(course.stopped, kept.ending),
    ...streams,
    durationMs: host.now() - started,
    ...(stopped && { stopped }),
    ...(kept.changes && { changes: kept.changes }),
  }
}

function courseOf(home: Home, task: Task): Course {
  const files = task.fs ?? home.ownFiles()
  const overlay = task.atomic === true ? cow(files, { now: home.host.now }) : undefined
  const course: Course = {
    home,
    task,
    files,
    overlay,
    open: openWorld({ fs: overlay ?? files, fetch: task.fetch, call: task.call }),
    printed: output({ bounds: home.bounds, onOutput: task.onOutput, onFull: () => stop(course, 'limit') }),
    control: new AbortController(),
    releases: [],
    leave: () => {},
    phase: 'before',
    stopped: undefined,
  }
  return course
}

/** The command is to end now: by itself, if it is given the time, or without its consent. */
function stop(course: Course, why: Stopped, reason?: unknown): void {
  if (course.stopped !== undefined) return
  const { engine, host } = course.home
  course.stopped = why
  course.control.abort(reason)
  // Changes that are being kept are kept, or not, as a whole.
  if (course.phase === 'after') return
  if (course.phase === 'before') return course.leave()
  const giveUp = (): void => {
    engine.kill()
    course.leave()
  }
  if (engine.graceMs === 0) giveUp()
  else course.releases.push(host.timer(engine.graceMs, giveUp))
}

function crash(course: Course, words: string): undefined {
  // What was stopped on purpose may fail in any way.
  if (course.stopped !== undefined) return
  say(course, words)
  stop(course, 'crash')
}

const say = ({ home, printed }: Course, words: string): void => printed.add('stderr', `${home.kind}: ${words}\n`)

async function run(course: Course): Promise<Ending | undefined> {
  const { home, task, control } = course
  const { engine, host, bounds } = home
  const refuse = (words: string): Ending => {
    say(course, words)
    return { exitCode: 126 }
  }
  if (task.refused !== undefined) return { ...refuse(task.refused), stopped: 'limit' }
  const stopWaiting = host.timer(bounds.loadMs, () => {
    engine.kill()
    crash(course, `it was not ready within ${bounds.loadMs} ms`)
  })
  course.releases.push(stopWaiting)
  const cwd = await beginning(course)
  if (cwd === undefined) return refuse(`there is no directory ${JSON.stringify(task.cwd)} to begin in`)
  if (course.stopped !== undefined) return undefined
  const isLoaded = await engine.load().then(
    () => true,
    () => false,
  )
  stopWaiting()
  if (!isLoaded) return crash(course, 'the interpreter could not be loaded')
  if (course.stopped !== undefined) return undefined
  course.phase = 'running'
  const { command, env, stdin, timeoutMs } = task
  if (timeoutMs < Infinity) course.releases.push(host.timer(timeoutMs, () => stop(course, 'timeout')))
  const ending = await engine.run({
    ...course.open.world,
    command,
    cwd,
    env,
    stdin,
    signal: control.signal,
    timeoutMs,
    output: (stream, text) => {
      if (course.phase === 'running') course.printed.add(stream, text)
    },
  })
  return plainEnding(ending)
}

/** The directory to begin in; `undefined` where the command asks for one that is not there. */
async function beginning({ home, task, files, control }: Course): Promise<string | undefined> {
  const { cwd = home.cwd ?? '.' } = task
  const path = guarded(() => absolutePath(files, cwd), undefined)
  const options = { signal: control.signal }
  const found = path === undefined ? undefined : await files.stat(path, options).catch(() => undefined)
  if (found?.type === 'dir') return path
  return task.cwd === undefined ? absolutePath(files, '.') : undefined
}

/** What an interpreter says, as far as it can be used. */
function plainEnding({ exitCode, cwd, stopped }: Ending): Ending {
  const path = typeof cwd === 'string' ? guarded(() => normalizePath(cwd), undefined) : undefined
  return {
    exitCode: Number.isInteger(exitCode) ? exitCode & 255 : 126,
    cwd: path,
    stopped: stopped === 'limit' || stopped === 'timeout' ? stopped : undefined,
  }
}

function exitCodeOf(stopped: Stopped | undefined, ending: Ending | undefined): number {
  if (stopped !== undefined) return exitCodes[stopped]
  const { exitCode = exitCodes.crash, stopped: own } = ending ?? {}
  if (own === 'timeout') return exitCodes.timeout
  return own === 'limit' && exitCode === 0 ? exitCodes.limit : exitCode
}

interface Kept {
  readonly ending: Ending | undefined
  readonly changes?: readonly VfsChange[]
}

/** What becomes of the changes of a command that makes all or none. */
async function keep(course: Course, ending: Ending | undefined): Promise<Kept> {
  const { overlay, control } = course
  if (overlay === undefined) return { ending }
  const isGood = course.stopped === undefined && ending?.exitCode === 0 && ending.stopped === undefined
  if (!isGood) return { ending, changes: [] }
  try {
    const changes = await inTime(course, overlay.commit({ signal: control.signal }))
    if (changes === undefined) {
      say(course, `the files did not answer within ${keepMs} ms: whether the changes were kept is not known`)
      return { ending: { ...ending, exitCode: 1 }, changes: [] }
    }
    // What came too late to stop it stopped nothing.
    course.stopped = undefined
    return { ending, changes }
  } catch (error) {
    const words = isSameloopError(error) ? error.message : 'the files failed'
    if (course.stopped === undefined) say(course, `the changes of files were not kept: ${words}`)
    return { ending: { ...ending, exitCode: 1 }, changes: [] }
  }
}

/** What the files give, or `undefined` where they take too long. */
async function inTime<Value>({ home }: Course, work: Promise<Value>): Promise<Value | undefined> {
  const limit = deadline(home.host, { ms: keepMs, reason: () => undefined })
  const late = new Promise<undefined>((resolve) => {
    listen(limit.signal, () => resolve(undefined))
  })
  try {
    return await Promise.race([work, late])
  } finally {
    limit.release()
    // Whoever is left behind may fail.
    work.catch(() => undefined)
  }
}

/** Writes what was printed beside long results of tools; `undefined` where it cannot be kept. */
async function spill(course: Course, whole: string): Promise<string | undefined> {
  const { home, files } = course
  try {
    const path = absolutePath(files, `.tool-results/${home.host.id('result_')}.txt`)
    const data = new TextEncoder().encode(whole)
    return await inTime(
      course,
      files.write(path, data, { parents: true }).then(() => path),
    )
  } catch {
    return undefined
  }
}
