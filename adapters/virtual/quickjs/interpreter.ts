// The engine as an interpreter: one module of WebAssembly, a new context for each program, and a new module after a
// program that broke it.
import { newQuickJSWASMModuleFromVariant, newVariant } from 'quickjs-emscripten-core'
import type { CustomizeVariantOptions, QuickJSSyncVariant, QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { Host } from '../../../src/host/host.ts'
import { webHost } from '../../../src/host/web-host.ts'
import type { Interpreter } from '../../../src/sandbox/interpreter.ts'
import { runProgram } from './course.ts'
import { quickjsFacts } from './facts.ts'
import type { QuickjsBounds } from './facts.ts'

type Loaded = Awaited<ReturnType<QuickJSSyncVariant['importModuleLoader']>>
export type ModuleLoader = Extract<Loaded, (...options: never[]) => unknown>

export interface QuickjsOptions {
  readonly bounds: QuickjsBounds
  readonly host?: Host | undefined
}

/** How a runtime gets the engine. */
export interface Engine {
  readonly ffi: Awaited<ReturnType<QuickJSSyncVariant['importFFI']>>
  readonly load: ModuleLoader
  /** Where the runtime may not compile one. */
  readonly wasmModule?: WebAssembly.Module | undefined
}

const pageBytes = 2 ** 16
/** What the engine takes for its own stack and tables, and what its memory begins with. */
const ownPages = 96
const firstPages = 256

/** Loads the engine and gives its interpreter. A program that breaks it ends with `limit`, and the next has a new one. */
export async function quickjs(engine: Engine, { bounds, host = webHost }: QuickjsOptions): Promise<Interpreter> {
  const loadModule = (): Promise<QuickJSWASMModule> => newQuickJSWASMModuleFromVariant(variantOf(engine, bounds))
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

/**
 * The engine counts a large block as a few bytes of its own limit, so that the memory as a whole is bounded, too, and
 * has to say so where it ends: the host's side writes to whatever place it is given.
 */
function variantOf({ ffi, load, wasmModule }: Engine, { memoryBytes }: QuickjsBounds): QuickJSSyncVariant {
  const pages = Math.max(firstPages, Math.ceil(memoryBytes / pageBytes) + ownPages)
  const quiet = { print: () => {}, printErr: () => {} }
  const options: CustomizeVariantOptions = {
    wasmMemory: new WebAssembly.Memory({ initial: firstPages, maximum: pages }),
    emscriptenModule: quiet as NonNullable<CustomizeVariantOptions['emscriptenModule']>,
    ...(wasmModule && { wasmModule }),
  }
  const checked: ModuleLoader = async (given) => {
    const module = await load(given)
    const { _malloc: allocate } = module
    module._malloc = (size) => {
      const place = allocate(size)
      if (place === 0) throw new RangeError('The engine has no memory left')
      return place
    }
    return module
  }
  return newVariant({ type: 'sync', importFFI: async () => ffi, importModuleLoader: async () => checked }, options)
}
