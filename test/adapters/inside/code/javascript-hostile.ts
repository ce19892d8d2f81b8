// Programs that want to break the sandbox: each ends in band, and the next program works.
import type { ContractCase } from '../../../../src/testing/contract/case.ts'
import type { ExecRequest, ExecResult, Sandbox } from '../../../../src/sandbox/sandbox.ts'
import { check, equal } from '../../../../src/testing/assertion.ts'
import { contractCase } from '../report.ts'
import { sampled } from '../sampled.ts'

type Wanted =
  /** A limit or its time ended it. */
  | 'stopped'
  /** It failed by itself, or by a limit. */
  | 'failed'
  /** It ended well and printed this. */
  | { readonly prints: string }

type Row = readonly [name: string, program: string, wanted: Wanted]

const ok: Wanted = { prints: 'ok' }

const computing: readonly Row[] = [
  ['a loop', 'for (;;);', 'stopped'],
  ['a loop that catches its end', 'for (;;) try { for (;;); } catch {} finally { for (;;); }', 'stopped'],
  ['a loop after await', 'await 0; for (;;);', 'stopped'],
  ['a loop of promises', 'for (;;) await 0', 'stopped'],
  ['a loop of microtasks', 'const again = () => queueMicrotask(again); again(); await sleep(600_000)', 'stopped'],
  ['a loop of files', 'for (;;) await fs.exists("/a")', 'stopped'],
  ['a loop in a timer', 'setTimeout(() => { for (;;); }, 1); await sleep(600_000)', 'stopped'],
  ['a loop in toJSON of the result', 'return { toJSON() { for (;;); } }', 'stopped'],
  ['a loop in the message of an error', 'throw { get message() { for (;;); } , toString() { for (;;); } }', 'failed'],
  ['a loop in a Proxy that is printed', 'console.log(new Proxy({}, { ownKeys() { for (;;); } }))', 'stopped'],
  ['a generator without end', 'function* all() { for (;;) yield 1 }; for (const one of all());', 'stopped'],
  ['backtracking', 'return /^(a+)+$/.test("a".repeat(60) + "b")', 'stopped'],
  ['nested backtracking', 'return /(x+x+)+y/.test("x".repeat(60))', 'stopped'],
  ['exit that is caught', 'try { exit(0) } catch {} for (;;) console.log("more")', { prints: '' }],
]

const holding: readonly Row[] = [
  ['doubling a text', 'let x = "x"; for (;;) x += x', 'failed'],
  ['objects', 'const a = []; for (;;) a.push({ more: { and: ["more"] } })', 'stopped'],
  [
    'objects, caught',
    'const a = []; for (;;) try { a.push({ more: [1] }) } catch { break } return "ok"',
    { prints: '"ok"' },
  ],
  ['typed arrays', 'const a = []; for (;;) a.push(new Uint8Array(2 ** 20))', 'stopped'],
  ['one typed array', 'return new Float64Array(2 ** 27).length', 'failed'],
  ['resizing', 'const a = []; a.length = 2 ** 32 - 1; a.fill(1); return a.length', 'stopped'],
  ['promises', 'const a = []; for (;;) a.push(Promise.resolve().then(() => a))', 'stopped'],
  ['big integers', 'let x = 3n; for (;;) x *= x', 'failed'],
  ['bytes for a file', 'await fs.write("/a", new Uint8Array(3e7))', 'failed'],
  ['one long line', 'console.log("x".repeat(3e7))', 'failed'],
]

