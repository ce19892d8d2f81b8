// The script of a Worker of Node and Bun that runs programs in JavaScript.
import { parentPort } from 'node:worker_threads'
import { serveInterpreter } from '../../src/isolated/serve-interpreter.ts'
import { boundsInWorker } from '../virtual/quickjs/facts.ts'

if (parentPort)
  serveInterpreter(parentPort, async () =>
    (await import('../virtual/quickjs/singlefile.ts')).singlefileQuickjs({ bounds: boundsInWorker }),
  )
