// What is known of the Python sandbox before anything is loaded.
import type { ConfinedLimits } from '../../../src/confined/request.ts'
import type { Host } from '../../../src/host/host.ts'
import type { Interpreter } from '../../../src/sandbox/interpreter.ts'

export interface PythonOptions {
  readonly host?: Host | undefined
  readonly limits?: ConfinedLimits | undefined
  /** The folder of the `pyodide` package (its files as npm has them), with or without a slash at its end. */
  readonly indexUrl?: string | URL | undefined
  /** The script that runs beside this module. Default: the one of this package; name it where a bundler moves this module. */
  readonly workerUrl?: string | URL | undefined
  /** Mebibytes that Python may take for its objects. Default 256; at least 64, at most 2048. */
  readonly memoryMb?: number | undefined
}

function describePython(): string {
  return (
    'The code is a module of Python 3.14 (CPython in WebAssembly) with its standard library and nothing else: no pip, no ' +
    'numpy or pandas. What is printed is given, and after it the value of the last line where that is an expression, as ' +
    'JSON where it can be. `await` works at the top level. There are `await tools.name(key=value)` and ' +
    '`await call_tool(name, {…})`, which give plain values (`{"result": …}` where the tool declares no output) and raise ' +
    'ToolError where a call fails or is refused. Files are read and written with open(), pathlib and the like from the ' +
    'working directory; of very many or very large files only a part is there, and `await load_file(path)` brings one more. ' +
    'Each program starts afresh: only files last. There are no threads, processes or sockets, and no network.'
  )
}

export const pythonFacts: Pick<Interpreter, 'kind' | 'languages' | 'describe'> = {
  kind: 'pyodide',
  languages: ['python'],
  describe: describePython,
}
