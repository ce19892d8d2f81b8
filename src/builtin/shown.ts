// What a person was shown of a call, so that after a yes nothing else is done in its name.
import type { ToolContext } from '../tool/context.ts'
import { vfsError } from '../vfs/error.ts'

type ShownCall = Pick<ToolContext, 'callId' | 'run'>

/**
 * Kept in memory, for the last 1000 calls of a tool set. A run that is resumed in another process has no such memory:
 * there a change is planned anew, from the files as they are by then.
 */
export interface Shown {
  /** Keeps the state that was shown; none where the change could not be planned. */
  keep(call: ShownCall, path: string, state: string | undefined): void
  /** `vfs-conflict` where this call was shown with the same path and another state. */
  check(call: ShownCall, path: string, state: () => Promise<string>): Promise<void>
}

const maxKept = 1000

export function shownCalls(): Shown {
  const kept = new Map<string, { readonly path: string; readonly state: string | undefined }>()
  const keyOf = ({ callId, run }: ShownCall): string => `${run.id}\n${callId}`
  return {
    keep: (call, path, state) => {
      const key = keyOf(call)
      kept.delete(key)
      kept.set(key, { path, state })
      if (kept.size > maxKept) for (const oldest of kept.keys()) return void kept.delete(oldest)
    },
    check: async (call, path, state) => {
      const shown = kept.get(keyOf(call))
      // Another path comes from the person who decided.
      if (shown?.path !== path || shown.state === (await state())) return
      throw vfsError('ECONFLICT', path, {
        action: 'go on with',
        reason: 'it changed after a person was shown what this call does; look at it and call again',
      })
    },
  }
}
