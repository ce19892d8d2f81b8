// The Worker of the shell in Node and Bun.
import { parentPort } from 'node:worker_threads'
import { serveInterpreter } from '../../src/isolated/serve-interpreter.ts'
import type { MessagePortLike } from '../../src/remote/message-port.ts'
import { justBash } from '../virtual/just-bash/just-bash.ts'

serveInterpreter(parentPort as MessagePortLike, justBash)
