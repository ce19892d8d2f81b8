// The script of a Worker of Deno that runs programs in JavaScript.
import { serveInterpreter } from '../../src/isolated/serve-interpreter.ts'
import type { EventPort } from '../../src/wrapper/message-port.ts'
import { boundsInWorker } from '../virtual/quickjs/facts.ts'

const here: unknown = globalThis
serveInterpreter(here as EventPort, async () =>
  (await import('../virtual/quickjs/singlefile.ts')).singlefileQuickjs({ bounds: boundsInWorker }),
)
