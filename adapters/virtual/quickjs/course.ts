// One program from its start to its end: turns of the engine, and the answers that it waits for between them.
import type { QuickJSWASMModule } from 'quickjs-emscripten-core'
import { SameloopError } from '../../../src/error/error.ts'
import type { Host } from '../../../src/host/host.ts'
import type { Ending, Program } from '../../../src/sandbox/interpreter.ts'
import { listen } from '../../../src/stream/signal.ts'
import type { QuickjsBounds } from './facts.ts'
import { openMachine, readText } from './machine.ts'
import type { Answer, Machine, Outside } from './machine.ts'
import { grant } from './wish.ts'
import type { Wish } from './wish.ts'

export interface CourseOptions {
  readonly module: QuickJSWASMModule
  readonly bounds: QuickjsBounds
  readonly host: Host
}

export interface CourseEnd {
  readonly ending: Ending
  /** The engine broke, and must not be used again. */
  readonly isBroken: boolean
}

interface Course extends CourseOptions {
  readonly program: Program
  readonly answers: Answer[]
  /** What was asked and is not answered, by its number. */
  readonly asked: Map<number, AbortController>
  /** Milliseconds since the epoch, when its time is over. */
  readonly latest: number
  ending: Ending | undefined
  steps: number
  lastId: number
  /** Ends the wait for answers. */
  wake: () => void
}

/** What is asked and not answered, of one program. */
const maxAsked = 1000
const jobsPerTurn = 10_000
/** Steps after which everybody else in the thread has a turn. */
const stepsPerTurn = 1_000_000
/** The engine asks whether it must stop once in so many steps. */
const stepsPerTick = 10_000
/** What a job costs, and what a function of the host does. */
const stepsPerJob = 100
const maxStdin = 2 ** 22
/** Uncaught, these say that a limit was reached. */
const limitErrors = /^InternalError: (out of memory|stack overflow)$/

export async function runProgram(program: Program, options: CourseOptions): Promise<CourseEnd> {
  const course: Course = {
    ...options,
    program,
    answers: [],
    asked: new Map(),
    latest: options.host.now() + program.timeoutMs,
    ending: undefined,
    steps: 0,
    lastId: 0,
    wake: () => {},
  }
  const stopListening = listen(program.signal, () => course.wake())
  let machine: Machine | undefined
  let isBroken = false
  try {
    machine = open(course)
    if (machine) await follow(course, machine)
  } catch {
    isBroken = true
    endBy(course, 'The program took all memory, or nests too deep')
  }
  stopListening()
  // Whatever it does from now on is not heard.
  course.ending ??= { exitCode: 130 }
  for (const control of course.asked.values()) control.abort()
  // An engine that broke cannot even be left in order.
  if (!isBroken && machine?.dispose() === false) isBroken = true
  return { ending: course.ending, isBroken }
}

const complain = ({ program }: Course, words: string): void => program.output('stderr', `${words}\n`)

function end(course: Course, ending: Ending): void {
  course.ending ??= ending
  course.wake()
}

/** A limit ends it. */
function endBy(course: Course, words: string): void {
  if (course.ending !== undefined) return
  complain(course, words)
  end(course, { exitCode: 126, stopped: 'limit' })
}

function open(course: Course): Machine | undefined {
  const { module, bounds, program } = course
  const { stdin, cwd, env, call, fetch } = program
  if (stdin.length > maxStdin) {
    endBy(course, `The standard input may have ${maxStdin} bytes, and has ${stdin.length}: write it to a file`)
    return undefined
  }
  const settings = {
    cwd,
    env,
    stdin: new TextDecoder().decode(stdin),
    hasTools: call !== undefined,
    hasFetch: fetch !== undefined,
  }
  return openMachine(module, { memoryBytes: bounds.memoryBytes, outside: outsideOf(course), settings })
}

async function follow(course: Course, machine: Machine): Promise<void> {
  const { program, host } = course
  const isOver = (): boolean => course.ending !== undefined || program.signal.aborted
  let nextTurn = stepsPerTurn
  machine.start(program.command)
  while (!isOver()) {
    const jobs = machine.runJobs(jobsPerTurn)
    charge(course, jobs * stepsPerJob)
    if (course.steps > nextTurn) {
      nextTurn = course.steps + stepsPerTurn
      await new Promise<void>((resolve) => void host.timer(0, resolve))
    }
    if (isOver() || isLate(course)) return
    if (jobs === jobsPerTurn) continue
    const answer = course.answers.shift()
    if (answer) {
      machine.settle(answer)
      continue
    }
    if (course.asked.size === 0) {
      complain(course, 'The program waits for something that never comes: a promise that nothing settles')
      return end(course, { exitCode: 1 })
    }
    await new Promise<void>((resolve) => {
      course.wake = resolve
    })
  }
}

/** Counts steps; false where there are too many. */
function charge(course: Course, steps: number): boolean {
  const { bounds } = course
  course.steps += steps
  if (course.steps <= bounds.steps) return true
  endBy(course, `The program was ended after ${bounds.steps} steps: it must compute less`)
  return false
}

/**
 * Not every runtime ends a Worker that computes, and nobody does in a thread; this sees it where the clock goes on: while
 * the engine counts, and after each turn, of which all may have been one call of a built-in function.
 */
function isLate(course: Course): boolean {
  if (course.host.now() <= course.latest) return false
  // Nothing that it says of its own end counts: that came too late.
  end(course, { exitCode: 124, stopped: 'timeout' })
  return true
}

function outsideOf(course: Course): Outside {
  const { program } = course
  const isOver = (): boolean => course.ending !== undefined || program.signal.aborted
  return {
    called: (size) => {
      charge(course, stepsPerJob + size / stepsPerJob)
      if (isOver()) throw new Error('The program has ended')
    },
    print: (stream, text) => {
      program.output(stream === 'stderr' ? 'stderr' : 'stdout', readText(text))
    },
    ask: (kind, texts, bytes) => ask(course, { kind, texts, bytes }),
    cancel: (id) => {
      if (typeof id !== 'number') return
      course.asked.get(id)?.abort()
      course.asked.delete(id)
    },
    exit: (code) => {
      if (!isLate(course)) end(course, { exitCode: Number.isInteger(code) ? Number(code) : 1 })
    },
    finish: (isGood, text, kind) => {
      if (isOver() || isLate(course)) return
      if (isGood === true) return finishWell(course, text)
      complain(course, readText(text) || 'The program took all memory, and left none for words')
      const isLimit = limitErrors.test(readText(kind)) || readText(text) === ''
      end(course, { exitCode: 1, ...(isLimit && { stopped: 'limit' }) })
    },
    mustStop: () => isOver() || isLate(course) || !charge(course, stepsPerTick),
  }
}

function finishWell(course: Course, text: unknown): void {
  if (typeof text === 'string') course.program.output('stdout', `${text}\n`)
  end(course, { exitCode: 0 })
}

function ask(course: Course, wish: Wish): number {
  const { asked, answers, program, host } = course
  if (asked.size + answers.length >= maxAsked)
    throw new SameloopError('tool-limit', `At most ${maxAsked} calls, files and timers may be waited for at once`)
  const id = ++course.lastId
  const control = new AbortController()
  asked.set(id, control)
  void grant(wish, { program, host, signal: control.signal }).then((answer) => {
    if (!asked.delete(id)) return
    answers.push({ id, ...answer })
    course.wake()
  })
  return id
}
