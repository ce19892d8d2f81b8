// Modules of Node, as Bun and Deno have them too. Not imports: what needs one loads wherever there is none, and says so
// when it is used.
import type * as ChildProcess from 'node:child_process'
import type * as Fs from 'node:fs'
import type * as FsPromises from 'node:fs/promises'
import type * as Module from 'node:module'
import type * as Os from 'node:os'
import type * as Path from 'node:path'
import type * as Process from 'node:process'
import type * as Url from 'node:url'
import type * as WorkerThreads from 'node:worker_threads'
import { SameloopError } from '../../src/error/error.ts'
import { excerpt } from '../../src/json/text.ts'

interface Modules {
  readonly 'node:child_process': typeof ChildProcess
  readonly 'node:fs': typeof Fs
  readonly 'node:fs/promises': typeof FsPromises
  readonly 'node:module': typeof Module
  readonly 'node:os': typeof Os
  readonly 'node:path': typeof Path
  readonly 'node:process': typeof Process
  readonly 'node:url': typeof Url
  readonly 'node:worker_threads': typeof WorkerThreads
}

interface Runtime {
  readonly process?: { getBuiltinModule?(name: string): unknown }
}

/** The directory, absolute. Throws `config-invalid` for what names none: an empty text would be wherever the program runs. */
export function folderAt(path: string): string {
  if (typeof path === 'string' && path !== '') return builtin('node:path').resolve(path)
  throw new SameloopError('config-invalid', `Wanted the path of a directory, got ${excerpt(path)}`)
}

/** Throws `config-missing-capability` where there is no such module: Node has `getBuiltinModule` from 20.16. */
export function builtin<Name extends keyof Modules>(name: Name): Modules[Name] {
  const found = (globalThis as Runtime).process?.getBuiltinModule?.(name)
  if (found === undefined)
    throw new SameloopError('config-missing-capability', `Cannot load "${name}": wanted Node from 20.16, Bun or Deno`)
  return found as Modules[Name]
}
