// The Worker of the page's shell.
import { serveInterpreter } from '../src/isolated/serve-interpreter.ts'
import type { MessagePortLike } from '../src/wrapper/message-port.ts'
import { justBash } from '../adapters/virtual/just-bash/just-bash.ts'

serveInterpreter(globalThis as unknown as MessagePortLike, justBash)
