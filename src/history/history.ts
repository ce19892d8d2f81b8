// Files that remember how they were before each step, so that a step can be taken back.
import { amounts } from '../error/amount.ts'
import { serial } from '../stream/serial.ts'
import { vfsError } from '../vfs/error.ts'
import { isInside, normalizePath, parentPath } from '../vfs/path.ts'
import type { Vfs, VfsChange } from '../vfs/vfs.ts'
import { intercept } from '../wrapper/intercept.ts'
import type { VfsCall } from '../wrapper/intercept.ts'
import { stateOf } from '../overlay/change.ts'
import type { FileChange } from '../overlay/change.ts'
import { putBack } from '../overlay/undo.ts'

export interface FilesHistory extends Vfs {
  /** A new step begins. One in which nothing changes leaves no trace. */
  mark(name: string): void
  /** The steps that changed something, the oldest first. */
  steps(): readonly { readonly name: string; readonly paths: readonly string[] }[]
  /**
   * Takes the last step back, and says what that changed; nothing where there is no step left. `vfs-conflict`, with
   * nothing changed, where a file is no longer as the step left it. Where the files fail in the middle, ask again.
   */
  undo(): Promise<readonly VfsChange[]>
  /** For an agent's `hooks`: each of its steps is a step of the files. */
  readonly hooks: { onModelRequest(request: unknown, step: number): void }
}

export interface HistoryOptions {
  /** Of what is kept, in memory: beyond it the oldest steps are forgotten. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** How many steps can be taken back. Default 100. */
  readonly maxSteps?: number | undefined
}

interface Step {
  readonly name: string
  /** How it was at each path before the step touched it, in that order. */
  readonly before: Map<string, readonly FileChange[]>
  bytes: number
}

/**
 * Remembers what is changed through it. What others change below it is not taken back, and keeps an undo from it. Throws
 * `config-invalid` for limits that keep nothing.
 */
// @__NO_SIDE_EFFECTS__
export function history(files: Vfs, options: HistoryOptions = {}): FilesHistory {
  const { maxBytes } = amounts(options, { maxBytes: 2 ** 26 })
  const { maxSteps } = amounts(options, { maxSteps: 100 }, { least: 1 })
  const steps: Step[] = []
  const left: Etags = new Map()
  let next: string | undefined = 'start'
  const inTurn = serial()
  const current = (): Step => {
    if (next !== undefined || steps.length === 0) {
      steps.push({ name: next ?? 'start', before: new Map(), bytes: 0 })
      next = undefined
      if (steps.length > maxSteps) steps.shift()
    }
    return steps.at(-1)!
  }
  const remember = async (step: Step, path: string): Promise<void> => {
    for (const known of step.before.keys()) if (isInside(known, path)) return
    const state = await stateOf(files, path)
    step.before.set(path, state)
    step.bytes += state.reduce((sum, { data }) => sum + (data?.length ?? 0), 0)
    while (steps.length > 1 && steps.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) steps.shift()
  }
  const around = <Result>(call: VfsCall, go: () => Promise<Result>): Promise<Result> => {
    if (!call.writes) return go()
    return inTurn(async () => {
      const step = current()
      const paths = [call.path, ...(call.to === undefined ? [] : [call.to])].map(normalizePath)
      for (const path of paths) await remember(step, await highestMissing(files, path))
      const result = await go()
      await note(files, left, paths)
      return result
    })
  }
  const { batch: _, ...seen } = intercept(files, { around, change: (change) => change })
  return {
    ...seen,
    mark: (name) => {
      next = name
    },
    steps: () =>
      steps.filter(({ before }) => before.size > 0).map(({ name, before }) => ({ name, paths: [...before.keys()] })),
    undo: () =>
      inTurn(async () => {
        while (steps.at(-1)?.before.size === 0) steps.pop()
        const step = steps.at(-1)
        if (!step) return []
        const changes = await takeBack(files, step, left)
        steps.pop()
        next ??= step.name
        return changes
      }),
    hooks: {
      onModelRequest: (_request, step) => {
        next = `step ${step}`
      },
    },
  }
}

/** The etag with which each file was left that was changed through a history. */
type Etags = Map<string, string | undefined>

async function note(files: Vfs, left: Etags, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    for (const known of left.keys()) if (isInside(path, known)) left.delete(known)
    left.set(path, (await files.stat(path))?.etag)
  }
}

async function takeBack(files: Vfs, { before }: Step, left: Etags): Promise<readonly VfsChange[]> {
  const touched = [...before.keys()]
  for (const [path, etag] of left) {
    if (!touched.some((root) => isInside(root, path))) continue
    if ((await files.stat(path))?.etag !== etag) throw vfsError('ECONFLICT', path, { action: 'undo' })
  }
  const states = [...before.values()].reverse()
  const apply = async (target: Vfs): Promise<void> => {
    for (const state of states) await putBack(target, [removal(state), ...state])
  }
  const paths = states.flat().map(({ path }) => path)
  try {
    await (files.batch ? files.batch(apply) : apply(files))
  } finally {
    // What failed in the middle can be tried again.
    await note(files, left, touched)
    await note(files, left, paths)
  }
  return states.flat().map(({ type, path }) => ({ type, path }))
}

/** A directory is brought back empty of what came later. */
const removal = (state: readonly FileChange[]): FileChange => ({ type: 'delete', path: state[0]!.path })

/** The path, or the directory above it that is not there either: with it everything below goes. */
async function highestMissing(files: Vfs, path: string): Promise<string> {
  let at = path
  while (at !== '/' && parentPath(at) !== '/' && (await files.stat(parentPath(at))) === undefined) at = parentPath(at)
  return at
}
