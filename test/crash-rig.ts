// What the crash tests of agents, plans and workflows share: a world whose tools count how often they ran.
import { memoryStore } from '../src/journal/memory-store.ts'
import type { Break } from '../src/testing/crash/failing-store.ts'
import type { RunStore } from '../src/tool/run-store.ts'
import type { Tool } from '../src/tool/tool.ts'
import { memoryFiles } from '../src/vfs/memory.ts'
import { readText } from '../src/vfs/text.ts'
import type { Vfs } from '../src/vfs/vfs.ts'
import { made, pause } from './agent/rig.ts'

export type Counts = Record<string, number>

export interface World {
  readonly counts: Counts
  readonly files: Vfs
  readonly store: RunStore
}

export function world(): World {
  const files = memoryFiles()
  return { counts: {}, files, store: memoryStore({ files }) }
}

/** Each way in which a store may break. */
export const breaks: readonly Break[] = ['before', 'after', 'dies']

/** The text of a file; empty where there is none. */
export const text = async (files: Vfs, path: string): Promise<string> =>
  (await files.stat(path)) ? readText(files, path) : ''

/** Makes tools that are counted, and take a turn of the event loop. By default one gives its name. */
export const counting =
  (counts: Counts) =>
  (name: string, more: Partial<Tool>, work: Tool['execute'] = () => name): Tool =>
    made(
      name,
      async (input, context) => {
        counts[name] = (counts[name] ?? 0) + 1
        await pause()
        return work?.(input as never, context)
      },
      more,
    )

/** What comes of the work, or that it came to no end. */
export const cutAfter = <Value>(work: Promise<Value>): Promise<Value | 'cut'> =>
  Promise.race([work, new Promise<'cut'>((resolve) => setTimeout(() => resolve('cut'), 80))])
