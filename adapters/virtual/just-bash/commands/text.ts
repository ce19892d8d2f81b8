// Commands that just-bash has and that answer in part as models do not expect: what they do else is asked of the original.
import type { Command } from 'just-bash/browser'
import { bytesToBinary } from '../vfs-bridge.ts'
import { readOptions } from './options.ts'
import { binary, printed, refused } from './result.ts'
import type { Context, Result } from './result.ts'

const original = async (name: string, args: readonly string[], { origCommand }: Context): Promise<Result> =>
  origCommand ? origCommand([...args]) : refused(name, 'the command is not there', 127)

/** Bytes: pipes hold all that is written, so there is an end to it. */
const maxYes = 2 ** 18

export const yes: Command = {
  name: 'yes',
  execute: async (args) => {
    const line = `${args.length > 0 ? args.join(' ') : 'y'}\n`
    const count = Math.max(1, Math.floor(maxYes / line.length))
    const stderr = `yes: stopped after ${count} lines: a pipe here holds all that is written to it\n`
    // As one that is ended by its pipe.
    return { ...printed(line.repeat(count), 141), stderr }
  },
}

/** Stand for the bytes 128 to 255 while a format is filled in; from a plane that no text uses. */
const standIn = 0xf_0000

/** `\xff` and `\377` are bytes, not characters. */
export const printf: Command = {
  name: 'printf',
  execute: async (args, context) => bytewise('printf', args, context, args[0]?.startsWith('-v') !== true),
}

export const echo: Command = {
  name: 'echo',
  execute: async (args, context) => bytewise('echo', args, context, /^-[nE]*e/.test(args[0] ?? '')),
}

const highByte = /(\\\\)|\\x([89a-f][0-9a-f])|\\0?([23][0-7][0-7])/gi

async function bytewise(name: string, args: readonly string[], context: Context, isOurs: boolean): Promise<Result> {
  const marked = isOurs ? args.map(withStandIns) : args
  if (marked.every((arg, index) => arg === args[index])) return original(name, args, context)
  const result = await original(name, marked, context)
  if (result.stdoutKind === 'bytes') return result
  return binary(bytesToBinary(Uint8Array.from(bytesOf(result.stdout))), result.stderr, result.exitCode)
}

const withStandIns = (arg: string): string =>
  arg.replace(highByte, (all, escaped?: string, hex?: string, octal?: string) => {
    if (escaped !== undefined) return all
    return String.fromCodePoint(standIn + (hex ? Number.parseInt(hex, 16) : Number.parseInt(octal ?? '', 8)))
  })

function bytesOf(text: string): number[] {
  const encoder = new TextEncoder()
  const bytes: number[] = []
  for (const char of text) {
    const byte = (char.codePointAt(0) ?? 0) - standIn
    if (byte >= 128 && byte < 256) bytes.push(byte)
    else bytes.push(...encoder.encode(char))
  }
  return bytes
}

/** Counts stand in seven columns, as a real one has them. */
export const uniq: Command = {
  name: 'uniq',
  execute: async (args, context) => {
    const result = await original('uniq', args, context)
    if (!args.some((arg) => /^-[a-zA-Z]*c|^--count$/.test(arg))) return result
    const stdout = result.stdout.replace(/^ *(\d+) /gm, (_, count: string) => `${count.padStart(7)} `)
    return { ...result, stdout }
  },
}

const grepOptions = {
  flags: 'rRinvlLchHoqswxEFPGaIzZTUby',
  values: 'efABCmdDXYW',
  long: {
    recursive: 'r',
    'dereference-recursive': 'R',
    'no-filename': 'h',
    include: 'X',
    exclude: 'Y',
    'exclude-dir': 'W',
  },
}

/** `grep -r x .` names its files from `./` on; without a place it looks here, and names them without. */
export const grep: Command = {
  name: 'grep',
  execute: async (args, context) => {
    const { flags, values, rest, wrong } = readOptions(args, grepOptions, true)
    const places = values.has('e') || values.has('f') ? rest : rest.slice(1)
    const isOurs = wrong === undefined && (flags.has('r') || flags.has('R')) && !flags.has('h')
    if (!isOurs || !(places.length === 0 || (places.includes('.') && args.lastIndexOf('.') >= 0)))
      return original('grep', args, context)
    const { cwd } = context
    const at = args.lastIndexOf('.')
    const asked = places.length === 0 ? [...args, cwd] : args.map((arg, index) => (index === at ? cwd : arg))
    const [before, after] = [cwd === '/' ? '//' : `${cwd}/`, places.length === 0 ? '' : './']
    const result = await original('grep', asked, context)
    const lines = result.stdout.split('\n')
    const named = lines.map((line) => (line.startsWith(before) ? after + line.slice(before.length) : line))
    return { ...result, stdout: named.join('\n') }
  },
}
