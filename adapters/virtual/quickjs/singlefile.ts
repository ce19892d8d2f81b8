// The engine with its WebAssembly in the module itself, for wherever that may be compiled: not in workerd.
import variant from '@jitl/quickjs-singlefile-browser-release-sync'
import type { Interpreter } from '../../../src/sandbox/interpreter.ts'
import { quickjs } from './interpreter.ts'
import type { ModuleLoader, QuickjsOptions } from './interpreter.ts'

export async function singlefileQuickjs(options: QuickjsOptions): Promise<Interpreter> {
  const [ffi, load] = await Promise.all([variant.importFFI(), variant.importModuleLoader()])
  return quickjs({ ffi, load: load as ModuleLoader }, options)
}