const nesting: readonly Row[] = [
  ['calls', '(function again() { again() })()', 'stopped'],
  ['async calls', 'const again = async () => { await again() }; await again()', 'stopped'],
  ['toString', 'const o = { toString: () => String(o) }; return String(o)', 'stopped'],
  ['toJSON', 'const o = { toJSON: () => JSON.stringify(o) }; return o', 'failed'],
  ['getters', 'const o = { get a() { return this.a } }; return o.a', 'stopped'],
  ['a deep array that is returned', 'let x = []; for (let i = 0; i < 1e5; i++) x = [x]; return x', 'failed'],
  [
    'a deep array that is printed',
    'let x = []; for (let i = 0; i < 1e5; i++) x = [x]; console.log(x)',
    { prints: '[ [ [ [ [ [Array] ] ] ] ] ]' },
  ],
  ['deep JSON', 'return JSON.parse("[".repeat(1e5) + "]".repeat(1e5))', 'failed'],
  ['deep source', 'return eval("(".repeat(1e5))', 'failed'],
  ['deep source of objects', 'return eval("[".repeat(1e5))', 'failed'],
  ['a deep expression', 'return new RegExp("(?:".repeat(1e5) + ")".repeat(1e5))', 'failed'],
  ['bound functions', 'let f = () => 1; for (let i = 0; i < 2e4; i++) f = f.bind(); return f()', 'failed'],
  ['proxies', 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.a', 'stopped'],
  ['a deep input', 'let x = {}; for (let i = 0; i < 2000; i++) x = { x }; return await tools.echo(x)', 'failed'],
]

const meddling: readonly Row[] = [
  [
    'with JSON',
    'JSON.stringify = JSON.parse = () => { throw 1 }; Object.prototype.toJSON = () => 7; Array.prototype.toJSON = () => 8;' +
      'await fs.writeText("/a", "ok"); console.log(await fs.readText("/a"))',
    ok,
  ],
  [
    'with arrays and iterators',
    'for (const key of Reflect.ownKeys(Array.prototype)) if (key !== "constructor") try { Array.prototype[key] = () => { throw 1 } } catch {}' +
      '\nawait fs.writeText("/a", "ok"); console.log(await fs.readText("/a"))',
    ok,
  ],
  [
    'with texts, maps and functions',
    'for (const of of [String, Map, Set, Function, RegExp]) for (const key of Object.getOwnPropertyNames(of.prototype))' +
      ' if (key !== "constructor") try { of.prototype[key] = () => { throw 1 } } catch {}' +
      '\nawait fs.writeText("/a", "ok"); console.log(await fs.readText("/a"))',
    ok,
  ],
  [
    'with promises',
    'const { then } = Promise.prototype; Promise.prototype.then = function (...all) { return then.apply(this, all) };' +
      'Promise.resolve = Promise.reject = undefined; globalThis.Promise = undefined; console.log(await (async () => "ok")())',
    ok,
  ],
  [
    'with the prototype of all objects',
    'Object.defineProperty(Object.prototype, "then", { get() { return undefined } }); Object.prototype.bytes = 1;' +
      'Object.prototype.get = Object.prototype.value = 7; delete globalThis.fs; console.log("ok")',
    ok,
  ],
  ['by thenables', 'return { then() {} }', 'failed'],
  ['by a thenable that resolves itself', 'const t = { then(give) { give(t) } }; return await t', 'stopped'],
  [
    'through constructors',
    'const all = [console.log, fs.read, exit, sleep, setTimeout, TextEncoder].map((f) => typeof f.constructor("return globalThis")().process);' +
      'console.log(all.every((type) => type === "undefined") ? "ok" : all)',
    ok,
  ],
  [
    'with the hooks of errors',
    'Error.prepareStackTrace = (e, sites) => sites; Error.stackTraceLimit = 1e9; Error.prototype.toString = () => { throw 1 };' +
      'Object.defineProperty(Error, Symbol.hasInstance, { value: () => { throw 1 } }); throw new Error("x")',
    'failed',
  ],
  ['with an error of a billion words', 'throw new Error("x".repeat(5e6))', 'failed'],
  ['with an error that is none', 'throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 1 } })', 'failed'],
  ['with nothing thrown', 'throw undefined', 'failed'],
  ['with the end of its function', '})(); (async () => { for (;;); ', 'stopped'],
  ['with settings of the sandbox', 'env.__proto__.x = 1; cwd = null; stdin = null; console.log("ok")', ok],
]

const flooding: readonly Row[] = [
  [
    'calls that nobody waits for',
    'let said = ""; try { for (let i = 0; i < 5000; i++) callTool("slow", {}).catch(() => {}); } catch (error) { said = error.message }' +
      'await Promise.all(Array.from({ length: 5000 }, () => callTool("slow", {})))',
    'failed',
  ],
  ['timers', 'for (let i = 0; i < 5000; i++) setTimeout(() => {}, 600_000)', 'failed'],
  [
    'timers that start timers',
    'const again = () => { setTimeout(again); setTimeout(again) }; again(); await sleep(600_000)',
    'failed',
  ],
  ['a large input', 'await callTool("echo", { a: "x".repeat(2e7) })', 'failed'],
  [
    'odd inputs',
    'for (const input of [undefined, null, 7, "x", [], () => 1, Symbol("x")]) await callTool("echo", input); console.log("ok")',
    ok,
  ],
  ['an input that cannot be JSON', 'await callTool("echo", { a: 1n })', 'failed'],
  [
    'odd names',
    'for (const name of [undefined, 7, {}, [], null]) try { await callTool(name); console.log("no") } catch {} console.log("ok")',
    ok,
  ],
  ['an odd timer', 'for (const ms of [NaN, -1, "x", {}, undefined, null]) await sleep(ms); console.log("ok")', ok],
  [
    'odd paths',
    'for (const path of [7, null, {}, "\\0", "x".repeat(1e5), "../../..\\0"]) try { await fs.read(path); console.log("no") } catch {} console.log("ok")',
    ok,
  ],
  [
    'odd options',
    'await fs.write("/a", "ok", { mode: "create", parents: 7, signal: {}, __proto__: { x: 1 } }); console.log(await fs.readText("/a"))',
    ok,
  ],
]

/** No step of these is counted: only the end of their Worker stops them. */
const uncounted: readonly Row[] = [
  ['sorting', 'const a = Array.from({ length: 2e5 }, (_, i) => (i * 7919) % 10007); for (;;) a.sort()', 'stopped'],
  ['a search without end', 'return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 5)', 'stopped'],
  ['joining nothing', 'const a = []; a.length = 2 ** 32 - 1; for (;;) try { a.join("") } catch {}', 'stopped'],
]

const groups = { computing, holding, nesting, meddling, flooding }

const call: ExecRequest['call'] = async (name, input) => {
  if (name === 'slow') await new Promise<void>((resolve) => void setTimeout(resolve, 20))
  return input
}

function judge({ exitCode, stdout, stderr, stopped }: ExecResult, wanted: Wanted): void {
  const said = JSON.stringify({ exitCode, stopped, stdout: stdout.slice(0, 300), stderr: stderr.slice(0, 300) })
  if (wanted === 'stopped')
    return check(exitCode !== 0 && (stopped === 'limit' || stopped === 'timeout'), `an end by a limit, got ${said}`)
  if (wanted === 'failed')
    return check(exitCode !== 0 && stderr + (stopped ?? '') !== '', `a failure in words, got ${said}`)
  return check(exitCode === 0 && stdout.trim() === wanted.prints, `"${wanted.prints}", got ${said}`)
}

export interface HostileOptions {
  readonly make: () => Sandbox
  readonly isWorker: boolean
  /** Why nothing in this runtime ends what is not counted. */
  readonly endless?: string | undefined
  /** Told the longest time in which this thread could do nothing, in milliseconds. */
  readonly onGap?: ((ms: number) => void) | undefined
}

/** How long this thread could do nothing, while `work` went on. */
async function longestGap(work: () => Promise<void>): Promise<number> {
  let [longest, last] = [0, Date.now()]
  const timer = setInterval(() => {
    const now = Date.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 5)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return longest
}

export function hostileCases({ make, isWorker, endless, onGap }: HostileOptions): readonly ContractCase[] {
  const reason = isWorker ? endless : 'nothing from outside ends what computes in this thread'
  return Object.entries({ ...groups, uncounted }).map(([group, rows]) => {
    const name = `survives programs that break by ${group}`
    const run = async (): Promise<void> => {
      const sandbox = make()
      await sandbox.warm?.()
      const gap = await longestGap(async () => {
        for (const [name, command, wanted] of sampled(rows)) await attack(sandbox, { name, command, wanted, isWorker })
      })
      onGap?.(gap)
      await sandbox.dispose()
    }
    return contractCase(name, run, rows === uncounted ? reason : undefined)
  })
}

interface Attack {
  readonly name: string
  readonly command: string
  readonly wanted: Wanted
  readonly isWorker: boolean
}

async function attack(sandbox: Sandbox, { name, command, wanted, isWorker }: Attack): Promise<void> {
  const before = Reflect.ownKeys(Object.prototype).length
  try {
    // What only the end of its Worker stops need not take long.
    const timeoutMs = isWorker && wanted === 'stopped' ? 500 : 20_000
    judge(await sandbox.exec({ command, call, timeoutMs }), wanted)
    const { exitCode, stdout } = await sandbox.exec({ command: 'console.log("hello")' })
    equal([exitCode, stdout], [0, 'hello\n'], 'The next program')
    equal(Reflect.ownKeys(Object.prototype).length, before, 'The prototype of all objects out here')
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
