// The inside of a Worker that runs programs for `inWorker`.
import { SameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import { parseJson, stringifyJson } from '../json/text.ts'
import type { Interpreter, LoadInterpreter, Program } from '../sandbox/interpreter.ts'
import { listen } from '../stream/signal.ts'
import { innerPort, listenTo } from '../remote/message-port.ts'
import type { InnerPort, MessagePortLike } from '../remote/message-port.ts'
import { receivedError } from '../remote/sent-error.ts'
import { remote } from '../remote/remote.ts'
import { outputSender } from './output-sender.ts'
import { fetchThrough } from './sent-fetch.ts'
import { maxWishes } from './worker-message.ts'
import type { Said, Told, Wish } from './worker-message.ts'

type Run = Extract<Told, { type: 'run' }>

interface Answer {
  resolve(value: unknown): void
  reject(error: unknown): void
}

interface Inside {
  readonly say: (message: Said, transfer?: ArrayBuffer[]) => void
  readonly interpreter: Promise<Interpreter>
  /** What was asked of the other end, by a number that is never used again. */
  readonly asked: Map<number, Answer>
  /** What waits until fewer are asked. */
  readonly waiting: (() => void)[]
  /** The files of the program under way. */
  files: { readonly id: number; readonly inner: InnerPort } | undefined
  lastRequest: number
}

/**
 * Serves the `inWorker` at the other end of `port`: the global object of a web Worker, or the `parentPort` of Node's. The
 * Worker's script calls it once, at once; the interpreter is loaded then.
 */
export function serveInterpreter(port: MessagePortLike, load: LoadInterpreter): void {
  const inside: Inside = {
    say: (message, transfer = []) => port.postMessage(message, transfer),
    interpreter: Promise.resolve().then(load),
    asked: new Map(),
    waiting: [],
    files: undefined,
    lastRequest: 0,
  }
  listenTo(port, { onMessage: (message) => told(inside, message as Told), onClose: () => {} })
  inside.interpreter.then(
    () => inside.say({ type: 'ready' }),
    () => inside.say({ type: 'broken' }),
  )
}

function told(inside: Inside, message: Told): void {
  if (message.type === 'run') return void runHere(inside, message)
  if (message.type === 'files') {
    if (inside.files?.id === message.id) inside.files.inner.deliver(message.message)
    return
  }
  const answer = inside.asked.get(message.request)
  // An answer to a program that is over makes no room.
  if (!inside.asked.delete(message.request)) return
  inside.waiting.shift()?.()
  if (message.type === 'answer') answer?.resolve(message.value)
  else answer?.reject(receivedError(message.error))
}

async function runHere(inside: Inside, run: Run): Promise<void> {
  const { id, command, cwd, env, stdin, timeoutMs, room } = run
  const sender = outputSender({ host: webHost, room, send: (pieces) => inside.say({ type: 'output', id, pieces }) })
  const say: Inside['say'] = (message, transfer) => {
    // What was printed before is seen before.
    sender.flush()
    inside.say(message, transfer)
  }
  const inner = innerPort((message, transfer) => say({ type: 'files', id, message }, transfer))
  inside.files = { id, inner }
  try {
    const fs = await remote(inner.port)
    const interpreter = await inside.interpreter
    const ending = await interpreter.run({
      fs,
      ...worldOf(run, (wish, signal) => ask(inside, { say, id, wish, signal })),
      command,
      cwd,
      env,
      stdin,
      timeoutMs,
      // Whoever wants it to stop ends this Worker.
      signal: new AbortController().signal,
      output: sender.add,
    })
    const { exitCode, cwd: last, stopped } = ending
    say({ type: 'end', id, ending: { exitCode, cwd: last, stopped } })
  } catch {
    say({ type: 'broken' })
  } finally {
    forget(inside)
  }
}

/** What a program asked and left unanswered is asked no more: nobody would answer it, and it would keep its place. */
function forget(inside: Inside): void {
  inside.files = undefined
  const over = new SameloopError('sandbox-failed', 'Cannot reach outside: the command is over')
  for (const { reject } of [...inside.asked.values()]) reject(over)
  inside.asked.clear()
  for (const goOn of inside.waiting.splice(0)) goOn()
}

function worldOf(
  { hasFetch, hasCall }: Run,
  ask: (wish: Wish, signal?: AbortSignal) => Promise<unknown>,
): Pick<Program, 'fetch' | 'call'> {
  return {
    ...(hasFetch && { fetch: fetchThrough((sent, signal) => ask({ type: 'fetch', sent }, signal)) }),
    ...(hasCall && {
      call: async (name, input) => {
        const text = await ask({ type: 'call', name, input: stringifyJson(input) })
        const parsed = typeof text === 'string' ? parseJson(text) : undefined
        return parsed?.ok ? parsed.value : undefined
      },
    }),
  }
}

interface Asking {
  readonly say: Inside['say']
  readonly id: number
  readonly wish: Wish
  readonly signal: AbortSignal | undefined
}

async function ask(inside: Inside, { say, id, wish, signal }: Asking): Promise<unknown> {
  const { asked, waiting } = inside
  if (asked.size >= maxWishes) await new Promise<void>((resolve) => waiting.push(resolve))
  if (inside.files?.id !== id) throw new SameloopError('sandbox-failed', 'Cannot reach outside: the command is over')
  const request = ++inside.lastRequest
  return new Promise((resolve, reject) => {
    const forget = listen(signal, (reason) => {
      reject(reason)
      if (asked.has(request)) say({ type: 'cancel', id, request })
      else waiting.shift()?.()
    })
    if (signal?.aborted) return
    const settle = (give: () => void): void => {
      forget()
      give()
    }
    asked.set(request, {
      resolve: (value) => settle(() => resolve(value)),
      reject: (error) => settle(() => reject(error)),
    })
    say({ type: 'wish', id, request, wish })
  })
}
