// What is known of the JavaScript sandbox before its engine is loaded.
import { amounts } from '../../../src/error/amount.ts'
import type { Interpreter } from '../../../src/sandbox/interpreter.ts'

/** Limits of one program. */
export interface QuickjsLimits {
  /** Bytes of everything a program holds, at most 2^31. Default 33,554,432. */
  readonly memoryBytes?: number | undefined
  /**
   * Turns of loops, calls and steps of searched expressions, roughly, over all of a program; it is counted, because a
   * clock may stand still while a program computes. Default 2,000,000,000 in a Worker (ten seconds or more), 60,000,000 in the
   * thread of whoever asks (about a second). What a built-in function does within one call is not counted.
   */
  readonly steps?: number | undefined
}

export type QuickjsBounds = { readonly [Name in keyof QuickjsLimits]-?: number }

const memoryBytes = 2 ** 25

/** In a Worker the clock of whoever asks ends a program, too. */
export const boundsInWorker: QuickjsBounds = { memoryBytes, steps: 2_000_000_000 }

export const boundsInThread: QuickjsBounds = { memoryBytes, steps: 60_000_000 }

/** All limits of a program, with the defaults of those that are not given. Throws `config-invalid`. */
export const boundsOf = (limits: QuickjsLimits, { memoryBytes, steps }: QuickjsBounds): QuickjsBounds => ({
  ...amounts(limits, { memoryBytes }, { least: 1, most: 2 ** 31 }),
  ...amounts(limits, { steps }, { least: 1, most: Number.MAX_SAFE_INTEGER }),
})

function describeQuickjs(): string {
  return (
    'The code is the body of an async function in plain JavaScript (ES2023): `await` and `return` work, the returned ' +
    'value is printed as JSON after what `console.log` printed. There are: `await tools.name(input)` and ' +
    '`await callTool(name, input)`, which give plain JSON (`{ result }` where the tool declares no output) and throw where a ' +
    'call fails or is refused; `fs` with `readText(path)`, `read(path)`, `writeText(path, text)`, `write(path, bytes)`, `list(path)`, ' +
    '`stat(path)`, `exists(path)`, `remove(path)`, `rename(from, to)` and `mkdir(path)`, all async, from `cwd`; `stdin`, ' +
    '`env`, `sleep(ms)`, `setTimeout`, `exit(code)`, TextEncoder and TextDecoder. There is no import or require, no ' +
    'process, Buffer, URL, crypto or structuredClone, and no network but where `fetch` exists. Loops are about a ' +
    'hundred times slower than in a browser.'
  )
}

export const quickjsFacts: Pick<Interpreter, 'kind' | 'languages' | 'describe'> = {
  kind: 'quickjs',
  languages: ['javascript'],
  describe: describeQuickjs,
}
