// The files a built-in tool works on: those of the call, within the policy the tools were made with.
import { isSameloopError } from '../error/error.ts'
import { webHost } from '../host/web-host.ts'
import type { ToolContext } from '../tool/context.ts'
import type { Environment } from '../tool/environment.ts'
import type { Policy } from '../tool/rule.ts'
import { fail } from '../tool/tool.ts'
import type { ToolAnswer } from '../tool/tool.ts'
import { isOverlay } from '../overlay/cow.ts'
import { entriesOf } from '../vfs/walk.ts'
import { absolutePath, parentPath, pathName } from '../vfs/path.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { shownCalls } from './shown.ts'
import type { Shown } from './shown.ts'

export interface Workspace {
  /** The files of a call, confined. */
  files(context: Pick<ToolContext, 'fs'>): Vfs
  /** Whether a change of these paths needs a person's yes; not where the policy refuses it anyway. */
  asks(path: string): Promise<boolean>
  /** Gives the page its turn during long work. */
  readonly pause: () => Promise<void>
  /** A short text that stands for this one. */
  digest(text: string): Promise<string>
  readonly shown: Shown
  readonly readOnly: boolean
}

/** `env.fs` must be there. */
export function workspace(env: Environment & { readonly fs: Vfs }, policy: Policy | undefined): Workspace {
  // A quota measures the files once per file system, not once per call.
  const known = new WeakMap<Vfs, Vfs>()
  const confine = (files: Vfs): Vfs => {
    if (policy === undefined) return files
    let confined = known.get(files)
    if (confined === undefined) known.set(files, (confined = policy.confineFiles(files)))
    return confined
  }
  const own = confine(env.fs)
  const overlay = isOverlay(env.fs)
  const { host = webHost } = env
  return {
    files: ({ fs }) => confine(fs),
    asks: async (path) => {
      if (overlay || own.capabilities.readOnly) return false
      try {
        await own.stat(absolutePath(own, path))
        return true
      } catch (error) {
        return !isSameloopError(error, 'vfs-denied') && !isSameloopError(error, 'vfs-invalid')
      }
    },
    pause: () => new Promise((resolve) => void host.timer(0, resolve)),
    digest: async (text) => (await host.digest(new TextEncoder().encode(text))).join(),
    shown: shownCalls(),
    readOnly: own.capabilities.readOnly,
  }
}

/** Runs the work; a fault of the files or of a pattern becomes an answer the model can act on. */
export async function inBand(files: Vfs, work: () => Promise<ToolAnswer>): Promise<ToolAnswer> {
  try {
    return await work()
  } catch (error) {
    if (!isSameloopError(error) || !/^(?:vfs-|expression-)/.test(error.code)) throw error
    const { path } = error.data
    const hint = error.code === 'vfs-not-found' && typeof path === 'string' ? await nearby(files, path) : ''
    return fail(error.message + hint, { details: { code: error.code } })
  }
}

/** Models often miss by case or ending alone. */
async function nearby(files: Vfs, path: string): Promise<string> {
  try {
    const stem = stemOf(pathName(path))
    if (stem === '') return ''
    let looked = 0
    for await (const { name } of entriesOf(files, parentPath(path))) {
      if (stemOf(name) === stem) return `; did you mean ${JSON.stringify(name)}?`
      if ((looked += 1) >= 1000) break
    }
    return ''
  } catch {
    return ''
  }
}

const stemOf = (name: string): string => name.toLowerCase().replace(/\.[^.]*$/, '')

/** A name that cannot pass for several lines of a listing. */
export function shownName(name: string): string {
  return /[\u0000-\u001f\u007f\u2028\u2029]/.test(name) ? JSON.stringify(name) : name
}
