// The script of a Worker that runs the toy language, in any runtime.
import { serveInterpreter } from '../../src/isolated/serve-interpreter.ts'
import type { MessagePortLike } from '../../src/remote/message-port.ts'
import { toy } from './toy.ts'

interface Builtins {
  readonly process?: { getBuiltinModule?(name: string): unknown }
}

const threads = (globalThis as Builtins).process?.getBuiltinModule?.('node:worker_threads') as
  | { readonly parentPort: MessagePortLike | null }
  | undefined

const here: unknown = globalThis
serveInterpreter(threads?.parentPort ?? (here as MessagePortLike), async () => toy())
