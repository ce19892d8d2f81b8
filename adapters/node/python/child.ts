// A process of its own, for Python, that is ended as a whole.
import { guarded } from '../../../src/error/guard.ts'
import type { WorkerPort } from '../../../src/isolated/worker-message.ts'
import { own } from '../../../src/json/value.ts'
import { builtin } from '../builtin.ts'
import { frameOf, frameReader } from './frame.ts'

export interface Command {
  /** The program, and what it is started with. */
  readonly path: string
  readonly args: readonly string[]
}

/**
 * Starts the program without variables, and speaks with it through its standard input and output. While it only
 * waits for a program it does not keep this process alive. It ends with it: at once where it can be, when it next waits where this one is killed.
 */
export function childPort({ path, args }: Command): WorkerPort {
  const process = builtin('node:process')
  const child = builtin('node:child_process').spawn(path, args, { stdio: ['pipe', 'pipe', 'ignore'], env: {} })
  const { stdin, stdout } = child
  const errors = new Set<(error: unknown) => void>()
  const kill = (): void => void guarded(() => child.kill('SIGKILL'), undefined)
  const failed = (error: unknown): void => {
    for (const listener of errors) listener(error)
  }
  process.once('exit', kill)
  child.on('exit', () => process.off('exit', kill))
  child.on('error', failed)
  child.on('exit', failed)
  stdin.on('error', failed)
  const handles = [child, stdin, stdout] as readonly { ref?(): void; unref?(): void }[]
  return {
    postMessage: (message) => {
      if (own(message, 'type') === 'run') for (const handle of handles) handle.ref?.()
      stdin.write(frameOf(message))
    },
    onMessage: (listener) => {
      const reader = frameReader()
      stdout.on('data', (chunk: Uint8Array) => {
        const messages = reader.push(chunk)
        if (messages === undefined) failed(new Error('A message is broken'))
        for (const message of messages ?? []) {
          if (own(message, 'type') === 'ready') for (const handle of handles) handle.unref?.()
          listener(message)
        }
      })
    },
    onError: (listener) => void errors.add(listener),
    terminate: () => {
      stdout.removeAllListeners('data')
      kill()
    },
  }
}
