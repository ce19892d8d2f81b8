// Programs in a Worker: it is ended with whatever does not end, and files, network and tools stay here.
import { SameloopError } from '../error/error.ts'
import { guarded } from '../error/guard.ts'
import { jsonText, parseJson } from '../json/text.ts'
import type { Json } from '../json/value.ts'
import type { Ending, Program } from '../sandbox/interpreter.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { innerPort, whole } from '../remote/message-port.ts'
import type { InnerPort } from '../remote/message-port.ts'
import { sentError } from '../remote/sent-error.ts'
import { serve } from '../remote/serve.ts'
import { confined } from '../confined/confined.ts'
import type { ConfinedOptions } from '../confined/confined.ts'
import { boundsOf } from '../confined/request.ts'
import { fetchFor } from './sent-fetch.ts'
import { maxWishes, readSaid } from './worker-message.ts'
import type { Said, Told, Wish, WorkerPort } from './worker-message.ts'

export interface InWorkerOptions extends ConfinedOptions {
  /** Makes a Worker whose script calls `serveInterpreter`. Called at the first command or `warm()`, and after a Worker's end. */
  readonly start: () => WorkerPort
  /** Whether a Worker ends with its command, so that each command has one of its own. Default false. */
  readonly isOnce?: boolean | undefined
}

/** So many messages may come for commands that are over; after that the Worker is not trusted any more. */
const maxStray = 10_000

/** A program under way. */
interface Running {
  readonly id: number
  readonly program: Program
  readonly files: InnerPort
  readonly wishes: Map<number, AbortController>
  end(ending: Ending): void
  fail(error: Error): void
}

/** One Worker, from its start to its end. */
interface Life {
  readonly port: WorkerPort
  readonly ready: Promise<void>
  /** Ends it, and what waits for it. Once. */
  readonly end: () => void
  readonly settle: { ready: () => void; lost: (error: Error) => void }
  running: Running | undefined
  stray: number
}

/**
 * A sandbox that runs an interpreter in a Worker of its own, started when it is first needed and kept. An abort or
 * timeout ends the Worker at once, and the next command has a new one (a runtime that does not end what computes lets it
 * go on, cut off from everything); so it is when the Worker dies, which ends the command with `stopped: 'crash'`. What the
 * Worker says is checked: a program that broke out of its interpreter can do no more than the program was allowed to do,
 * as far as the Worker itself has nothing: give it a script without secrets and a policy without network.
 */
export function inWorker({ start, isOnce = false, ...options }: InWorkerOptions): Sandbox {
  const { spillChars } = boundsOf(options.limits ?? {})
  let life: Life | undefined
  let lastId = 0
  const alive = (): Life => (life ??= begin(start, (over) => (life = life === over ? undefined : life)))
  return confined(options, {
    isolation: 'worker',
    hardKill: true,
    graceMs: 0,
    load: async () => alive().ready,
    run: async (program) => {
      const now = alive()
      try {
        return await runIn(now, program, { id: ++lastId, room: spillChars })
      } finally {
        if (isOnce) now.end()
      }
    },
    kill: () => life?.end(),
  })
}

const gone = (): SameloopError => new SameloopError('sandbox-failed', 'The Worker of the interpreter is gone')

function begin(start: () => WorkerPort, onEnd: (life: Life) => void): Life {
  const port = start()
  const settle: { ready: () => void; lost: (error: Error) => void } = { ready: () => {}, lost: () => {} }
  const ready = new Promise<void>((resolve, reject) => Object.assign(settle, { ready: resolve, lost: reject }))
  // Who waits for it is told; where nobody does, nobody is.
  ready.catch(() => undefined)
  let isOver = false
  const life: Life = {
    port,
    ready,
    settle,
    end: () => {
      if (isOver) return
      isOver = true
      onEnd(life)
      guarded(() => port.terminate(), undefined)
      settle.lost(gone())
      life.running?.fail(gone())
    },
    running: undefined,
    stray: 0,
  }
  port.onError(life.end)
  port.onMessage((message) => {
    if (!isOver && !heard(life, readSaid(message))) life.end()
  })
  return life
}

const tell = ({ port }: Life, message: Told, transfer: ArrayBuffer[] = []): void =>
  guarded(() => port.postMessage(message, transfer), undefined)

function runIn(
  life: Life,
  program: Program,
  { id, room }: { readonly id: number; readonly room: number },
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const files = innerPort((message, transfer) => tell(life, { type: 'files', id, message }, transfer))
    const stopServing = program.fs && serve(program.fs, files.port, { onBroken: life.end })
    const wishes: Running['wishes'] = new Map()
    const close = (): void => {
      life.running = undefined
      stopServing?.()
      for (const control of wishes.values()) control.abort()
    }
    life.running = {
      id,
      program,
      files,
      wishes,
      end: (ending) => {
        close()
        resolve(ending)
      },
      fail: (error) => {
        close()
        reject(error)
      },
    }
    const { command, cwd, env, stdin, timeoutMs, fetch, call } = program
    const has = { hasFetch: fetch !== undefined, hasCall: call !== undefined }
    tell(life, { type: 'run', id, command, cwd, env, stdin, timeoutMs, room, ...has })
  })
}

/** Whether the Worker may go on. */
function heard(life: Life, said: Said | undefined): boolean {
  if (said === undefined || said.type === 'broken') return false
  if (said.type === 'ready') {
    life.settle.ready()
    return true
  }
  const { running } = life
  if (running?.id !== said.id) return ++life.stray < maxStray
  switch (said.type) {
    case 'output':
      for (const [stream, text] of said.pieces) running.program.output(stream, text)
      return true
    case 'files':
      running.files.deliver(said.message)
      return true
    case 'cancel':
      running.wishes.get(said.request)?.abort()
      return true
    case 'end':
      running.end(said.ending)
      return true
    case 'wish':
      if (running.wishes.has(said.request) || running.wishes.size >= maxWishes) return false
      void fulfil(life, running, said)
      return true
  }
}

async function fulfil(
  life: Life,
  running: Running,
  said: { readonly request: number; readonly wish: Wish },
): Promise<void> {
  const { id, wishes, program } = running
  const { request, wish } = said
  const control = new AbortController()
  wishes.set(request, control)
  try {
    if (wish.type === 'call') {
      tell(life, { type: 'answer', id, request, value: await called(program, wish) })
    } else {
      if (!program.fetch) throw new SameloopError('config-missing-capability', 'There is no network')
      const response = await fetchFor(program.fetch, wish.sent, control.signal)
      const body = whole(response.body)
      tell(life, { type: 'answer', id, request, value: { ...response, body } }, [body.buffer])
    }
  } catch (error) {
    tell(life, { type: 'refusal', id, request, error: sentError(error) })
  } finally {
    wishes.delete(request)
  }
}

/** The tool's result as JSON text; `undefined` where it has none. */
async function called(
  { call }: Program,
  { name, input }: Extract<Wish, { type: 'call' }>,
): Promise<string | undefined> {
  if (!call) throw new SameloopError('config-missing-capability', 'There are no tools')
  const parsed = parseJson(input)
  if (!parsed.ok) throw new SameloopError('tool-invalid-input', `Cannot call "${name}": its input must be JSON`)
  const result = await call(name, parsed.value as Json)
  const text = jsonText(result)
  if (text === undefined && result !== undefined)
    throw new SameloopError('tool-invalid-output', `Cannot call "${name}": its result must be JSON`)
  return text
}
