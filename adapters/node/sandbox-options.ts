// What the sandboxes of Node and Bun may be told.
import { amounts } from '../../src/error/amount.ts'
import type { WorkerSandboxOptions } from '../virtual/sandbox-options.ts'

export interface NodeSandboxOptions extends WorkerSandboxOptions {
  /** Mebibytes of objects that its Worker may hold; more ends it, and nothing else. Default 256. Bun has no such limit. */
  readonly memoryMb?: number | undefined
}

/** The memory of a Worker. Throws `config-invalid` for what is no amount. */
export const memoryOf = (options: NodeSandboxOptions): { readonly memoryMb: number } =>
  amounts(options, { memoryMb: 256 }, { least: 1, most: 2 ** 20 })
