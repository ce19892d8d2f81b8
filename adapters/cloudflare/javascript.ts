// Programs in JavaScript in Cloudflare, in the thread of whoever asks: there are no Workers within Workers.
import { inThread } from '../../src/confined/in-thread.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { boundsInThread, boundsOf, quickjsFacts } from '../virtual/quickjs/facts.ts'
import type { JavaScriptOptions as ThreadJavaScriptOptions } from '../virtual/javascript.ts'

export interface JavaScriptOptions extends ThreadJavaScriptOptions {
  /** `import wasm from 'sameloop/quickjs.wasm'`: Cloudflare compiles WebAssembly only when a Worker is deployed. */
  readonly wasm: WebAssembly.Module
}

/**
 * A sandbox for programs in JavaScript: QuickJS, loaded with the first program. A program may hold 32 MiB and computes
 * 60,000,000 steps (about a second) at most, which are counted because the clock stands still while it computes; what
 * one call of a built-in function does is not counted, and is ended only by the platform's limit of the Worker's time.
 */
export function javascript({ wasm, host, limits = {} }: JavaScriptOptions): Sandbox {
  const bounds = boundsOf(limits, boundsInThread)
  return inThread({
    ...quickjsFacts,
    host,
    limits,
    load: async () => (await import('./quickjs.ts')).wasmfileQuickjs({ wasmModule: wasm, bounds, host }),
  })
}
