// One context of the engine for one program: its limits, the few functions through which it reaches out, and its end.
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import { isObject } from '../../../src/json/value.ts'
import { parseJson } from '../../../src/json/text.ts'
import { preludeText } from './prelude.ts'

/** What a program reaches of the host. Texts are JSON; nothing is trusted to be what the prelude sends. */
export interface Outside {
  /** A function is called, with so many characters and bytes. What it throws is thrown in the program. */
  called(size: number): void
  print(stream: unknown, text: unknown): void
  /** Gives the number of the answer that will come; may throw, too. */
  ask(kind: unknown, texts: readonly unknown[], bytes: Uint8Array<ArrayBuffer> | undefined): number
  cancel(id: unknown): void
  exit(code: unknown): void
  finish(isGood: unknown, text: unknown, kind: unknown): void
  /** Whether the program must stop now; asked every ten thousand steps or so. */
  mustStop(): boolean
}

/** What the program has from the start, beside its functions. */
export interface Settings {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly stdin: string
  readonly hasTools: boolean
  readonly hasFetch: boolean
}

export interface Answer {
  readonly id: number
  readonly isGood: boolean
  /** JSON; absent for nothing. */
  readonly text?: string | undefined
  readonly bytes?: Uint8Array | undefined
}

/** Every function but `dispose` may throw where the engine broke: it must not be used again then. */
export interface Machine {
  start(program: string): void
  /** Runs what is ready to run, up to so many jobs; gives how many ran. */
  runJobs(limit: number): number
  settle(answer: Answer): void
  /** False where the engine broke. */
  dispose(): boolean
}

export interface MachineOptions {
  readonly memoryBytes: number
  readonly outside: Outside
  readonly settings: Settings
}

/** More than this and the host's own stack may end before the engine's. */
const stackBytes = 2 ** 16
/** For the words about an error, where the program took all memory. */
const spareBytes = 2 ** 21

export function openMachine(module: QuickJSWASMModule, options: MachineOptions): Machine {
  const { memoryBytes, outside, settings } = options
  const runtime = module.newRuntime({ memoryLimitBytes: memoryBytes, maxStackSizeBytes: stackBytes })
  runtime.setInterruptHandler(() => outside.mustStop())
  const context = runtime.newContext()
  const room = (): void => runtime.setMemoryLimit(memoryBytes + spareBytes)
  const inside = evaluatePrelude(context, { ...hostFunctions(context, outside), room }, settings)
  const call = (name: string, ...values: QuickJSHandle[]): void => {
    const work = context.getProp(inside, name)
    const result = context.callFunction(work, context.undefined, ...values)
    for (const handle of [work, ...values]) handle.dispose()
    if (!result.error) return result.value.dispose()
    if (name !== 'ended') return call('ended', result.error)
    result.error.dispose()
    outside.finish(false, '', '')
  }
  return {
    start: (program) => {
      const result = context.evalCode(`(async () => {${program}\n})()`, 'program.js', { type: 'global' })
      if (result.error) call('ended', result.error)
      else call('follow', result.value)
    },
    runJobs: (limit) => {
      const result = runtime.executePendingJobs(limit)
      if (!result.error) return result.value
      // A job that was interrupted; whoever interrupted it knows.
      result.error.dispose()
      return limit
    },
    settle: ({ id, isGood, text, bytes }) => {
      const said = text === undefined ? context.undefined : context.newString(text)
      const data = bytes === undefined ? context.undefined : context.newArrayBuffer(new Uint8Array(bytes).buffer)
      call('settle', context.newNumber(id), isGood ? context.true : context.false, said, data)
    },
    dispose: () => {
      try {
        inside.dispose()
        context.dispose()
        runtime.dispose()
        return true
      } catch {
        return false
      }
    },
  }
}

type HostFunctions = Readonly<Record<string, (...values: QuickJSHandle[]) => QuickJSHandle | void>>

function evaluatePrelude(context: QuickJSContext, functions: HostFunctions, settings: Settings): QuickJSHandle {
  const host = context.newObject()
  for (const [name, work] of Object.entries(functions)) {
    const made = context.newFunction(name, work)
    context.setProp(host, name, made)
    made.dispose()
  }
  const prelude = context.unwrapResult(context.evalCode(preludeText, 'sandbox.js', { type: 'global' }))
  const given = context.newString(JSON.stringify(settings))
  const inside = context.unwrapResult(context.callFunction(prelude, context.undefined, host, given))
  for (const handle of [prelude, given, host]) handle.dispose()
  return inside
}

function hostFunctions(context: QuickJSContext, outside: Outside): HostFunctions {
  const plain = (handle: QuickJSHandle | undefined): unknown => {
    const type = handle && context.typeof(handle)
    if (handle === undefined || type === undefined) return undefined
    if (type === 'string') return context.getString(handle)
    if (type === 'number') return context.getNumber(handle)
    return type === 'boolean' ? context.dump(handle) : undefined
  }
  const bytes = (handle: QuickJSHandle | undefined): Uint8Array<ArrayBuffer> | undefined => {
    if (handle === undefined || context.typeof(handle) !== 'object') return undefined
    return context.getArrayBuffer(handle).consume(({ value }) => new Uint8Array(value))
  }
  const sizeOf = (value: unknown): number => (typeof value === 'string' ? value.length : 0)
  return {
    print: (stream, said) => {
      const text = plain(said)
      // JSON is never empty: there was no memory for the text.
      if (text === '') throw new Error('There is no memory left to print')
      outside.called(sizeOf(text))
      outside.print(plain(stream), text)
    },
    ask: (kind, first, second, data) => {
      const texts = [plain(first), plain(second)]
      const given = bytes(data)
      outside.called(texts.reduce<number>((sum, text) => sum + sizeOf(text), given?.length ?? 0))
      return context.newNumber(outside.ask(plain(kind), texts, given))
    },
    cancel: (id) => {
      outside.called(0)
      outside.cancel(plain(id))
    },
    exit: (code) => {
      outside.exit(plain(code))
      throw new Error('The program has ended')
    },
    finish: (isGood, text, kind) => outside.finish(plain(isGood), plain(text), plain(kind)),
    encode: (said) => {
      const text = readText(plain(said))
      outside.called(text.length)
      return context.newArrayBuffer(new TextEncoder().encode(text).buffer)
    },
    decode: (data, isFatal) => {
      const given = bytes(data)
      outside.called(given?.length ?? 0)
      const text = new TextDecoder('utf-8', { fatal: plain(isFatal) === true, ignoreBOM: false }).decode(given)
      return context.newString(JSON.stringify(text))
    },
  }
}

/** The text that the prelude wrote as JSON. */
export function readText(text: unknown): string {
  const value = readJson(text)
  return typeof value === 'string' ? value : ''
}

/** The object that the prelude wrote as JSON. */
export function readObject(text: unknown): object {
  const value = readJson(text)
  return isObject(value) ? value : {}
}

export function readJson(text: unknown): unknown {
  const parsed = typeof text === 'string' ? parseJson(text) : undefined
  return parsed?.ok ? parsed.value : undefined
}
