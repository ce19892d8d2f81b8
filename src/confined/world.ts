// What a command has of the world, for as long as it runs: what it leaves behind can do nothing any more.
import { SameloopError } from '../error/error.ts'
import type { ExecWorld } from '../sandbox/sandbox.ts'
import { vfsError } from '../vfs/error.ts'
import type { Vfs } from '../vfs/vfs.ts'
import { intercept } from '../wrapper/intercept.ts'

/** The files of a command are always there. */
export type World = ExecWorld & { readonly fs: Vfs }

export interface OpenWorld {
  readonly world: World
  close(): void
}

export function openWorld({ fs, fetch, call }: World): OpenWorld {
  let isOpen = true
  const check = (): void => {
    if (!isOpen) throw new SameloopError('sandbox-failed', 'Cannot reach outside: the command is over')
  }
  const files = intercept(fs, {
    around: ({ operation, path }, next) => {
      if (!isOpen) throw vfsError('EACCES', path, { action: operation, reason: 'the command is over' })
      return next()
    },
    change: (change) => (isOpen ? change : undefined),
  })
  const world: World = {
    fs: files,
    ...(fetch && {
      fetch: async (input, init) => {
        check()
        return fetch(input, init)
      },
    }),
    ...(call && {
      call: async (name, input) => {
        check()
        return call(name, input)
      },
    }),
  }
  return {
    world,
    close: () => {
      isOpen = false
    },
  }
}
