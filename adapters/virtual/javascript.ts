// Programs in JavaScript, in the thread of whoever asks, in any runtime that may compile WebAssembly.
import type { ConfinedLimits } from '../../src/confined/request.ts'
import { inThread } from '../../src/confined/in-thread.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { boundsInThread, boundsOf, quickjsFacts } from './quickjs/facts.ts'
import type { QuickjsLimits } from './quickjs/facts.ts'
import type { SandboxOptions } from './sandbox-options.ts'

export type JavaScriptOptions = SandboxOptions<ConfinedLimits & QuickjsLimits>

/**
 * A sandbox for programs in JavaScript: QuickJS, compiled to WebAssembly and loaded with the first program (about 270 kB
 * compressed). It runs in this thread, and computes 60,000,000 steps (about a second) at most; but what one call of a
 * built-in function does is not counted, so that a program may hold up the thread for as long as it likes, and is ended as
 * late when it comes back. Where there
 * are Workers, take the `javascript` of the runtime instead. A page's security policy needs `'wasm-unsafe-eval'`.
 */
export function javascript({ host, limits = {} }: JavaScriptOptions = {}): Sandbox {
  const bounds = boundsOf(limits, boundsInThread)
  return inThread({
    ...quickjsFacts,
    host,
    limits,
    load: async () => (await import('./quickjs/singlefile.ts')).singlefileQuickjs({ bounds, host }),
  })
}
