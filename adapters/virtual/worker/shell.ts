// The script of a Worker of the web, as pages and Deno have them, that runs the shell.
import { serveInterpreter } from '../../../src/isolated/serve-interpreter.ts'
import type { EventPort } from '../../../src/remote/message-port.ts'
import { justBash } from '../just-bash/just-bash.ts'

const here: unknown = globalThis
serveInterpreter(here as EventPort, justBash)
