// The engine with a module of WebAssembly that is handed in: Cloudflare compiles none while a Worker runs.
import loader from '@jitl/quickjs-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI as ffi } from '@jitl/quickjs-wasmfile-release-sync/ffi'
import type { Interpreter } from '../../src/sandbox/interpreter.ts'
import { quickjs } from '../virtual/quickjs/interpreter.ts'
import type { ModuleLoader, QuickjsOptions } from '../virtual/quickjs/interpreter.ts'

// Its declarations say that the function is within an object, as for `require`.
const load = loader as unknown as ModuleLoader

export interface WasmfileOptions extends QuickjsOptions {
  readonly wasmModule: WebAssembly.Module
}

export const wasmfileQuickjs = ({ wasmModule, ...options }: WasmfileOptions): Promise<Interpreter> =>
  quickjs({ ffi, load, wasmModule }, options)
