// A language of a few words, to try what surrounds an interpreter. One word and its texts a line:
// print, warn, write, read, list, loop, sleep, exit, fail, call, fetch, env, stdin, cd, pwd, flood, fill, forget, break.
import type { Interpreter, Program } from '../../src/sandbox/interpreter.ts'
import { resolvePath } from '../../src/vfs/path.ts'

interface Machine extends Program {
  at: string
  exitCode: number | undefined
}

type Word = (machine: Machine, first: string, rest: string) => unknown

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)
const decode = (data: Uint8Array): string => new TextDecoder().decode(data)
const print = (machine: Machine, text: string): void => machine.output('stdout', text)

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })

const words: Readonly<Record<string, Word>> = {
  print: (machine, first, rest) => print(machine, `${[first, rest].filter(Boolean).join(' ')}\n`),
  warn: (machine, first, rest) => machine.output('stderr', `${[first, rest].filter(Boolean).join(' ')}\n`),
  write: (machine, path, text) => machine.fs!.write(resolvePath(machine.at, path), encode(text), { parents: true }),
  read: async (machine, path) => print(machine, decode(await machine.fs!.read(resolvePath(machine.at, path)))),
  list: async (machine, path) => {
    const { entries } = await machine.fs!.list(resolvePath(machine.at, path || '.'))
    print(machine, entries.map(({ name }) => `${name}\n`).join(''))
  },
  make: (machine, path) => machine.fs!.mkdir(resolvePath(machine.at, path), { recursive: true }),
  loop: () => {
    for (;;);
  },
  // Waits, and says nothing to nobody.
  hang: () => new Promise(() => {}),
  sleep: (machine, ms) => sleep(Number(ms), machine.signal),
  exit: (machine, code) => {
    machine.exitCode = Number(code)
  },
  call: async (machine, name, input) => {
    print(machine, `${JSON.stringify(await machine.call!(name, JSON.parse(input || 'null')))}\n`)
  },
  fetch: async (machine, url, body) => {
    const response = await machine.fetch!(url, body ? { method: 'POST', body, headers: { 'x-toy': 'yes' } } : {})
    print(machine, `${response.status} ${response.headers.get('x-answer')} ${response.url} ${await response.text()}\n`)
  },
  env: (machine, name) => print(machine, `${machine.env[name] ?? ''}\n`),
  stdin: (machine) => print(machine, decode(machine.stdin)),
  cd: (machine, path) => {
    machine.at = resolvePath(machine.at, path)
  },
  pwd: (machine) => print(machine, `${machine.at}\n`),
  chars: (machine, count) => print(machine, 'x'.repeat(Number(count))),
  flood: async (machine) => {
    for (let round = 0; !machine.signal.aborted; round++) {
      print(machine, 'spam '.repeat(200))
      if (round % 100 === 0) await sleep(0, machine.signal)
    }
  },
  recurse: (machine, first, rest) => words['recurse']!(machine, first, `${rest} `),
  allocate: () => {
    const kept: unknown[] = []
    for (;;) kept.push(Array.from({ length: 100_000 }, (_, index) => ({ index })))
  },
  // Goes on when the command is over.
  later: (machine, path) => {
    setTimeout(() => void machine.fs!.write(path, encode('late')).catch(() => {}), 5)
    setTimeout(() => machine.output('stdout', 'late'), 5)
  },
  break: () => Promise.reject(new TypeError('words of an engine')),
}

async function run(program: Program): Promise<{ exitCode: number; cwd: string }> {
  const machine: Machine = { ...program, at: program.cwd, exitCode: undefined }
  for (const line of program.command.split('\n')) {
    const [, word = '', first = '', rest = ''] = /^\s*(\S*) ?(\S*) ?(.*)$/.exec(line) ?? []
    if (word === '') continue
    if (machine.exitCode !== undefined || machine.signal.aborted) break
    if (!Object.hasOwn(words, word)) {
      machine.output('stderr', `unknown word ${word}\n`)
      return { exitCode: 127, cwd: machine.at }
    }
    try {
      await words[word]!(machine, first, rest)
    } catch (error) {
      if (word === 'break') throw error
      machine.output('stderr', `${word}: ${error instanceof RangeError ? 'too deep' : (error as Error).message}\n`)
      machine.exitCode = 1
    }
  }
  return { exitCode: machine.exitCode ?? 0, cwd: machine.at }
}

export const toyFacts = {
  kind: 'toy',
  languages: ['bash'],
  describe: () => 'A language of a few words.',
} as const

export const toy = (): Interpreter => ({ ...toyFacts, run })
