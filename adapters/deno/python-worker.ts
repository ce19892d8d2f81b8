// The script of the process in which Deno runs programs in Python: what it may do, Deno says.
import { randomFillSync } from 'node:crypto'
import { servePythonProcess } from '../node/python/process.ts'
import { disarm } from '../virtual/python/disarm.ts'

servePythonProcess({
  // Deno loads this part of itself when it is first used, with globals that are gone by then.
  prepare: () => void randomFillSync(new Uint8Array(1)),
  onLoaded: disarm,
})
