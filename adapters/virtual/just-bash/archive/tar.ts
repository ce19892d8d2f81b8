// `tar`: makes, lists and takes apart archives, plain or gzipped.
import type { Command } from 'just-bash/browser'
import { binaryToBytes, bytesToBinary } from '../vfs-bridge.ts'
import { ArchiveError, gzipped, maxArchive, reasonOf } from './gzip.ts'
import { readOptions } from '../commands/options.ts'
import type { Options } from '../commands/options.ts'
import { binary, inputBinary, refused } from '../commands/result.ts'
import type { Context, Result } from '../commands/result.ts'
import { archived, entriesOf } from './tar-format.ts'
import type { Entry } from './tar-format.ts'

const table = {
  flags: 'cxtzvOpkmh',
  values: 'fCSE',
  long: {
    create: 'c',
    extract: 'x',
    get: 'x',
    list: 't',
    gzip: 'z',
    file: 'f',
    directory: 'C',
    verbose: 'v',
    'to-stdout': 'O',
    'strip-components': 'S',
    exclude: 'E',
  },
}

/** Files and directories of one archive. */
const maxEntries = 10_000

interface Job {
  readonly options: Options
  readonly context: Context
  readonly file: string | undefined
  /** Where files are found and put. */
  readonly base: string
  readonly isLeftOut: (path: string) => boolean
}

export const tar: Command = {
  name: 'tar',
  execute: async (args, context) => {
    // `tar xzf a.tar` is `tar -xzf a.tar`.
    const [first = '', ...others] = args
    const options = readOptions(/^[a-zA-Z]+$/.test(first) ? [`-${first}`, ...others] : args, table, true)
    const { wrong, flags, values } = options
    if (wrong !== undefined) return refused('tar', `invalid option: ${wrong}`, 2)
    const actions = ['c', 'x', 't'].filter((action) => flags.has(action))
    if (actions.length !== 1) return refused('tar', 'wanted one of -c, -x and -t', 2)
    const file = values.get('f')?.at(-1)
    const base = context.fs.resolvePath(context.cwd, values.get('C')?.at(-1) ?? '.')
    const job: Job = { options, context, file: file === '-' ? undefined : file, base, isLeftOut: leftOut(options) }
    try {
      return await (actions[0] === 'c' ? create(job) : open(job))
    } catch (error) {
      return refused('tar', reasonOf(error), 2)
    }
  },
}

/** `--exclude`, where `*` stands for anything. */
function leftOut({ values }: Options): (path: string) => boolean {
  const patterns = (values.get('E') ?? []).map((pattern) => pattern.replace(/\/$/, '').split('*'))
  return (path) => patterns.some((parts) => [path, path.split('/').at(-1) ?? ''].some((text) => fits(text, parts)))
}

function fits(text: string, parts: readonly string[]): boolean {
  const [first = '', ...others] = parts
  if (!text.startsWith(first)) return false
  if (others.length === 0) return text === first
  let at = first.length
  for (const part of others.slice(0, -1)) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  const last = others.at(-1) ?? ''
  return text.length - at >= last.length && text.endsWith(last)
}

async function create(job: Job): Promise<Result> {
  const { options, context, file, base } = job
  const { flags, rest } = options
  if (rest.length === 0) throw new ArchiveError('cowardly refusing to create an empty archive')
  const entries: Entry[] = []
  let size = 0
  const add = async (name: string, path: string): Promise<void> => {
    if (job.isLeftOut(name)) return
    const { isDirectory, mode, mtime, size: length } = await context.fs.stat(path)
    size += length
    if (size > maxArchive) throw new ArchiveError(`more than ${maxArchive} bytes`)
    if (entries.length >= maxEntries) throw new ArchiveError(`more than ${maxEntries} files`)
    const data = isDirectory ? new Uint8Array() : await context.fs.readFileBuffer(path)
    entries.push({ name: isDirectory ? `${name}/` : name, isDirectory, mode, seconds: mtime.getTime() / 1000, data })
    if (isDirectory)
      for (const child of await context.fs.readdir(path)) await add(`${name}/${child}`, `${path}/${child}`)
  }
  for (const name of rest) {
    const plain = name.replace(/^\/+/, '').replace(/\/+$/, '')
    await add(plain === '' ? '.' : plain, context.fs.resolvePath(base, name)).catch((error: unknown) => {
      throw error instanceof ArchiveError ? error : new ArchiveError(`${name}: Cannot stat: ${reasonOf(error)}`)
    })
  }
  const plain = archived(entries)
  const bytes = flags.has('z') ? await gzipped(plain, false) : plain
  const told = flags.has('v') ? entries.map(({ name }) => `${name}\n`).join('') : ''
  if (file === undefined) return binary(bytesToBinary(bytes), told)
  await context.fs.writeFile(context.fs.resolvePath(context.cwd, file), bytes)
  return binary(asBinary(told))
}

const asBinary = (text: string): string => bytesToBinary(new TextEncoder().encode(text))

async function open(job: Job): Promise<Result> {
  const { options, context, file } = job
  const { flags, values, rest } = options
  const bytes =
    file === undefined
      ? binaryToBytes(inputBinary(context.stdin))
      : await context.fs.readFileBuffer(context.fs.resolvePath(context.cwd, file)).catch((error: unknown) => {
          throw new ArchiveError(`${file}: Cannot open: ${reasonOf(error)}`)
        })
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b
  const entries = entriesOf(isGzip ? await gzipped(bytes, true) : bytes, maxEntries)
  const strip = Number(values.get('S')?.at(-1) ?? 0)
  let stdout = ''
  for (const entry of entries) {
    const name = entry.name.replace(/\/$/, '')
    const isWanted =
      rest.length === 0 || rest.some((one) => name === one.replace(/\/$/, '') || name.startsWith(`${one}/`))
    if (!isWanted || job.isLeftOut(name)) continue
    if (flags.has('t') || flags.has('v')) stdout += asBinary(`${entry.name}\n`)
    if (flags.has('t')) continue
    if (flags.has('O')) stdout += bytesToBinary(entry.data)
    else await extract(entry, job, strip)
  }
  return binary(stdout)
}

/** `..` and a leading `/` lead no further than the directory it is taken apart in. */
async function extract({ name, isDirectory, mode, data }: Entry, { context, base }: Job, strip: number): Promise<void> {
  const { fs } = context
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw new ArchiveError(`${name}: it leads out of the archive`)
  const kept = parts.slice(strip)
  if (kept.length === 0) return
  const path = `${base === '/' ? '' : base}/${kept.join('/')}`
  await fs.mkdir(isDirectory ? path : path.slice(0, path.lastIndexOf('/')) || '/', { recursive: true })
  if (isDirectory) return
  await fs.writeFile(path, data)
  if ((mode & 0o111) !== 0) await fs.chmod(path, mode)
}
