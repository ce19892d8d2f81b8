// The engine with its WebAssembly in the module itself, for wherever that may be compiled: not in workerd.
import variant from '@jitl/quickjs-singlefile-browser-release-sync'
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core'
import type { Interpreter } from '../../../src/sandbox/interpreter.ts'
import { quickjs } from './interpreter.ts'
import type { QuickjsOptions } from './interpreter.ts'

export function singlefileQuickjs(options: Omit<QuickjsOptions, 'loadModule'>): Promise<Interpreter> {
  return quickjs({ ...options, loadModule: () => newQuickJSWASMModuleFromVariant(variant) })
}
