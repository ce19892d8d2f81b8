// A sandbox made of what runs one program at a time: it keeps the order, and what lasts from command to command.
import { SameloopError } from '../error/error.ts'
import type { Host } from '../host/host.ts'
import { webHost } from '../host/web-host.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { joinSignals, listen } from '../stream/signal.ts'
import { memoryFiles } from '../vfs/memory.ts'
import type { Vfs } from '../vfs/vfs.ts'
import type { Engine, Home } from './engine.ts'
import { execute, notBegun } from './execute.ts'
import { boundsOf, taskOf } from './request.ts'
import type { ConfinedLimits } from './request.ts'

/** What is known of a sandbox before anything is loaded. */
export interface ConfinedOptions extends Pick<Sandbox, 'kind' | 'languages' | 'describe'> {
  readonly host?: Host | undefined
  readonly limits?: ConfinedLimits | undefined
}

export function confined(
  { kind, languages, describe, host = webHost, limits = {} }: ConfinedOptions,
  engine: Engine,
): Sandbox {
  const closing = new AbortController()
  const takeTurn = turns()
  const running = new Set<Promise<unknown>>()
  let own: Vfs | undefined
  const home: Home = {
    kind,
    host,
    bounds: boundsOf(limits),
    engine,
    closing: closing.signal,
    ownFiles: () => (own ??= memoryFiles({ now: host.now })),
    cwd: undefined,
  }
  const checkOpen = (): void => {
    if (closing.signal.aborted) throw new SameloopError('sandbox-failed', `Cannot use "${kind}": it was disposed of`)
  }
  return {
    kind,
    languages,
    isolation: engine.isolation,
    hardKill: engine.hardKill,
    describe,
    exec: async (request) => {
      checkOpen()
      const task = taskOf(request, home.bounds)
      const ends = joinSignals([task.signal, closing.signal])
      const turn = { work: () => execute(home, task), signal: ends.signal, instead: () => notBegun(home) }
      const result = takeTurn(turn)
      running.add(result)
      try {
        return await result
      } finally {
        running.delete(result)
        ends.release()
      }
    },
    warm: async () => {
      checkOpen()
      await engine.load().catch((cause: unknown) => {
        throw new SameloopError('sandbox-failed', `Cannot load "${kind}"`, { cause, retryable: true })
      })
    },
    dispose: async () => {
      closing.abort()
      await Promise.allSettled(running)
      engine.kill()
    },
  }
}

interface Turn<Result> {
  readonly work: () => Promise<Result>
  readonly signal: AbortSignal
  /** The result where the signal aborts while it waits. */
  readonly instead: () => Result
}

/** One at a time, in the order they came; who gives up waiting leaves at once. */
function turns(): <Result>(turn: Turn<Result>) => Promise<Result> {
  const waiting: (() => Promise<void>)[] = []
  let isTaken = false
  const next = (): void => {
    const start = waiting.shift()
    isTaken = start !== undefined
    void start?.()
  }
  return ({ work, signal, instead }) =>
    new Promise((resolve, reject) => {
      if (signal.aborted) return resolve(instead())
      const start = async (): Promise<void> => {
        forget()
        try {
          resolve(await work())
        } catch (error) {
          reject(error)
        }
        next()
      }
      const forget = listen(signal, () => {
        waiting.splice(waiting.indexOf(start), 1)
        resolve(instead())
      })
      waiting.push(start)
      if (!isTaken) next()
    })
}
