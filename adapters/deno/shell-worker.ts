// The Worker of the shell in Deno.
import { serveInterpreter } from '../../src/isolated/serve-interpreter.ts'
import type { MessagePortLike } from '../../src/wrapper/message-port.ts'
import { justBash } from '../virtual/just-bash/just-bash.ts'

serveInterpreter(globalThis as unknown as MessagePortLike, justBash)
