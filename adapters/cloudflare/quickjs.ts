// The engine with a WebAssembly module that is handed in, for where none may be compiled: workerd.
import loadModule from '@jitl/quickjs-wasmfile-release-sync/emscripten-module'
import { QuickJSFFI } from '@jitl/quickjs-wasmfile-release-sync/ffi'
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'
import type { Interpreter } from '../../src/sandbox/interpreter.ts'
import { quickjs } from '../virtual/quickjs/interpreter.ts'
import type { QuickjsOptions } from '../virtual/quickjs/interpreter.ts'

export interface WasmfileOptions extends Omit<QuickjsOptions, 'loadModule'> {
  readonly wasmModule: WebAssembly.Module
}

export function wasmfileQuickjs({ wasmModule, ...options }: WasmfileOptions): Promise<Interpreter> {
  const variant = newVariant(
    { type: 'sync', importFFI: async () => QuickJSFFI, importModuleLoader: async () => loadModule },
    { wasmModule },
  )
  return quickjs({ ...options, loadModule: () => newQuickJSWASMModuleFromVariant(variant) })
}
