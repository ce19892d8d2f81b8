// `xargs`: commands made of what comes on the standard input.
import type { Command } from 'just-bash/browser'
import { bytesToBinary } from '../vfs-bridge.ts'
import { readOptions } from './options.ts'
import { binary, inputBinary, maxOutput, refused } from './result.ts'
import type { Context, Result } from './result.ts'

const table = {
  flags: '0rtpx',
  values: 'nILdPsa',
  long: { null: '0', 'no-run-if-empty': 'r', 'max-args': 'n', 'max-procs': 'P', delimiter: 'd', verbose: 't' },
} as const

/** The most arguments of one command, where nobody says how many. */
const maxArguments = 5000
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', 0: '\0', r: '\r', '\\': '\\' }

interface Plan {
  readonly command: readonly string[]
  readonly groups: readonly (readonly string[])[]
  readonly replace: string | undefined
  readonly isTold: boolean
}

export const xargs: Command = {
  name: 'xargs',
  execute: async (args, context) => {
    const plan = await planOf(args, context)
    return 'exitCode' in plan ? plan : run(plan, context)
  },
}

async function planOf(args: readonly string[], context: Context): Promise<Plan | Result> {
  const { flags, values, rest, wrong } = readOptions(args, table)
  if (wrong !== undefined) return refused('xargs', `invalid option: ${wrong}`)
  const last = (letter: string): string | undefined => values.get(letter)?.at(-1)
  const numbers = ['n', 'L', 'P', 's'].map((letter) => Number(last(letter) ?? 1))
  if (numbers.some((number) => !Number.isInteger(number) || number < 0))
    return refused('xargs', 'wanted a number from 0 for -n, -L, -P and -s')
  const file = last('a')
  const text =
    file === undefined
      ? inputBinary(context.stdin)
      : await context.fs.readFile(context.fs.resolvePath(context.cwd, file), 'binary').catch(() => undefined)
  if (text === undefined) return refused('xargs', `cannot open '${file}': No such file or directory`)
  const replace = last('I')
  const delimiter = flags.has('0')
    ? '\0'
    : last('d')?.replace(/^\\(.)$/, (_, letter: string) => escapes[letter] ?? letter)
  const items = itemsOf(decoded(text), { delimiter, byLine: replace !== undefined || values.has('L') })
  if (items === undefined) return refused('xargs', 'unmatched quote; by default quotes are special, use -0 or -d')
  const isEmpty = items.length === 0
  const per = replace !== undefined ? 1 : Number(last('n') ?? last('L') ?? maxArguments) || maxArguments
  const groups: string[][] = []
  for (let at = 0; at < items.length; at += per) groups.push(items.slice(at, at + per))
  // Without -r an empty input runs the command once all the same.
  if (isEmpty && !flags.has('r') && replace === undefined) groups.push([])
  const words = values.has('L') && replace === undefined ? groups.map((group) => group.flatMap(wordsOf)) : groups
  return { command: rest.length > 0 ? rest : ['echo'], groups: words, replace, isTold: flags.has('t') }
}

/** Arguments are text; what is no UTF-8 stays as it is. */
function decoded(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(text, (char) => char.charCodeAt(0)),
    )
  } catch {
    return text
  }
}

interface Splitting {
  readonly delimiter: string | undefined
  readonly byLine: boolean
}

function itemsOf(text: string, { delimiter, byLine }: Splitting): readonly string[] | undefined {
  if (delimiter !== undefined) return withoutLast(text.split(delimiter))
  const lines = withoutLast(text.split('\n')).map((line) => line.trim())
  if (byLine) return lines.filter((line) => line !== '')
  const items: string[] = []
  for (const line of lines) {
    const words = quoted(line)
    if (words === undefined) return undefined
    for (const word of words) items.push(word)
  }
  return items
}

const wordsOf = (line: string): readonly string[] => quoted(line) ?? [line]
const withoutLast = (parts: readonly string[]): readonly string[] => (parts.at(-1) === '' ? parts.slice(0, -1) : parts)

/** Blanks part words; quotes and backslashes keep them together. */
function quoted(line: string): readonly string[] | undefined {
  const words: string[] = []
  let [word, quote, isWord] = ['', '', false]
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at]!
    if (quote !== '') {
      if (char === quote) quote = ''
      else word += char
    } else if (char === '"' || char === "'") [quote, isWord] = [char, true]
    else if (char === '\\') [word, isWord] = [word + (line[++at] ?? ''), true]
    else if (char !== ' ' && char !== '\t') [word, isWord] = [word + char, true]
    else if (isWord) {
      words.push(word)
      ;[word, isWord] = ['', false]
    }
  }
  if (quote !== '') return undefined
  return isWord ? [...words, word] : words
}

/** Runs one command after the other; each counts as one of the script's. */
async function run({ command, groups, replace, isTold }: Plan, { exec, cwd, signal }: Context): Promise<Result> {
  if (exec === undefined) return refused('xargs', 'commands cannot be run here')
  const out: string[] = []
  let [stderr, exitCode, size] = ['', 0, 0]
  for (const group of groups) {
    const words = replace === undefined ? [...command, ...group] : replaced(command, replace, group[0] ?? '')
    if (words === undefined) return binary(out.join(''), `${stderr}xargs: argument line too long\n`, 1)
    const [name = 'echo', ...args] = words
    if (isTold) stderr += `${[name, ...args].join(' ')}\n`
    const result = await exec(quote(name), { cwd, args, ...(signal && { signal }) })
    out.push(asBinary(result))
    stderr += result.stderr
    size += result.stdout.length + result.stderr.length
    if (size > maxOutput) return binary(out.join(''), `xargs: stopped after ${maxOutput} characters of output\n`, 124)
    if (result.exitCode === 127 || result.exitCode === 126) return binary(out.join(''), stderr, result.exitCode)
    if (result.exitCode === 255) return binary(out.join(''), `${stderr}xargs: ${name}: exited with status 255\n`, 124)
    if (result.exitCode !== 0) exitCode = 123
  }
  return binary(out.join(''), stderr, exitCode)
}

/** `item` in all places of `mark`; `undefined` where that is too long. */
function replaced(command: readonly string[], mark: string, item: string): readonly string[] | undefined {
  const parts = command.map((word) => word.split(mark))
  const size = parts.reduce((sum, { length }) => sum + (length - 1) * item.length, 0)
  return size > maxOutput ? undefined : parts.map((pieces) => pieces.join(item))
}

const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

function asBinary({ stdout, stdoutKind, stdoutEncoding }: Result): string {
  if (stdoutKind === 'bytes' || stdoutEncoding === 'binary') return stdout
  return /^[\0-\x7f]*$/.test(stdout) ? stdout : bytesToBinary(new TextEncoder().encode(stdout))
}
