// `ls` of several things, and `mktemp`.
import type { Command } from 'just-bash/browser'
import { webHost } from '../../../../src/host/web-host.ts'
import { readOptions } from './options.ts'
import { printed, refused } from './result.ts'
import type { Context, Result } from './result.ts'

/** Files first and without blank lines between, then each directory under its name. */
export const ls: Command = {
  name: 'ls',
  execute: async (args, context) => {
    const { origCommand } = context
    const isOption = (arg: string): boolean => arg.startsWith('-')
    // Behind `--` all are names.
    const [before, behind] = args.includes('--')
      ? [args.slice(0, args.indexOf('--')), args.slice(args.indexOf('--') + 1)]
      : [args, []]
    const names = [...before.filter((arg) => !isOption(arg)), ...behind]
    if (!origCommand) return refused('ls', 'the command is not there', 127)
    if (names.length < 2) return origCommand(args)
    const options = before.filter(isOption)
    const isListed = options.some((option) => /^-[a-zA-Z]*d/.test(option))
    const isOrdered = options.some((option) => /^-[a-zA-Z]*[tSUX]/.test(option))
    const directories = isListed ? [] : await directoriesOf(names, context)
    const files = names.filter((name) => !directories.includes(name))
    const results: Result[] = []
    for (const name of isOrdered ? files : [...files].sort()) results.push(await origCommand([...options, '--', name]))
    const listing = directories.length > 0 ? await origCommand([...options, '--', ...directories]) : undefined
    const lines = results.map(({ stdout }) => stdout).join('')
    // Alone, it would have no title.
    const title = directories.length === 1 && listing ? `${directories[0]}:\n` : ''
    return {
      stdout: [lines, title + (listing?.stdout ?? '')].filter((part) => part !== '').join('\n'),
      stderr: [...results, ...(listing ? [listing] : [])].map(({ stderr }) => stderr).join(''),
      exitCode: Math.max(...results.map(({ exitCode }) => exitCode), listing?.exitCode ?? 0),
    }
  },
}

async function directoriesOf(names: readonly string[], { fs, cwd }: Context): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of names) {
    const stat = await fs.stat(fs.resolvePath(cwd, name)).catch(() => undefined)
    if (stat?.isDirectory) found.push(name)
  }
  return found
}

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const attempts = 20

export const mktemp: Command = {
  name: 'mktemp',
  execute: async (args, { fs, cwd }) => {
    const table = { flags: 'dqtu', values: 'p', long: { directory: 'd', quiet: 'q', 'dry-run': 'u', tmpdir: 't' } }
    const { flags, values, rest, wrong } = readOptions(args, table, true)
    if (wrong !== undefined) return refused('mktemp', `invalid option: ${wrong}`)
    const [template = 'tmp.XXXXXXXXXX'] = rest
    const end = template.lastIndexOf('XXX') + 3
    if (end < 3) return refused('mktemp', `too few X's in template '${template}'`)
    let from = end
    while (template[from - 1] === 'X') from -= 1
    const folder = values.get('p')?.at(-1) ?? (rest.length === 0 || flags.has('t') ? '/tmp' : '.')
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      const name =
        template.slice(0, from) + Array.from({ length: end - from }, randomLetter).join('') + template.slice(end)
      const shown = name.startsWith('/') || folder === '.' ? name : `${folder}/${name}`
      const path = fs.resolvePath(cwd, shown)
      if (await fs.exists(path)) continue
      try {
        if (flags.has('d') && !flags.has('u')) await fs.mkdir(path)
        else if (!flags.has('u')) await fs.writeFile(path, '')
      } catch {
        return refused('mktemp', `failed to create '${shown}': its directory cannot be used`)
      }
      return printed(`${shown}\n`)
    }
    return refused('mktemp', 'no free name was found')
  },
}

const randomLetter = (): string => letters[Math.floor(webHost.random() * letters.length)] ?? 'a'
