// Programs in the thread of whoever asks: only their own limits stop those that compute.
import { guarded } from '../error/guard.ts'
import type { Interpreter, LoadInterpreter } from '../sandbox/interpreter.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { confined } from './confined.ts'
import type { ConfinedOptions } from './confined.ts'

export interface InThreadOptions extends ConfinedOptions {
  /** Called at the first command or `warm()`, and again after it failed. */
  readonly load: LoadInterpreter
}

/**
 * A sandbox that runs an interpreter in this thread. `hardKill` is false: an abort or timeout reaches a program only
 * when it waits, and one that does not end within two seconds of it is left behind with its interpreter, cut off from
 * files, network and tools.
 */
export function inThread({ load, ...options }: InThreadOptions): Sandbox {
  let current: Promise<Interpreter> | undefined
  /** Lets go of it, and of no other that was loaded since. */
  const drop = (loading = current): void => {
    if (loading === current) current = undefined
    void loading?.then((interpreter) => guarded(() => interpreter.dispose?.(), undefined)).catch(() => undefined)
  }
  const loaded = (): Promise<Interpreter> => {
    if (current) return current
    const loading = Promise.resolve().then(load)
    current = loading
    loading.catch(() => drop(loading))
    return loading
  }
  return confined(options, {
    isolation: 'interpreter',
    hardKill: false,
    graceMs: 2000,
    load: async () => void (await loaded()),
    run: async (program) => {
      const loading = loaded()
      const interpreter = await loading
      try {
        return await interpreter.run(program)
      } catch (error) {
        // It is broken; the next command has a new one.
        drop(loading)
        throw error
      }
    },
    kill: () => drop(),
  })
}
