// The engine as an interpreter: one module of WebAssembly, a new context for each program, and a new module after a
// program that broke it.
import type { QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { Host } from '../../../src/host/host.ts'
import { webHost } from '../../../src/host/web-host.ts'
import type { Interpreter } from '../../../src/sandbox/interpreter.ts'
import { runProgram } from './course.ts'
import { quickjsFacts } from './facts.ts'
import type { QuickjsBounds } from './facts.ts'

export interface QuickjsOptions {
  readonly loadModule: () => Promise<QuickJSWASMModule>
  readonly bounds: QuickjsBounds
  readonly host?: Host | undefined
}

/** Loads the engine and gives its interpreter. A program that breaks the engine ends with `limit`, and the next has a new one. */
export async function quickjs({ loadModule, bounds, host = webHost }: QuickjsOptions): Promise<Interpreter> {
  let module: QuickJSWASMModule | undefined = await loadModule()
  return {
    ...quickjsFacts,
    run: async (program) => {
      module ??= await loadModule()
      const { ending, isBroken } = await runProgram(program, { module, bounds, host })
      if (isBroken) module = undefined
      return ending
    },
  }
}
