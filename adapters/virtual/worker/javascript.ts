// The script of a Worker of the web, as pages and Deno have them, that runs programs in JavaScript.
import { serveInterpreter } from '../../../src/isolated/serve-interpreter.ts'
import type { EventPort } from '../../../src/remote/message-port.ts'
import { boundsInWorker } from '../quickjs/facts.ts'

const here: unknown = globalThis
serveInterpreter(here as EventPort, async () =>
  (await import('../quickjs/singlefile.ts')).singlefileQuickjs({ bounds: boundsInWorker }),
)
