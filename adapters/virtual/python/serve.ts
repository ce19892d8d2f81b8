// The inside of what runs one program in Python: it is told first how to start.
import { serveInterpreter } from '../../../src/isolated/serve-interpreter.ts'
import { own } from '../../../src/json/value.ts'
import { innerPort } from '../../../src/remote/message-port.ts'
import { driverText } from './driver.ts'
import { pythonInterpreter } from './interpreter.ts'
import { startPyodide } from './pyodide.ts'
import type { PyodideFiles } from './pyodide.ts'

export interface ServePythonOptions {
  readonly send: (message: unknown, transfer: ArrayBuffer[]) => void
  /** The code of Pyodide, found with what the first message says. */
  readonly files: (start: unknown) => Promise<PyodideFiles>
  /** Python is there, and nothing of a program yet. */
  readonly onLoaded: () => void
}

/** Gives the function that takes what the other end says: first `{ snapshot?, memoryMb }`, then what `inWorker` says. */
export function servePython({ send, files, onLoaded }: ServePythonOptions): (message: unknown) => void {
  const inner = innerPort(send)
  let isStarted = false
  return (message) => {
    if (isStarted) return inner.deliver(message)
    isStarted = true
    serveInterpreter(inner.port, async () => {
      const snapshot = own(message, 'snapshot')
      const pyodide = await startPyodide({
        files: await files(message),
        memoryMb: Number(own(message, 'memoryMb')),
        snapshot: snapshot instanceof Uint8Array ? snapshot : undefined,
        onSnapshot: (picture) => send({ type: 'snapshot', picture }, []),
        driver: driverText,
      })
      onLoaded()
      return pythonInterpreter(pyodide)
    })
  }
}
